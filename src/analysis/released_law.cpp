#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis/estimate.h"
#include "base/names.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "methods/local/method.h"
#include "methods/local/sampler.h"
#include "methods/local/space.h"
#include "release/design.h"
#include "release/method.h"
#include "release/verification.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// How the records of a release come from the population, as its certificate tells.

namespace {

/// The domain of a release that draws outcomes which each are a record.
Domain outcomes_of(const StatedCertificate& stated, const Domain& domain) {
  if (kModelMethods.has(stated.spec.method)) {
    refuse_input("not-for-this-release", {},
                 "estimate is for records that each have noise of their own, but records of {} "
                 "share one model, which is the estimate itself",
                 method_words(name_of(stated.spec.method)));
  }
  const LocalSpec* local = stated.spec.own.get<LocalSpec>();
  if (local == nullptr) return domain;
  refuse_if(space_kind(domain, local->space) == SpaceKind::kCandidates, "not-for-this-release", {},
            "estimate is for categories and grids, but this release is from candidates, which only "
            "a band draws from, and no band determines the population");
  return space_domain(domain, local->space);
}

void require_valid(const StatedCertificate& stated, const std::string& name, const Domain& domain) {
  const CertificateCheck check = verify_certificate(stated, name, domain);
  refuse_if(!check.domain_matches, "certificate-mismatch", "domain",
            "{} must be of the domain that is given, but is of another one", name);
  if (!check.holds()) {
    refuse_input("certificate-altered", "certificate", {WayOut::run("verify")},
                 "{} must hold, but {} finds that it does not", name, command_words("verify"));
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
  has_weights_ = stated.spec.weights.has_value();
  if (HeldLocalSampler local = local_sampler(made)) {
    take_local(made.certificate, std::move(local));
  } else if (const auto law = release_method(stated.spec.method).record_law(made)) {
    take(*law);
  } else if (stated.facts.outcomes > 0) {
    refuse_input("not-for-this-release", {},
                 "estimate needs the law by which records come from the population, but {} states "
                 "none: look at the shares of the records themselves",
                 method_words(name_of(stated.spec.method)));
  } else {
    refuse_input("not-for-this-release", {},
                 "estimate is for records that are outcomes of a list, but records of {} are not: "
                 "look at the means of the records themselves",
                 method_words(name_of(stated.spec.method)));
  }
}

void ReleasedLaw::take_local(const Certificate& certificate,
                             std::shared_ptr<const LocalSampler> sampler) {
  sampler_ = std::move(sampler);
  linear_ = LinearLaw::of(*sampler_);
  refuse_if(!linear_ && !certificate.as<LocalDesign>()->floor, "not-for-this-release", {},
            "estimate works with linear mechanisms and with bands, and {} is neither; next time "
            "use randomized-response",
            mechanism_);
  smoothed_ = draws_by_scores(*certificate.as<LocalDesign>());
  const Privacy draw = certificate.draw;
  if (draw.notion == PrivacyNotion::kPure) epsilon_ = draw.parameter();
  multiple_ = *certificate.spec.count;
  if (certificate.facts.units) exactly_ = *certificate.facts.units * multiple_;
  if (!kUnitMethods.has(certificate.spec.method)) exactly_ = multiple_;
}

void ReleasedLaw::take(const RecordLaw& law) {
  exactly_ = law.records;
  if (law.response) linear_ = LinearLaw(*law.response);
  epsilon_ = law.epsilon;
  failure_up_ = law.failure_up;
  total_variation_up_ = law.total_variation_up;
}

void ReleasedLaw::require_count(std::uint64_t records, const std::string& name) const {
  if (exactly_ && records != *exactly_) {
    refuse_input("certificate-mismatch", "released",
                 "{} must hold the {} that the certificate speaks of, but holds {}", name,
                 counted(*exactly_, "record"), records);
  }
  if (records == 0 || records % multiple_ != 0) {
    refuse_input("certificate-mismatch", "released",
                 "{} must hold {} of each unit, as the certificate says, but holds {} in all", name,
                 counted(multiple_, "record"), records);
  }
}

}  // namespace mollify
