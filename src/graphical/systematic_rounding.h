// Integers that stand for masses.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace mollify {

/// counts[i] = the expected number count * masses[i] / sum of masses, rounded up or down, by
/// systematic sampling [Tillé 2006, 7.2]: whole numbers are counted along the sums of the expected
/// ones, from a start u in [0, 1). They sum to `count`, and have the expected numbers as means if u
/// is uniform. Requires masses of at least zero that do not all vanish, and as many counts.
inline void round_systematically(std::span<const double> masses, std::size_t count, double u,
                                 std::vector<std::size_t>& counts) {
  double sum = 0;
  for (const double mass : masses) sum += mass;
  double before = 0;
  std::size_t given = 0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    before += masses[i];  // in the end the sum itself, to the last bit
    const double place = u + static_cast<double>(count) * (before / sum);
    // u close to 1 is rounded to it beside a great count.
    const std::size_t next = std::min(count, static_cast<std::size_t>(std::floor(place)));
    counts[i] = next - given;
    given = next;
  }
}

}  // namespace mollify
