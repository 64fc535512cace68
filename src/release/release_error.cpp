#include "release/release_error.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "central/gaussian_design.h"
#include "marginals/marginal_error.h"
#include "release/certificate.h"
#include "release/design.h"
#include "space/domain.h"

namespace mollify {
namespace {

constexpr const char* kWorstCase = "worst-case error of a record";

/// (1 - t/k)^k, which is near e^-t for many outcomes.
double power(double t, double outcomes) {
  return t < outcomes ? std::exp(outcomes * std::log1p(-t / outcomes)) : 0;
}

}  // namespace

// Let x be an outcome's mass times k under the flat Dirichlet distribution. Then E max(t - x, 0) =
// t - 1 + (1 - t/k)^k and E max(x - t, 0) = (1 - t/k)^k. What lies below the band has to be filled
// and what lies above to be cut, and the greater of both is the total variation; the greater of the
// means is at most its mean.
ReleaseError band_error(std::uint64_t outcomes, double floor, double epsilon) {
  const auto k = static_cast<double>(outcomes);
  const double below = floor - 1 + power(floor, k);
  const double above = power(floor * std::exp(epsilon), k);
  return {std::max(below, above), power(1, k), "expected error of a record"};
}

ReleaseError replacement_error(std::uint64_t outcomes, double total_variation) {
  return {total_variation, 1 - 1 / static_cast<double>(outcomes), kWorstCase};
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

ReleaseError model_error(const MarginalError& error) {
  return model_error(std::max(error.expected(), error.columns.mean));
}

ReleaseError model_error(double expected) {
  return {expected, 1, "greatest expected error of the shared model"};
}

std::optional<ReleaseError> release_error(const Certificate& certificate, const Domain& domain) {
  const std::uint64_t outcomes = certificate.facts.outcomes;
  if (const LocalDesign* local = certificate.local()) {
    if (local->floor) return band_error(outcomes, *local->floor, certificate.draw.epsilon);
    return replacement_error(outcomes, draw_risk(certificate, domain).risk.tv);
  }
  if (const FiniteDesign* finite = certificate.finite()) {
    if (finite->hint) return std::nullopt;
    return replacement_error(outcomes, finite->design.total_variation_up);
  }
  if (const GaussianDesign* gaussian = certificate.gaussian()) return gaussian_error(*gaussian);
  if (const MomentDesign* moments = certificate.moments()) {
    return model_error(moments->expected_total_variation);
  }
  if (!certificate.facts.records) return std::nullopt;
  return model_error(marginal_error(*certificate.marginals(), *certificate.facts.records));
}

std::string error_words(const ReleaseError& error) {
  return fmt::format(
      "the {} is {:.3g} in total variation, and that of the public reference alone is {:.3g}",
      error.kind, error.error, error.reference);
}

}  // namespace mollify
