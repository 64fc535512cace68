#include "accounting/sampled_gaussian.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "accounting/directed_rounding.h"
#include "accounting/normal_bounds.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

constexpr double kMostSampledOrder = 512;

void require_mechanism(const SampledGaussian& mechanism) {
  if (!(mechanism.rate > 0 && mechanism.rate <= 1)) {
    throw InvalidInput(
        fmt::format("the sampling rate must be above 0 and at most 1, but is {}", mechanism.rate));
  }
  if (!(mechanism.deviation > 0) || !std::isfinite(mechanism.deviation)) {
    throw InvalidInput(fmt::format(
        "the deviation of the noise must be finite and positive, but is {}", mechanism.deviation));
  }
  if (mechanism.steps == 0) throw InvalidInput("there must be at least 1 step, but are 0");
}

/// power ln x, rounded up, for x between two bounds.
double power_ln_up(double power, double x_down, double x_up) {
  return power == 0 ? 0 : mul_up(power, power > 0 ? ln_up(x_up) : ln_down(x_down));
}

}  // namespace

double sampled_gaussian_renyi_up(const SampledGaussian& mechanism, double order) {
  require_mechanism(mechanism);
  if (!(order > 1 && order <= kMostSampledOrder)) {
    throw InvalidInput(fmt::format("the order must be above 1 and at most {}, but is {}",
                                   kMostSampledOrder, order));
  }
  const double rate = mechanism.rate;
  const double deviation = mechanism.deviation;
  const double steps = integer_up(mechanism.steps);
  if (rate == 1) return mul_up(steps, div_up(div_up(order / 2, deviation), deviation));
  const double rest_up = add_up(1, -rate);
  const double rest_down = -add_up(-1, rate);
  // Where both parts are about equal; any place gives a bound.
  const double place = 0.5 + deviation * (deviation * std::log((1 - rate) / rate));
  // ln (1 - q)^a q^b E[r^b on one side of the place], which is that side's mass under N(b, sigma^2)
  // times e^(b(b - 1)/(2 sigma^2)). Differences of the order and whole numbers are exact.
  const auto ln_moment_up = [&](double a, double b, double to_the_place) {
    const double growth = div_up(div_up(mul_up(b / 2, b - 1), deviation), deviation);
    if (std::isinf(growth)) return growth;
    const double weight = add_up(power_ln_up(a, rest_down, rest_up), power_ln_up(b, rate, rate));
    return add_up(add_up(weight, growth), ln_normal_cdf_up(div_up(to_the_place, deviation)));
  };
  double sum = 0;
  double chosen = 1;  // C(order, i)
  for (int k = 0; k <= static_cast<int>(std::ceil(order)); ++k) {
    const auto i = static_cast<double>(k);
    const double left = order - i;
    if (k > 0) chosen = div_up(mul_up(chosen, add_up(left, 1)), i);
    sum = add_up(sum, mul_up(chosen, exp_up(ln_moment_up(left, i, add_up(place, -i)))));
    sum = add_up(sum, mul_up(chosen, exp_up(ln_moment_up(i, left, add_up(left, -place)))));
  }
  return mul_up(steps, std::max(div_up(ln_up(sum), order - 1), 0.0));
}

double sampled_gaussian_epsilon_up(const SampledGaussian& mechanism, double delta) {
  require_mechanism(mechanism);
  if (!(delta > 0 && delta < 1)) {
    throw InvalidInput(fmt::format("delta must be above 0 and below 1, but is {}", delta));
  }
  double least = std::numeric_limits<double>::infinity();
  constexpr int kOrdersInADoubling = 32;
  for (int i = -20 * kOrdersInADoubling; i < 9 * kOrdersInADoubling; ++i) {
    const double a = 1 + std::exp2(static_cast<double>(i) / kOrdersInADoubling);
    const double divergence = sampled_gaussian_renyi_up(mechanism, a);
    if (!std::isfinite(divergence)) continue;
    // divergence + ln((a - 1)/a) + (ln(1/delta) - ln a)/(a - 1)
    const double logs = add_up(-ln_down(delta), -ln_down(a));
    const double epsilon = add_up(add_up(divergence, ln_up(div_up(a - 1, a))), div_up(logs, a - 1));
    least = std::min(least, std::max(epsilon, 0.0));
  }
  return least;
}

}  // namespace mollify
