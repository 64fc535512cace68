#include "mollify/accounting/gaussian_composition.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <fmt/format.h>

#include "mollify/accounting/directed_rounding.h"
#include "mollify/kernel/invalid_input.h"

namespace mollify {

namespace {

using Precise = boost::multiprecision::cpp_bin_float_50;

void require_range(const char* name, double value, double least, double greatest) {
  if (!(value >= least && value <= greatest)) {
    throw InvalidInput(
        fmt::format("{} must be from {:g} to {:g}, but is {}", name, least, greatest, value));
  }
}

Precise normal_cdf(const Precise& x) {
  return boost::math::erfc(Precise(-x / sqrt(Precise(2)))) / 2;
}

}  // namespace

double mu_per_draw_down(double total, std::uint64_t releases) {
  if (!std::isfinite(total) || !(total > 0)) {
    throw InvalidInput(fmt::format("mu must be finite and positive, but is {:g}", total));
  }
  if (releases == 0) throw InvalidInput("the number of releases must be at least 1, but is 0");
  if (releases == 1) return total;
  // The conversion and the root are each within half a unit in the last place.
  const double infinity = std::numeric_limits<double>::infinity();
  const double count_up = std::nextafter(static_cast<double>(releases), infinity);
  return div_down(total, std::nextafter(std::sqrt(count_up), infinity));
}

double gaussian_delta_up(double mu, double epsilon) {
  require_range("mu", mu, 1e-6, 1000);
  require_range("epsilon", epsilon, 0, 1e6);
  const Precise half = Precise(mu) / 2;
  const Precise ratio = Precise(epsilon) / mu;
  const Precise first = normal_cdf(half - ratio);
  const Precise delta = first - exp(Precise(epsilon)) * normal_cdf(-half - ratio);
  // Both terms are within 10^−40 of themselves, the second no larger than the first; then one step
  // for the conversion to the nearest double.
  const auto nearest = static_cast<double>(delta + first * Precise(1e-35));
  return std::min(1.0, std::nextafter(std::max(nearest, 0.0), 2.0));
}

double gaussian_epsilon_up(double mu, double delta) {
  require_range("delta", delta, 0, 1);
  if (gaussian_delta_up(mu, 0.0) <= delta) return 0.0;
  double too_small = 0.0;
  double enough = 1.0;
  while (gaussian_delta_up(mu, enough) > delta) {
    too_small = enough;
    enough *= 2.0;
    if (enough > 1e6) return std::numeric_limits<double>::infinity();
  }
  for (int i = 0; i < 64; ++i) {
    const double middle = too_small + 0.5 * (enough - too_small);
    if (middle <= too_small || middle >= enough) break;
    (gaussian_delta_up(mu, middle) <= delta ? enough : too_small) = middle;
  }
  return enough;
}

}  // namespace mollify
