#include "central/stable_histogram.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "accounting/directed_rounding.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

double checked_epsilon(double epsilon) {
  require_between("epsilon of a stable histogram", epsilon, 1e-6, 100);
  return epsilon;
}

double checked_delta(double delta) {
  require_between("delta of a stable histogram", delta, 1e-300, 0.5);
  return delta;
}

/// T - 1 must be at least t ln(1 / (delta (1 + a))) and t ln(1 / (1 - a^2)). Of both logarithms
/// machines find the same but for 2^-28: 1 - a^2 is 10^-6 at least, and a alike to 2^-50.
std::int64_t least_threshold(double scale, double delta) {
  // What the three sums and differences of doubles below can lose, relatively.
  constexpr double kRounding = 0x1p-50;
  const double a_down = exp_down(-div_up(1, scale)), a_up = exp_up(-div_down(1, scale));
  const double tail = ln_up(div_up(1, delta)) - ln_down((1 + a_down) * (1 - kRounding));
  const double ratio = -ln_down((1 - mul_up(a_up, a_up)) * (1 - kRounding));
  const double logarithm = std::max(tail, ratio);
  constexpr double kRoom = 0x1p-24;
  const double distance = mul_up(scale, logarithm + std::abs(logarithm) * kRounding + kRoom);
  return 1 + std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(distance)));
}

/// Whether the theorem allows it.
bool is_allowed(std::int64_t threshold, double scale, double delta) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53U;
  if (threshold < 2 || threshold > kMost) return false;
  const double a_down = exp_down(-div_up(1, scale)), a_up = exp_up(-div_down(1, scale));
  const double tail = exp_up(-div_down(static_cast<double>(threshold - 1), scale));
  return div_up(tail, std::nextafter(1 + a_down, 1)) <= delta &&
         tail <= -add_up(mul_up(a_up, a_up), -1);
}

}  // namespace

StableHistogram::StableHistogram(double epsilon, double delta)
    : epsilon_(checked_epsilon(epsilon)),
      delta_(checked_delta(delta)),
      scale_(div_up(2, epsilon)),
      threshold_(least_threshold(scale_, delta)),
      noise_(DiscreteLaplace::at_least(scale_)) {}

StableHistogram::StableHistogram(double epsilon, double delta, std::int64_t threshold)
    : StableHistogram(epsilon, delta) {
  if (!is_allowed(threshold, scale_, delta_)) {
    throw InvalidInput("the threshold of a stable histogram must keep its delta, but does not");
  }
  threshold_ = threshold;
}

std::vector<NoisyCount> StableHistogram::draw(const OutcomeHistogram& histogram,
                                              SecureRandom& random) const {
  std::vector<NoisyCount> released;
  for (std::size_t i = 0; i < histogram.keys.size(); ++i) {
    const int128 count = int128{histogram.counts[i]} + noise_.draw_exact(random);
    if (count >= threshold_) released.push_back({histogram.keys[i], count});
  }
  return released;
}

}  // namespace mollify
