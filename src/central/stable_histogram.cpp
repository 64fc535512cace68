#include "central/stable_histogram.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "accounting/directed_rounding.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

double checked_epsilon(double epsilon) {
  if (!(epsilon >= 1e-6 && epsilon <= 100)) {
    throw InvalidInput(
        fmt::format("epsilon of a stable histogram must be from 1e-06 to 100, but is {}", epsilon));
  }
  return epsilon;
}

double checked_delta(double delta) {
  if (!(delta >= 1e-300 && delta <= 0.5)) {
    throw InvalidInput(
        fmt::format("delta of a stable histogram must be from 1e-300 to 0.5, but is {}", delta));
  }
  return delta;
}

/// T - 1 must be at least t ln(1 / (delta (1 + a))) and t ln(1 / (1 - a^2)).
std::int64_t least_threshold(double scale, double delta) {
  // What the three sums and differences of doubles below can lose, relatively.
  constexpr double kRounding = 0x1p-50;
  const double a_down = exp_down(-div_up(1, scale)), a_up = exp_up(-div_down(1, scale));
  const double tail = ln_up(div_up(1, delta)) - ln_down((1 + a_down) * (1 - kRounding));
  const double ratio = -ln_down((1 - mul_up(a_up, a_up)) * (1 - kRounding));
  const double logarithm = std::max(tail, ratio);
  const double distance = mul_up(scale, logarithm + std::abs(logarithm) * kRounding);
  return 1 + std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(distance)));
}

}  // namespace

StableHistogram::StableHistogram(double epsilon, double delta)
    : epsilon_(checked_epsilon(epsilon)),
      delta_(checked_delta(delta)),
      scale_(div_up(2, epsilon)),
      threshold_(least_threshold(scale_, delta)),
      noise_(DiscreteLaplace::at_least(scale_)) {}

std::vector<NoisyCount> StableHistogram::draw(std::span<const std::uint32_t> records,
                                              SecureRandom& random) const {
  std::vector<std::uint32_t> sorted(records.begin(), records.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<NoisyCount> released;
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin;
    while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
    const int128 count = static_cast<int128>(end - begin) + noise_.draw_exact(random);
    if (count >= threshold_) released.push_back({sorted[begin], count});
    begin = end;
  }
  return released;
}

}  // namespace mollify
