#include <algorithm>
#include <cmath>

#include <boost/math/special_functions/beta.hpp>

#include "analysis/estimate.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Confidence interval.

namespace {

/// More than the inverse beta function's error, by far.
constexpr double kBeyondRounding = 1e-9;

double clopper_pearson_lower(std::uint64_t successes, std::uint64_t trials, double tail) {
  if (successes == 0) return 0;
  const auto s = static_cast<double>(successes);
  const auto n = static_cast<double>(trials);
  // Doubles are enough: their error is subtracted.
  using Doubles = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  return boost::math::ibeta_inv(s, n - s + 1, tail, Doubles()) * (1 - kBeyondRounding);
}

double lower_end(std::uint64_t successes, std::uint64_t trials, double tail) {
  const double hoeffding =
      (static_cast<double>(successes) - 1) / static_cast<double>(trials) * (1 - kBeyondRounding);
  return std::max(0.0, std::min(clopper_pearson_lower(successes, trials, tail), hoeffding));
}

}  // namespace

ConfidenceInterval binomial_interval(std::uint64_t successes, std::uint64_t trials, double alpha,
                                     std::uint64_t bad) {
  const auto fewer = [&](std::uint64_t count) { return count - std::min(count, bad); };
  return {lower_end(fewer(successes), trials, alpha / 2),
          1 - lower_end(fewer(trials - successes), trials, alpha / 2)};
}

double BoundedDraws::variance() const noexcept {
  if (count < 2) return 0;
  const auto n = static_cast<double>(count);
  return std::max(0.0, square_mean - mean * mean) * n / (n - 1);
}

ConfidenceInterval bernstein_interval(const BoundedDraws& draws, double alpha, std::uint64_t bad) {
  if (draws.count < 2) return {draws.least, draws.greatest};
  const auto n = static_cast<double>(draws.count);
  const auto replaced = static_cast<double>(std::min(bad, draws.count));
  const double range = draws.greatest - draws.least;
  const double logarithm = std::log(4 / alpha);
  const double deviation = std::sqrt(draws.variance()) + range * std::sqrt(replaced / (n - 1));
  const double width = deviation * std::sqrt(2 * logarithm / n) +
                       7 * range * logarithm / (3 * (n - 1)) + range * replaced / n;
  return {std::max(draws.least, draws.mean - width), std::min(draws.greatest, draws.mean + width)};
}

// -----------------------------------------------------------------------------------------------
// Bounds on the units' distributions from the records of a band.

namespace {

constexpr double kBoundOutward = 1e-9;

double upper_bound(double x, const EventEdges& inside, const EventEdges& outside, double e) {
  const double least = std::max(inside.lower, 1 - outside.upper);
  const double greatest = std::min(1 - outside.lower, inside.upper);
  const double full = std::min(greatest, std::max(least, inside.lower + inside.least_gap));
  if (x >= full || full <= least) return 1;
  const double above_edge = std::max(0.0, 1 - least - outside.lower) / (e - 1);
  const double f = std::min(1.0, least / (1 - outside.lower + above_edge));
  return f + (1 - f) * std::max(0.0, x - least) / (full - least);
}

}  // namespace

void EventEdges::add(const Band& band, std::size_t outcome) {
  const auto whole = static_cast<double>(band.total());
  const double low = static_cast<double>(band.lower(outcome)) / whole;
  const double high = static_cast<double>(band.upper(outcome)) / whole;
  lower += low;
  upper += high;
  least_gap = std::min(least_gap, high - low);
}

ConfidenceInterval band_bounds(const ConfidenceInterval& law, const EventEdges& inside,
                               const EventEdges& outside, double e) {
  const double lower = 1 - upper_bound(1 - law.lower, outside, inside, e);
  const double upper = upper_bound(law.upper, inside, outside, e);
  return {std::max(0.0, lower - kBoundOutward), std::min(1.0, upper + kBoundOutward)};
}

double greatest_edge_ratio(const Band& band) {
  double greatest = 1;
  for (std::size_t i = 0; i < (band.is_uniform() ? 1 : band.outcome_count()); ++i) {
    if (band.lower(i) == 0) continue;
    greatest =
        std::max(greatest, static_cast<double>(band.upper(i)) / static_cast<double>(band.lower(i)));
  }
  return greatest;
}

}  // namespace mollify
