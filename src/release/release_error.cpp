#include "release/release_error.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include <boost/math/special_functions/beta.hpp>
#include <fmt/format.h>

#include "accounting/privacy.h"
#include "base/directed_rounding.h"
#include "base/names.h"
#include "core/band.h"
#include "domain/domain.h"
#include "methods/central/design.h"
#include "methods/gaussian/design.h"
#include "methods/local/mechanism.h"
#include "methods/marginals/design.h"
#include "release/certificate.h"
#include "release/design.h"

namespace mollify {

namespace {

constexpr const char* kWorstCase = "worst-case error of a record";

/// Data that a band is judged by: drawn from a Dirichlet distribution.
class DrawnData {
 public:
  DrawnData(const ReferenceMasses& mean, double concentration) : concentration_(concentration) {
    if (mean.is_uniform()) {
      counts_[mean.mass(0)] = static_cast<double>(mean.outcomes());
      return;
    }
    for (std::size_t i = 0; i < mean.outcomes(); ++i) ++counts_[mean.mass(i)];
  }

  /// The mean of their mass above t times that of the reference.
  [[nodiscard]] double above(double t) const {
    double sum = 0;
    for (const auto& [mass, count] : counts_) sum += count * above(mass, t);
    return sum;
  }

 private:
  // An outcome's mass x has the beta distribution of a = s h and b = s - a, and
  // E max(x - t h, 0) = h P(x' > t h) - t h P(x > t h), x' of a + 1 and b.
  [[nodiscard]] double above(double mass, double t) const {
    const double edge = t * mass;
    if (edge >= 1) return 0;
    if (mass >= 1) return 1 - edge;
    const double a = concentration_ * mass;
    const double b = concentration_ - a;
    using Doubles = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
    return mass * (boost::math::ibetac(a + 1, b, edge, Doubles()) -
                   t * boost::math::ibetac(a, b, edge, Doubles()));
  }

