// Where a monotone function crosses a target, to within a last bracket.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace mollify {

/// Two arguments of a function with a target between its values.
struct Crossing {
  double at_most;  ///< value(at_most) <= target
  double above;    ///< value(above) > target
};

/// Narrows a crossing until `is_narrow` says that it is, or after 100 steps. Values are not
/// negative, perhaps infinite; if they cross several times the ends still are what they are called.
/// Secants of the logarithm, and every third time, or while a value may be 0 or infinite, the
/// middle.
template <class Value, class IsNarrow>
[[nodiscard]] Crossing narrow(Crossing bracket, double target, const Value& value,
                              const IsNarrow& is_narrow) {
  const auto height = [target](double found) {
    return std::clamp(std::log(found / target), -700.0, 700.0);
  };
  double low = -700.0;
  double high = 700.0;
  for (int i = 0; i < 100; ++i) {
    if (is_narrow(bracket)) break;
    const double width = bracket.above - bracket.at_most;
    const bool unknown = low <= -700.0 || high >= 700.0;
    double part = i % 3 == 2 || unknown ? 0.5 : -low / (high - low);
    // Stepping a little past where the crossing seems to be moves both ends.
    part = std::clamp(part + (i % 2 == 0 ? 1e-4 : -1e-4), 1e-5, 1.0 - 1e-5);
    const double x = bracket.at_most + part * width;
    const double found = value(x);
    if (found <= target) {
      bracket.at_most = x;
      low = height(found);
    } else {
      bracket.above = x;
      high = height(found);
    }
  }
  return bracket;
}

/// The same until the ends are within 1e-9 of the larger one.
template <class Value>
[[nodiscard]] Crossing narrow(Crossing bracket, double target, const Value& value) {
  return narrow(bracket, target, value, [](const Crossing& now) {
    return std::abs(now.above - now.at_most) <=
           1e-9 * std::max(std::abs(now.above), std::abs(now.at_most));
  });
}

/// The least n from `least` to `most` with `serves(n)`, which stays true once it is: doubling up to
/// one that serves, then halving; none if `most` does not. 1 <= least <= most.
template <class Serves>
[[nodiscard]] std::optional<std::uint64_t> least_whole(std::uint64_t least, std::uint64_t most,
                                                       const Serves& serves) {
  std::uint64_t fails = least - 1;
  std::uint64_t n = least;
  while (!serves(n)) {
    if (n == most) return std::nullopt;
    fails = n;
    n = n > most / 2 ? most : 2 * n;
  }
  while (n - fails > 1) {
    const std::uint64_t middle = fails + (n - fails) / 2;
    (serves(middle) ? n : fails) = middle;
  }
  return n;
}

}  // namespace mollify
