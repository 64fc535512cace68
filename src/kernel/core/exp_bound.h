// A rational number that is certainly at most e^epsilon: the only place where epsilon, a real
// number, becomes an integer inequality.
#pragma once

#include <cstdint>

#include "wide.h"

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
    const Wide left = times(larger, std::uint64_t{1} << shift_);
    const Wide right = times(smaller, mantissa_);
    return left.high < right.high || (left.high == right.high && left.low <= right.low);
  }

 private:
  /// high * 2^64 + low.
  struct Wide {
    uint128 high;
    std::uint64_t low;
  };
  static Wide times(uint128 x, std::uint64_t factor) {
    const uint128 low = static_cast<uint128>(static_cast<std::uint64_t>(x)) * factor;
    return {(x >> 64) * factor + (low >> 64), static_cast<std::uint64_t>(low)};
  }

  double epsilon_;
  std::uint64_t mantissa_;
  int shift_;
};

}  // namespace mollify