  double concentration_;
  std::map<double, double> counts_;  ///< of outcomes with each mass
};

DrawnData drawn_data(const ReferenceMasses& reference, ScorerKind scorer) {
  const auto k = static_cast<double>(reference.outcomes());
  if (counts_records(scorer)) return {reference, std::min(k, kConcentration)};
  return {ReferenceMasses::uniform(reference.outcomes()), k};
}

ReleaseError error_of_band(const Certificate& certificate, const Domain& domain,
                           ScorerKind scorer) {
  const std::vector<double> masses = reference_masses(certificate, domain);
  return band_error(masses.empty() ? ReferenceMasses::uniform(certificate.facts.outcomes)
                                   : ReferenceMasses::given(masses),
                    scorer, *certificate.local()->floor, certificate.draw.epsilon);
}

/// Of records from so many outcomes of the domain's.
ReleaseError support_error(const FiniteDesign& design, std::uint64_t of_all,
                           std::uint64_t outcomes) {
  return replacement_error(of_all, with_outcomes(design.design, outcomes).total_variation_up);
}

/// Of the smallest support that a hint allows. An interval of a declared width is judged as if the
/// hint held, like every other accuracy.
ReleaseError found_error(const FiniteDesign& design, std::uint64_t of_all) {
  ReleaseError error = support_error(design, of_all, design.least_outcomes);
  error.is_least = design.least_outcomes == 1;
  return error;
}

}  // namespace

// What lies below the band has to be filled and what lies above to be cut, and the greater of both
// is the total variation; the greater of the means is at most its mean. What lies below t h is what
// lies above it and t - 1 more.
ReleaseError band_error(const ReferenceMasses& reference, ScorerKind scorer, double floor,
                        double epsilon) {
  const DrawnData data = drawn_data(reference, scorer);
  const double below = floor - 1 + data.above(floor);
  const double above = data.above(floor * std::exp(epsilon));
  return {std::max(below, above), data.above(1),
          counts_records(scorer) ? "expected error of a record"
                                 : "expected error of a record of smooth data"};
}

ReleaseError replacement_error(std::uint64_t outcomes, double total_variation) {
  return {total_variation, 1 - 1 / static_cast<double>(outcomes), kWorstCase};
}

ReleaseError draw_error(const MechanismParameters& parameters) {
  const WorstCaseRisk risk = mechanism_risk(parameters);
  ReleaseError error = is_band(parameters.mechanism)
                           ? band_error(parameters.normalised(), ScorerKind::kEmpirical,
                                        risk.lower_factor, ExpBound(*parameters.epsilon).epsilon())
                           : replacement_error(parameters.outcome_count, risk.risk.tv);
  error.subject = "one draw";
  return error;
}

ReleaseError estimate_error(double standard_error) {
  return {.error = standard_error,
          .reference = 0.5,
          .kind = "standard error of a share of one half",
          .of_reference = "the error of saying that each share is 0",
          .subject = "the estimate",
          .measure = ""};
}

// Two Gaussians of one covariance whose means are d deviations apart are erf(d / sqrt 8) from each
// other. A covariance that is only bounded may be anything, and then the reference may be, too.
ReleaseError gaussian_error(const GaussianDesign& design) {
  const GaussianRequest& request = design.request;
  double reference = 1;
  if (!(request.covariance_bound > 1)) {
    double distance = request.mean_bound.value_or(0);
    for (const WhitenedRange& range : request.ranges) {
      distance = std::max(distance, 0.5 * (range.high - range.low));
    }
    reference = std::erf(distance / std::sqrt(8.0));
  }
  return {design.total_variation_up(), reference, kWorstCase};
}

ReleaseError model_error(const MarginalError& error) { return model_error(error.expected()); }

ReleaseError model_error(double expected) {
  return {.error = expected,
          .reference = 1,
          .kind = "greatest expected error of the shared model",
          .of_reference =
              "the greatest total variation, between distributions with nothing in common,"};
}

ReleaseError release_error(const Certificate& certificate, const Domain& domain) {
  const std::uint64_t outcomes = certificate.facts.outcomes;
  if (const LocalDesign* local = certificate.local()) {
    if (local->floor) return error_of_band(certificate, domain, local->scorer);
    return replacement_error(outcomes, draw_risk(certificate, domain).risk.tv);
  }
  if (const FiniteDesign* finite = certificate.finite()) {
    return finite->hint ? found_error(*finite, outcomes)
                        : replacement_error(outcomes, finite->design.total_variation_up);
  }
  if (const GaussianDesign* gaussian = certificate.gaussian()) return gaussian_error(*gaussian);
  if (const MomentDesign* moments = certificate.moments()) {
    return model_error(moments->expected_total_variation);
  }
  const std::optional<std::uint64_t>& records = certificate.facts.records;
  ReleaseError error =
      model_error(marginal_error(*certificate.marginals(), records.value_or(kManyRecords)));
  if (!records) {
    error.kind = "greatest expected error of the shared model of 1000000 records";
    error.is_least = true;
  }
  return error;
}

std::optional<ReleaseError> sparse_error(const Certificate& certificate, const Domain& domain) {
  const LocalDesign* local = certificate.local();
  if (local == nullptr || !local->floor || counts_records(local->scorer) ||
      certificate.spec.method == Method::kIntegralModel) {
    return std::nullopt;
  }
  return error_of_band(certificate, domain, ScorerKind::kEmpirical);
}

std::optional<std::uint64_t> most_outcomes_found(const Certificate& certificate) {
  const FiniteDesign* finite = certificate.finite();
  if (finite == nullptr || !finite->hint) return std::nullopt;
  const std::uint64_t all = certificate.facts.outcomes;
  const auto least_of_noise = least_whole(1, all, [&](std::uint64_t outcomes) {
    return support_error(*finite, all, outcomes).is_mostly_noise();
  });
  if (!least_of_noise) return std::nullopt;
  return *least_of_noise - 1;
}

std::optional<std::string> noise_condition(const Certificate& certificate) {
  if (const auto most = most_outcomes_found(certificate)) {
    return fmt::format("if the support that is found has more than {}", counted(*most, "outcome"));
  }
  if (certificate.marginals() == nullptr || certificate.facts.records) return std::nullopt;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40U;
  const auto least = [&](auto is_past) {
    return least_whole(
               1, kMost,
               [&](std::uint64_t records) {
                 return !is_past(model_error(marginal_error(*certificate.marginals(), records)));
               })
        .value_or(kMost);
  };
  return fmt::format(
      "if the table has fewer than {}, and cannot be told apart from public noise if it has fewer "
      "than {}",
      counted(least(std::mem_fn(&ReleaseError::is_mostly_noise)),
              certificate.spec.unit ? "unit" : "row"),
      least(std::mem_fn(&ReleaseError::is_indistinct)));
}

std::string error_words(const ReleaseError& error) {
  return fmt::format("the {} is {:.3g}{}, and {} is {:.3g}", error.kind, error.error, error.measure,
                     error.of_reference, error.reference);
}

std::string indistinct_words(const ReleaseError& error) {
  return fmt::format("{} cannot be told apart from public noise: {}", error.subject,
                     error_words(error));
}

std::string noise_words(const ReleaseError& error) {
  return fmt::format("{} is mostly noise: {}", error.subject, error_words(error));
}

std::string words_of_noise(const ReleaseError& error) {
  if (error.is_indistinct()) return indistinct_words(error);
  return error.is_mostly_noise() ? noise_words(error) : "";
}

Json divergence_json(const DivergenceReport& divergence) {
  Json json = Json::object();
  for (const DivergenceName& one : kDivergenceNames) {
    json[one.key] = number(divergence.*one.value);
  }
  return json;
}

}  // namespace mollify
