// Sums and functions that are rounded outward, and searches that end outward.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "core/random.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Elementary functions whose results are known to lie on one side of the truth.
//
// Each name says which side: x_up(…) ≥ x(…) ≥ x_down(…) in exact arithmetic, for every argument in
// the domain. Privacy parameters are reported through these, so that rounding never makes a
// statement stronger than its proof.
//
// Arithmetic (add, mul, div): IEEE 754 gives the nearest double; the sign of the error is found
// exactly with a fused multiply-add (for sums, by Knuth's two-sum), and the result is moved one
// step only if it is on the wrong side: the tightest bound there is. In the range where that error
// itself would underflow the result is always moved. Functions (exp, ln): the C library is assumed
// to be within 2 units in the last place for exp, log and log1p (glibc and musl state less than 1),
// and the result is moved outward by that many steps. The tests compare with MPFR. Rounding to
// nearest must be in force, and the file must not be compiled with -ffast-math.

/// If a C library's last digits decide, a design spends this share of its delta, so that a design
/// of one machine holds on any other: a delta of a Gaussian is a difference of two terms of at most
/// 2^26 times itself (mu >= 10^-6, delta >= 10^-300), which libraries as above find alike to 2^-47,
/// and so it to 2^-21.
inline constexpr double kRoomForRounding = 1 - 0x1p-20;

[[nodiscard]] double add_up(double a, double b);
[[nodiscard]] double mul_up(double a, double b);
[[nodiscard]] double div_up(double a, double b);
[[nodiscard]] double div_down(double a, double b);
[[nodiscard]] double sqrt_up(double x);    ///< of x >= 0
[[nodiscard]] double sqrt_down(double x);  ///< of x >= 0

/// An integer as a double not below, or not above it.
[[nodiscard]] double integer_up(std::uint64_t value);
[[nodiscard]] double integer_down(std::uint64_t value);

[[nodiscard]] double exp_up(double x);    ///< +∞ where e^x exceeds the doubles; never 0
[[nodiscard]] double exp_down(double x);  ///< never +∞ for finite x; may be 0
[[nodiscard]] double ln_up(double x);     ///< −∞ at 0; NaN below
[[nodiscard]] double ln_down(double x);   ///< −∞ at 0; NaN below

/// ln(numerator/denominator), rounded up: at least the truth and at most 6 units in the last place
/// above it (4 with a library within 1), also for ratios as near to one as 1 ± 2^−127. The realised
/// epsilon of a table is printed through this.
///
/// A numerator of zero gives −∞, a denominator of zero +∞ (both zero: +∞).
[[nodiscard]] double ln_ratio_up(uint128 numerator, uint128 denominator);

/// part / whole, rounded up and at most 1. Requires part <= whole and whole > 0.
[[nodiscard]] double share_up(uint128 part, uint128 whole);

// -----------------------------------------------------------------------------------------------
// Where a monotone function crosses a target, to within a last bracket.

/// Two arguments of a function with a target between its values.
struct Crossing {
  double at_most;  ///< value(at_most) <= target
  double above;    ///< value(above) > target
};

/// Narrows a crossing until `is_narrow` says that it is, or after 100 steps. Values are not
/// negative, perhaps infinite; if they cross several times the ends still are what they are called.
/// Secants of the logarithm; and the middle, while a value may be 0 or infinite, and where three
/// steps did not halve the way between the ends.
template <class Value, class IsNarrow>
[[nodiscard]] Crossing narrow(Crossing bracket, double target, const Value& value,
                              const IsNarrow& is_narrow) {
  constexpr double kLeastStep = 1e-10;  // relative
  const auto height = [target](double found) {
    return std::clamp(std::log(found / target), -700.0, 700.0);
  };
  double low = -700.0;
  double high = 700.0;
  double guess = bracket.above;
  std::array<double, 3> widths{HUGE_VAL, HUGE_VAL, HUGE_VAL};
  for (std::size_t i = 0; i < 100; ++i) {
    if (is_narrow(bracket)) break;
    const double width = bracket.above - bracket.at_most;
    const bool is_slow = std::abs(width) > 0.5 * std::exchange(widths[i % 3], std::abs(width));
    double x = std::midpoint(bracket.at_most, bracket.above);
    if (low > -700.0 && high < 700.0 && !is_slow) {
      const double part = std::clamp(-low / (high - low), 1e-5, 1.0 - 1e-5);
      const double before = std::exchange(guess, bracket.at_most + part * width);
      // A little past where the crossing seems to be, so that the farther end moves there.
      const double step = std::max(0.05 * std::abs(guess - before), kLeastStep * std::abs(guess));
      const double past = part < 0.5 ? step : -step;
      x = guess + std::copysign(std::min(std::abs(past), 0.3 * std::abs(width)), past * width);
    }
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

/// Until the ends are within 1e-9 of the larger one.
template <class Value>
[[nodiscard]] Crossing narrow(Crossing bracket, double target, const Value& value) {
  return narrow(bracket, target, value, [](const Crossing& now) {
    return std::abs(now.above - now.at_most) <=
           1e-9 * std::max(std::abs(now.above), std::abs(now.at_most));
  });
}

/// An argument that is good enough and one that is not; either may be the greater one.
struct Ends {
  double serves;
  double fails;
};

/// The most halvings, and the share of the greater end at which the ends are near enough. Halving
/// also ends if no double lies between them.
struct Halvings {
  int most = 100;
  double share = 0;
};

/// Halves the way between the ends. One stays good enough, and one not, also if `serves` changes
/// more than once.
template <class Serves>
[[nodiscard]] Ends halve(Ends ends, Halvings until, const Serves& serves) {
  for (int i = 0; i < until.most; ++i) {
    const double middle = (ends.serves + ends.fails) / 2;
    if (middle == ends.serves || middle == ends.fails) break;
    const auto [low, high] = std::minmax(ends.serves, ends.fails);
    if (!(high - low > until.share * high)) break;
    (serves(middle) ? ends.serves : ends.fails) = middle;
  }
  return ends;
}

/// Halves the ratio of positive ends, `fails` the lesser or the greater one, until it is at most
/// `ratio`. Returns the good end.
template <class Serves>
[[nodiscard]] double halve_ratio(Ends ends, double ratio, const Serves& serves) {
  while (std::max(ends.serves, ends.fails) > std::min(ends.serves, ends.fails) * ratio) {
    const double middle = std::sqrt(ends.serves * ends.fails);
    (serves(middle) ? ends.serves : ends.fails) = middle;
  }
  return ends.serves;
}

/// Halves the way between a whole number that is `good` and one that is `bad`, until they are
/// neighbours. Returns the good one.
template <class Serves>
[[nodiscard]] std::uint64_t halve_whole(std::uint64_t good, std::uint64_t bad,
                                        const Serves& serves) {
  for (;;) {
    const std::uint64_t low = std::min(good, bad);
    const std::uint64_t way = std::max(good, bad) - low;
    if (way <= 1) return good;
    (serves(low + way / 2) ? good : bad) = low + way / 2;
  }
}

/// The least n from `least` to `most` with `serves(n)`, which stays true once it is: doubling up to
/// one that does, then halving; none if `most` does not. 1 <= least <= most.
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
  return halve_whole(n, fails, serves);
}

}  // namespace mollify
