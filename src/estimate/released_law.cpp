#include "estimate/released_law.h"

#include <fmt/format.h>

#include "accounting/counted.h"
#include "central/poisson_sampler.h"
#include "central/subset_sampler.h"
#include "kernel/core/invalid_input.h"
#include "release/design.h"
#include "release/release_space.h"
#include "release/verification.h"

namespace mollify {
namespace {

/// The domain of a release that draws outcomes which each are a record.
Domain outcomes_of(const StatedCertificate& stated, const Domain& domain) {
  if (stated.spec.gaussian() != nullptr) {
    throw InvalidInput(
        "estimate is for releases of outcomes, but this one is of Gaussian samples, whose own mean "
        "and covariance are the estimate");
  }
  if (stated.spec.marginals() != nullptr) {
    throw InvalidInput(
        "estimate is for records that each have noise of their own, but those of family marginals "
        "share one model, whose marginals are the estimate");
  }
  if (stated.spec.shares_model()) {
    throw InvalidInput(
        "estimate is for records that each have noise of their own, but those of space models come "
        "from one model, whose marginals are the estimate");
  }
  const LocalSpec* local = stated.spec.local();
  if (local == nullptr) return domain;
  if (space_kind(domain, local->space) == SpaceKind::kCandidates) {
    throw InvalidInput(
        "estimate is for categories and grids, but this release is from candidates, which only a "
        "band draws from, and no band tells the population");
  }
  return space_domain(domain, local->space);
}

void require_valid(const StatedCertificate& stated, const std::string& name, const Domain& domain) {
  const CertificateCheck check = verify_certificate(stated, name, domain);
  if (!check.domain_matches) {
    throw InvalidInput(
        fmt::format("{} must be of the domain that is given, but is of another one", name));
  }
  if (!check.holds()) {
    throw InvalidInput(
        fmt::format("{} must hold, but mollify verify finds that it does not", name));
  }
}

}  // namespace

ReleasedLaw::ReleasedLaw(const StatedCertificate& stated, const std::string& name,
                         const Domain& domain)
    : domain_(domain) {
  require_valid(stated, name, domain);
  domain_ = outcomes_of(stated, domain);
  DesignedRelease made = design_release(stated.spec, stated.facts, domain);
  mechanism_ = made.certificate.mechanism();
  if (made.local) {
    take_local(made.certificate, std::move(made.local));
  } else {
    take_central(made.certificate, *made.central);
  }
}

void ReleasedLaw::take_local(const Certificate& certificate,
                             std::unique_ptr<LocalSampler> sampler) {
  sampler_ = std::move(sampler);
  linear_ = LinearLaw::of(*sampler_);
  smoothed_ = draws_by_scores(*certificate.local());
  const Privacy draw = certificate.draw;
  if (draw.notion == PrivacyNotion::kPure) epsilon_ = draw.parameter();
  multiple_ = *certificate.spec.count;
  if (certificate.facts.units) exactly_ = *certificate.facts.units * multiple_;
  if (certificate.spec.model == Model::kIntegral) exactly_ = multiple_;
}

void ReleasedLaw::take_central(const Certificate& certificate, const CentralSampler& sampler) {
  const FiniteDesign& finite = *certificate.finite();
  exactly_ = finite.design.outputs;
  if (finite.hint) {
    throw InvalidInput(
        "estimate is for releases from the whole domain, but this one is from an interval that was "
        "found privately");
  }
  if (const auto* subset = dynamic_cast<const SubsetSampler*>(&sampler)) {
    linear_ = LinearLaw(subset->response());
    epsilon_ = finite.design.epsilon0;
  } else if (const auto* poisson = dynamic_cast<const PoissonSampler*>(&sampler)) {
    linear_ = LinearLaw(poisson->response());
    epsilon_ = finite.design.epsilon0;
    // Uniform records stand in for those that are missing.
    if (exactly_)
      failure_up_ = binomial_below_up(finite.design.records, poisson->rate(), *exactly_);
  } else if (sampler.outputs_are_independent() &&
             finite.design.mechanism != CentralMechanism::kProduct) {
    total_variation_up_ = sampler.total_variation_up();
  } else {
    throw InvalidInput(
        fmt::format("estimate needs records that are drawn independently of one law near the "
                    "population's, which mechanism {} does not promise; next time use subset-rr",
                    mechanism_));
  }
}

void ReleasedLaw::require_count(std::uint64_t records, const std::string& name) const {
  if (exactly_ && records != *exactly_) {
    throw InvalidInput(
        fmt::format("{} must hold the {} that the certificate speaks of, "
                    "but holds {}",
                    name, counted(*exactly_, "record"), records));
  }
  if (records == 0 || records % multiple_ != 0) {
    throw InvalidInput(
        fmt::format("{} must hold {} of each unit, as the certificate says, but holds {} "
                    "in all",
                    name, counted(multiple_, "record"), records));
  }
}

}  // namespace mollify
