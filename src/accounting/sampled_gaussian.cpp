#include "accounting/sampled_gaussian.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "accounting/directed_rounding.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

constexpr std::uint64_t kMostSampledOrder = 512;

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

/// x^n, rounded up, for x in [0, 1].
double power_up(double x, std::uint64_t n) {
  return n == 0 ? 1 : exp_up(mul_up(static_cast<double>(n), ln_up(x)));
}

}  // namespace

double sampled_gaussian_renyi_up(const SampledGaussian& mechanism, std::uint64_t order) {
  require_mechanism(mechanism);
  require_between("the order", order, 2, kMostSampledOrder);
  const double rest = add_up(1, -mechanism.rate);
  double sum = 0;
  double chosen = 1;  // C(order, k)
  for (std::uint64_t k = 0; k <= order; ++k) {
    if (k > 0) {
      chosen = div_up(mul_up(chosen, static_cast<double>(order - k + 1)), static_cast<double>(k));
    }
    const double pairs = static_cast<double>(k * (k > 0 ? k - 1 : 0)) / 2;
    const double growth = exp_up(div_up(div_up(pairs, mechanism.deviation), mechanism.deviation));
    const double weight =
        mul_up(mul_up(chosen, power_up(rest, order - k)), power_up(mechanism.rate, k));
    // With rate 1 only the last term is there; 0 times infinity would spoil it.
    if (weight > 0) sum = add_up(sum, mul_up(weight, growth));
  }
  const double one_step = div_up(ln_up(sum), static_cast<double>(order - 1));
  return mul_up(integer_up(mechanism.steps), std::max(one_step, 0.0));
}

double sampled_gaussian_epsilon_up(const SampledGaussian& mechanism, double delta) {
  require_mechanism(mechanism);
  if (!(delta > 0 && delta < 1)) {
    throw InvalidInput(fmt::format("delta must be above 0 and below 1, but is {}", delta));
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::uint64_t order = 2; order <= kMostSampledOrder; ++order) {
    const double a = static_cast<double>(order);
    const double divergence = sampled_gaussian_renyi_up(mechanism, order);
    if (!std::isfinite(divergence)) continue;
    // divergence + ln((a - 1)/a) + (ln(1/delta) - ln a)/(a - 1)
    const double logs = add_up(-ln_down(delta), -ln_down(a));
    const double epsilon = add_up(add_up(divergence, ln_up(div_up(a - 1, a))), div_up(logs, a - 1));
    least = std::min(least, std::max(epsilon, 0.0));
  }
  return least;
}

}  // namespace mollify
