#include "release/gaussian_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "accounting/clip_probability.h"
#include "accounting/gaussian_composition.h"
#include "accounting/gaussian_lower_bound.h"
#include "accounting/monotone_search.h"
#include "accounting/radial_total_variation.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

using Notion = Privacy::Notion;

/// All but of records, which are searched from few on.
PlanSpan span_of(PlanUnknown unknown, const GaussianRequest& request) {
  switch (unknown) {
    case PlanUnknown::kDimension:
      return {1, 1024};
    case PlanUnknown::kEpsilon:
      return {100, 1e-6};
    case PlanUnknown::kRho:
      return {1000, 1e-12};
    case PlanUnknown::kDelta:
      return {0.5, 1e-100};
    default:
      break;
  }
  return {1, static_cast<double>(std::min(request.records, kMostGaussianOutputs))};
}

}  // namespace

double alpha_of(const GaussianDesign& design, bool strong) {
  return strong ? design.strong_total_variation_up() : design.total_variation_up();
}

std::optional<GaussianDesign> plan(PlanUnknown unknown, const GaussianQuestion& question) {
  if (unknown == PlanUnknown::kOutcomes) {
    throw InvalidInput("a plan of Gaussian samples has no unknown k");
  }
  if (unknown == PlanUnknown::kAlpha) return find_gaussian_design(question.request);
  require_alpha(unknown, question.alpha);
  std::optional<GaussianDesign> best;
  const auto serves = [&](double value) {
    std::optional<GaussianDesign> design =
        find_gaussian_design(with(question.request, unknown, value));
    if (!design || alpha_of(*design, question.strong) > question.alpha) return false;
    best = std::move(design);
    return true;
  };
  if (unknown == PlanUnknown::kRecords) {
    // From few records on: those searched last are near the answer, where designs are cheap.
    least_whole(std::max<std::uint64_t>(question.request.outputs, 1), kMostPlannedRecords,
                [&](std::uint64_t records) { return serves(static_cast<double>(records)); });
    return best;
  }
  const PlanSpan span = span_of(unknown, question.request);
  if (serves(span.hard)) return best;
  if (serves(span.easy)) last_that_serves(unknown, span, serves);
  return best;
}

std::optional<std::uint64_t> papers_gaussian_records(const GaussianQuestion& question) {
  const GaussianRequest& request = question.request;
  const Privacy& budget = request.budget;
  const bool is_rho = budget.notion == Notion::kConcentrated;
  const bool bounded = request.covariance_bound > 1;
  if (!request.mean_bound || (bounded && !is_rho)) return std::nullopt;
  const auto m = static_cast<double>(request.outputs);
  const double alpha = question.strong ? question.alpha / m : question.alpha;
  if (!(alpha > 0 && alpha < 1)) return std::nullopt;
  const auto d = static_cast<double>(request.dimension);
  const WhitenedRecords records{request.dimension, *request.mean_bound, request.covariance_bound};
  const auto serves = [&](std::uint64_t records_needed) {
    const auto n = static_cast<double>(records_needed);
    const bool split = bounded || budget.notion == Notion::kPure;
    const double radius = paper_clip_radius_up(records, records_needed, split ? alpha / 2 : alpha);
    const double variance = 1 - 1 / n;
    if (bounded) {
      const double weight = 1 / n + std::sqrt(variance / n);
      const double added = alpha / 2 / std::sqrt(d / 8);
      return 2 * radius * radius * weight * weight / added <= budget.rho;
    }
    if (is_rho) return 2 * radius * radius / (n * (n - 1)) <= budget.rho;
    if (budget.delta > 0) {
      const double mu = 2 * radius / n / std::sqrt(variance);
      return mu <= 1000 && gaussian_delta_up(std::max(mu, 1e-6), budget.epsilon) <= budget.delta;
    }
    const double scale = 2 * radius / (budget.epsilon * n);
    return scale <= 1000 &&
           gaussian_laplace_total_variation(request.dimension, scale, 1) <= alpha / 2;
  };
  const std::optional<std::uint64_t> one = least_whole(2, kMostPlannedRecords, serves);
  if (!one || static_cast<double>(*one) * m > static_cast<double>(kMostPlannedRecords)) {
    return std::nullopt;
  }
  return *one * request.outputs;
}

double gaussian_records_lower_bound(const GaussianQuestion& question) {
  const GaussianRequest& request = question.request;
  double norm = request.mean_bound.value_or(std::numeric_limits<double>::infinity());
  for (const WhitenedRange& range : request.ranges) {
    norm = std::min(norm, 0.5 * (range.high - range.low));
  }
  if (std::isinf(norm)) return 0;
  const double joint =
      question.strong ? question.alpha : question.alpha * static_cast<double>(request.outputs);
  return std::ceil(gaussian_records_lower_bound(
      GaussianSamplingTask{request.dimension, norm, request.outputs, joint}, request.budget));
}

std::vector<CurvePoint> curve(const GaussianQuestion& question) {
  std::vector<CurvePoint> points;
  for (const std::uint64_t records :
       curve_records(question.request.records, question.request.outputs)) {
    GaussianRequest request = question.request;
    request.records = records;
    const std::optional<GaussianDesign> design = find_gaussian_design(request);
    points.push_back({records,
                      {design ? std::optional(alpha_of(*design, question.strong)) : std::nullopt},
                      design ? std::optional<std::size_t>(0) : std::nullopt});
  }
  return points;
}

}  // namespace mollify
