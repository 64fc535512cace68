// A rational number that is certainly at most e^epsilon: the only place where epsilon, a real
// number, becomes an integer inequality.
#pragma once

#include <cstdint>

#include "wide.h"

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "the kernel needs NaN and infinities to be what IEEE 754 says: compile without -ffast-math"
#endif

namespace mollify {

/// The public, immutable rational Ebar = mantissa / 2^shift with 1 < Ebar <= e^epsilon.
///
/// Definition. Ebar is the double exp(epsilon) * (1 - 2^-40), read as the exact dyadic it is.
///
/// Theorem. If the C library's exp errs by at most 1 ulp (relative 2^-52), as every one in use
/// does, then 1 < Ebar <= e^epsilon. Proof. The product adds at most half an ulp, and the factor
/// takes 2^-40 away: some 2700 times the error of both. tests/kernel/core/exp_bound.cpp compares
/// with MPFR. And e^1e-6 (1 - 2^-40) is above 1 by far more than that error. QED
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
  std::uint64_t mantissa_;
  int shift_;
};

}  // namespace mollify
