#include "central/gaussian_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "accounting/clip_probability.h"
#include "accounting/gaussian_composition.h"
#include "accounting/gaussian_lower_bound.h"
#include "accounting/radial_total_variation.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

using Notion = Privacy::Notion;

constexpr double kMostRecordsOfGaussians = 0x1p39;

void set(GaussianRequest& request, GaussianUnknown unknown, double value) {
  switch (unknown) {
    case GaussianUnknown::kRecords:
      request.records = static_cast<std::uint64_t>(value);
      break;
    case GaussianUnknown::kDimension:
      request.dimension = static_cast<std::size_t>(value);
      break;
    case GaussianUnknown::kEpsilon:
      request.budget = Privacy::approximate(value, request.budget.delta);
      break;
    case GaussianUnknown::kRho:
      request.budget = Privacy::concentrated(value);
      break;
    case GaussianUnknown::kDelta:
      request.budget = Privacy::approximate(request.budget.epsilon, value);
      break;
    case GaussianUnknown::kOutputs:
      request.outputs = static_cast<std::uint64_t>(value);
      break;
    case GaussianUnknown::kAlpha:
      break;
  }
}

/// Where a question stops to be served: `easy` is likeliest to be.
struct Span {
  double easy;
  double hard;
  bool whole;
};

Span span_of(GaussianUnknown unknown, const GaussianRequest& request) {
  switch (unknown) {
    case GaussianUnknown::kRecords:
      return {kMostRecordsOfGaussians, static_cast<double>(request.outputs), true};
    case GaussianUnknown::kDimension:
      return {1, 1024, true};
    case GaussianUnknown::kEpsilon:
      return {100, 1e-6, false};
    case GaussianUnknown::kRho:
      return {1000, 1e-12, false};
    case GaussianUnknown::kDelta:
      return {0.5, 1e-100, false};
    case GaussianUnknown::kOutputs:
    case GaussianUnknown::kAlpha:
      break;
  }
  return {1,
          std::min(static_cast<double>(request.records), static_cast<double>(kMostGaussianOutputs)),
          true};
}

/// The least n from 2 on with `serves`, which stays true once it is; none up to the limit.
template <class Serves>
std::optional<std::uint64_t> least_whole(const Serves& serves) {
  std::uint64_t high = 2;
  while (!serves(static_cast<double>(high))) {
    high *= 2;
    if (static_cast<double>(high) > kMostRecordsOfGaussians) return std::nullopt;
  }
  std::uint64_t low = high / 2;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (serves(static_cast<double>(middle)) ? high : low) = middle;
  }
  return high;
}

}  // namespace

std::string_view name_of(GaussianUnknown unknown) {
  switch (unknown) {
    case GaussianUnknown::kRecords:
      return "n";
    case GaussianUnknown::kDimension:
      return "dimension";
    case GaussianUnknown::kEpsilon:
      return "epsilon";
    case GaussianUnknown::kRho:
      return "rho";
    case GaussianUnknown::kDelta:
      return "delta";
    case GaussianUnknown::kOutputs:
      return "count";
    case GaussianUnknown::kAlpha:
      break;
  }
  return "alpha";
}

double alpha_of(const GaussianDesign& design, bool strong) {
  return strong ? design.strong_total_variation_up() : design.total_variation_up();
}

std::optional<GaussianDesign> plan_gaussian(GaussianUnknown unknown,
                                            const GaussianQuestion& question) {
  if (unknown == GaussianUnknown::kAlpha) return find_gaussian_design(question.request);
  if (!(question.alpha > 0 && question.alpha < 1)) {
    throw InvalidInput(fmt::format("alpha must be above 0 and below 1, but is {}", question.alpha));
  }
  std::optional<GaussianDesign> best;
  const auto serves = [&](double value) {
    GaussianRequest request = question.request;
    set(request, unknown, value);
    std::optional<GaussianDesign> design = find_gaussian_design(request);
    if (!design || alpha_of(*design, question.strong) > question.alpha) return false;
    best = std::move(design);
    return true;
  };
  Span span = span_of(unknown, question.request);
  if (unknown == GaussianUnknown::kRecords) {
    // From few records on: those searched last are near the answer, where designs are cheap.
    double few = span.hard;
    if (serves(few)) return best;
    double many = few;
    do {
      if (many == span.easy) return std::nullopt;
      few = many;
      many = std::min(2 * many, span.easy);
    } while (!serves(many));
    span = {many, few, true};
  } else {
    if (serves(span.hard)) return best;
    if (!serves(span.easy)) return std::nullopt;
  }
  while (span.whole ? std::abs(span.easy - span.hard) > 1
                    : std::abs(std::log(span.easy / span.hard)) > 1e-5) {
    const double middle = span.whole ? std::floor(0.5 * (span.easy + span.hard))
                                     : std::sqrt(span.easy) * std::sqrt(span.hard);
    (serves(middle) ? span.easy : span.hard) = middle;
  }
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
  const auto serves = [&](double n) {
    const bool split = bounded || budget.notion == Notion::kPure;
    const double radius =
        paper_clip_radius_up(records, static_cast<std::uint64_t>(n), split ? alpha / 2 : alpha);
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
  const std::optional<std::uint64_t> one = least_whole(serves);
  if (!one || static_cast<double>(*one) * m > kMostRecordsOfGaussians) return std::nullopt;
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

std::vector<GaussianCurvePoint> gaussian_curve(const GaussianQuestion& question) {
  std::vector<GaussianCurvePoint> curve;
  for (int power = -5; power <= 5; ++power) {
    const double records =
        std::round(std::ldexp(static_cast<double>(question.request.records), power));
    if (records < static_cast<double>(question.request.outputs) || records < 1 ||
        records > kMostRecordsOfGaussians) {
      continue;
    }
    GaussianRequest request = question.request;
    request.records = static_cast<std::uint64_t>(records);
    const std::optional<GaussianDesign> design = find_gaussian_design(request);
    curve.push_back({request.records,
                     design ? std::optional(alpha_of(*design, question.strong)) : std::nullopt});
  }
  return curve;
}

}  // namespace mollify
