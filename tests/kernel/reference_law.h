// The projection's law in long double, by bisection: slow, and of another make than the kernel's.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/band.h"

namespace mollify::test {

/// Real numerators clip(t w_i, lower_i, upper_i) that sum to the total; where the outcomes with a
/// score cannot hold what is left, they are at their upper bounds and the others share the rest in
/// proportion to their lower bounds (docs/theory/band.md). Scores as Table reads them.
template <class Score>
std::vector<long double> reference_law(const Band& band, std::span<const Score> scores) {
  const std::size_t count = scores.size();
  const auto total = static_cast<long double>(band.total());
  const bool infinite =
      std::any_of(scores.begin(), scores.end(), [](Score s) { return std::isinf(s) && s > 0; });
  std::vector<long double> weight(count), lower(count), upper(count), law(count);
  long double held = 0, floor_sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    lower[i] = static_cast<long double>(band.lower(i));
    upper[i] = static_cast<long double>(band.upper(i));
    const bool positive = scores[i] > 0;
    if (infinite) {
      weight[i] = positive && std::isinf(scores[i]) ? 1 : 0;
    } else {
      weight[i] = positive ? static_cast<long double>(scores[i]) : 0;
    }
    (weight[i] > 0 ? held : floor_sum) += weight[i] > 0 ? upper[i] : lower[i];
  }
  if (held + floor_sum <= total) {
    for (std::size_t i = 0; i < count; ++i) {
      law[i] = weight[i] > 0
                   ? upper[i]
                   : std::clamp(lower[i] * ((total - held) / floor_sum), lower[i], upper[i]);
      if (weight[i] == 0 && lower[i] == 0) law[i] = 0;
    }
    return law;
  }
  const auto fill = [&](long double t) {
    long double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      law[i] = std::clamp(weight[i] * t, lower[i], upper[i]);
      sum += law[i];
    }
    return sum;
  };
  long double below = -1200, above = 1200;  // of log2 t
  for (;;) {
    const long double middle = (below + above) / 2;
    if (middle == below || middle == above) break;
    (fill(std::exp2(middle)) < total ? below : above) = middle;
  }
  // The logarithm's last place is some of t's: the linear piece itself says the rest.
  long double t = std::exp2(below);
  const long double missing = total - fill(t);
  long double slope = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (weight[i] * t > lower[i] && weight[i] * t < upper[i]) slope += weight[i];
  }
  if (slope > 0) fill(t + missing / slope);
  return law;
}

/// The greatest of |n_i - law_i| / max(1e-9 law_i, 2): at most 1 where the law is met to 1e-9
/// relative or two parts of N, whichever is larger.
inline double worst_deviation(std::span<const std::uint64_t> numerators,
                              std::span<const long double> law) {
  long double worst = 0;
  for (std::size_t i = 0; i < law.size(); ++i) {
    const long double off = std::fabs(static_cast<long double>(numerators[i]) - law[i]);
    worst = std::max(worst, off / std::max(1e-9L * law[i], 2.0L));
  }
  return static_cast<double>(worst);
}

}  // namespace mollify::test
