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
#include "methods/divergence/worst_case_risk.h"
#include "methods/local/mechanism.h"
#include "release/certificate.h"
#include "release/method.h"

namespace mollify {

namespace {

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
  return {total_variation, 1 - 1 / static_cast<double>(outcomes), kWorstCaseError};
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

ReleaseError model_error(double expected) {
  return {.error = expected,
          .reference = 1,
          .kind = "greatest expected error of the shared model",
          .of_reference =
              "the greatest total variation, between distributions with nothing in common,"};
}

ReleaseError release_error(const Certificate& certificate, const Domain& domain) {
  return release_method(certificate.spec.method).error(certificate, domain);
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
