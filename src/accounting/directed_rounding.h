// Elementary functions whose results are known to lie on one side of the truth.
//
// Each name says which side: x_up(…) ≥ x(…) ≥ x_down(…) in exact arithmetic, for every argument in
// the domain. Privacy parameters are reported through these, so that rounding never makes a
// statement stronger than what was proved.
//
// Arithmetic (add, mul, div): IEEE 754 gives the nearest double; the sign of the error is found
// exactly with a fused multiply-add (for sums, by Knuth's two-sum), and the result is moved one
// step only if it is on the wrong side: the tightest bound there is. In the range where that error
// itself would underflow the result is always moved. Functions (exp, ln): the C library is assumed
// to be within 2 units in the last place for exp, log and log1p (glibc and musl state less than 1),
// and the result is moved outward by that many steps. The tests compare with MPFR. Rounding to
// nearest must be in force, and the file must not be compiled with -ffast-math.
#pragma once

#include <cstdint>

#include "kernel/core/wide.h"

namespace mollify {

/// Where a C library's last digits decide, a design spends this share of its delta, so that what is
/// designed on one machine is found to hold on any other: a delta of a Gaussian is a difference of
/// two terms of at most 2^26 times itself (mu >= 10^-6, delta >= 10^-300), which libraries as above
/// find alike to 2^-47, and so it to 2^-21.
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

}  // namespace mollify
