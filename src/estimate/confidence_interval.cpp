#include "estimate/confidence_interval.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/special_functions/beta.hpp>

namespace mollify {
namespace {

/// What the inverse beta function may be wrong by, and much more.
constexpr double kBeyondRounding = 1e-9;

double clopper_pearson_lower(std::uint64_t successes, std::uint64_t trials, double tail) {
  if (successes == 0) return 0;
  const auto s = static_cast<double>(successes);
  const auto n = static_cast<double>(trials);
  // Doubles are enough: what they are wrong by is taken off.
  using Doubles = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  return boost::math::ibeta_inv(s, n - s + 1, tail, Doubles()) * (1 - kBeyondRounding);
}

double lower_end(std::uint64_t successes, std::uint64_t trials, double tail) {
  const double hoeffding =
      (static_cast<double>(successes) - 1) / static_cast<double>(trials) * (1 - kBeyondRounding);
  return std::max(0.0, std::min(clopper_pearson_lower(successes, trials, tail), hoeffding));
}

}  // namespace

ConfidenceInterval binomial_interval(std::uint64_t successes, std::uint64_t trials, double alpha) {
  return {lower_end(successes, trials, alpha / 2),
          1 - lower_end(trials - successes, trials, alpha / 2)};
}

double BoundedDraws::variance() const noexcept {
  if (count < 2) return 0;
  const auto n = static_cast<double>(count);
  return std::max(0.0, square_mean - mean * mean) * n / (n - 1);
}

ConfidenceInterval bernstein_interval(const BoundedDraws& draws, double alpha) {
  if (draws.count < 2) return {draws.least, draws.greatest};
  const auto n = static_cast<double>(draws.count);
  const double logarithm = std::log(4 / alpha);
  const double width = std::sqrt(2 * draws.variance() * logarithm / n) +
                       7 * (draws.greatest - draws.least) * logarithm / (3 * (n - 1));
  return {std::max(draws.least, draws.mean - width), std::min(draws.greatest, draws.mean + width)};
}

}  // namespace mollify
