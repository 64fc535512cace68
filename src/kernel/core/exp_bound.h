// A rational number that is certainly at most e^epsilon: the only place where epsilon, a real
// number, becomes an integer inequality.
#pragma once

#include <cstdint>

#include "wide.h"

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "the kernel needs NaN and infinities to be what IEEE 754 says: compile without -ffast-math"
#endif

namespace mollify {

/// digits / 2^scale <= e^x < digits / 2^scale (1 + 2^-112), with 127 binary digits: found in
/// integers alone, so that every machine finds the same.
struct CutExp {
  uint128 digits;
  int scale;
};

/// Requires x from 1e-6 to 30. Proof beside the code.
[[nodiscard]] CutExp cut_exp(double x);

/// The public, immutable rational Ebar = mantissa / 2^shift with 1 < Ebar <= e^epsilon.
///
/// Definition. Ebar is the first 53 binary digits of cut_exp(epsilon) (1 - 2^-40).
///
/// Theorem. 1 < Ebar <= e^epsilon, and Ebar is the same on every machine. Proof. cut_exp is at most
/// e^epsilon, it and all that is done to its digits are integer arithmetic, and that only lowers
/// them. And e^1e-6 (1 - 2^-40) is above 1 by far more than what is cut. QED
/// tests/kernel/core/exp_bound.cpp compares with MPFR.
///
/// Range: epsilon from 1e-6 to 30. Below, 2^-40 would eat a visible part of the budget; above, the
/// table of 2^62 parts becomes coarse (docs/theory/band.md), so callers lower epsilon to 30 and say
/// so.
class ExpBound {
 public:
  static constexpr double kLeastEpsilon = 1e-6;
  static constexpr double kGreatestEpsilon = 30.0;

  /// Throws InvalidInput if epsilon is not a number in [1e-6, infinity). Above 30 it counts as 30,
  /// which `epsilon()` then says.
  explicit ExpBound(double epsilon);

  /// The epsilon that is guaranteed: the one asked for, or 30 if that is less.
  [[nodiscard]] double epsilon() const { return epsilon_; }

  /// Ebar as mantissa / 2^shift; mantissa < 2^53, and 0 < shift <= 52 because 1 < Ebar < 2^44.
  [[nodiscard]] std::uint64_t mantissa() const { return mantissa_; }
  [[nodiscard]] int shift() const { return shift_; }

  /// Ebar as a double, exactly.
  [[nodiscard]] double value() const;

  /// e^epsilon and e^epsilon - 1 as the nearest doubles to cut_exp, the same on every machine too.
  [[nodiscard]] double exponential() const { return exponential_; }
  [[nodiscard]] double exponential_less_one() const { return exponential_less_one_; }

  /// floor(x * Ebar), or `cap` if that is less. Exact for every x: the product is below 2^117.
  [[nodiscard]] std::uint64_t times_floor(std::uint64_t x, std::uint64_t cap) const {
    const uint128 product = (uint128{x} * mantissa_) >> shift_;
    return product < cap ? static_cast<std::uint64_t>(product) : cap;
  }

  /// Whether larger <= Ebar * smaller, decided in integers of 192 bits; for any two.
  [[nodiscard]] bool allows(uint128 larger, uint128 smaller) const {
    const uint128 low = uint128{static_cast<std::uint64_t>(smaller)} * mantissa_;
    const uint128 high = (smaller >> 64) * mantissa_ + (low >> 64);
    // floor(smaller * Ebar), unless that has more than 128 bits.
    const uint128 most = (high << (64 - shift_)) | (static_cast<std::uint64_t>(low) >> shift_);
    return larger <= most || high >> (64 + shift_) != 0;
  }

 private:
  double epsilon_;
  double exponential_;
  double exponential_less_one_;
  std::uint64_t mantissa_;
  int shift_;
};

}  // namespace mollify
