// Sums of vectors that no record can move far, whatever it says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/core/wide.h"

namespace mollify {

/// The weighted sum, modulo 2^64, of vectors of doubles that are first made integer vectors of
/// Euclidean norm at most L. The doubles are untrusted: any at all.
///
/// Definition. Each double becomes the nearest integer (ties to even) after it has been brought to
/// [-2^40, 2^40]; NaN becomes 0. Let z be that vector of d integers. If |z|^2 > L^2, each z_j is
/// replaced by z_j L / c, cut towards zero, with c the least integer of c^2 >= |z|^2. The sum of
/// the w z is kept for public integer weights w.
///
/// Theorem (norm). |z|^2 <= L^2 in the end, for any doubles. Proof, in integers alone: what comes
/// from a double is below 2^51 in size because it is masked to be, whatever floating point did; all
/// squares then sum to less than 2^122 without overflow. After clipping |z_j| <= |z_j| L / c
/// before, so |z|^2 is at most |z|^2 L^2 / c^2 <= L^2. QED
///
/// Theorem (sensitivity). Replacing one vector by any other changes the exact sum by w (z - z'),
/// whose norm is at most 2 L |w|. So noise for the sensitivity 2 L max|w| (EuclideanLaplace,
/// DiscreteGaussian), added modulo 2^64, protects every record: the reduced sum is a function of
/// the exact one. Rounding comes before clipping and costs no sensitivity.
///
/// O(d) for a vector: about a nanosecond a coordinate, and some 10 where the vector is clipped.
class ClippedSum {
 public:
  static constexpr std::size_t kGreatestDimension = std::size_t{1} << 20;
  static constexpr std::uint64_t kGreatestRadius = std::uint64_t{1} << 40;

  /// Throws InvalidInput unless d is from 1 to 2^20 and L from 1 to 2^40.
  ClippedSum(std::size_t dimension, std::uint64_t radius);

  [[nodiscard]] std::size_t dimension() const { return sum_.size(); }
  /// L.
  [[nodiscard]] std::uint64_t radius() const { return radius_; }

  /// Adds `weight` times the clipped vector of the d scores. A span of another size is the caller's
  /// mistake: throws InvalidInput.
  void add(std::span<const double> scores, std::int64_t weight = 1);
  /// Modulo 2^64, as signed integers.
  [[nodiscard]] std::span<const std::int64_t> sum() const { return sum_; }

  /// The clipped vector of the d scores itself. NOT PRIVATE.
  std::span<const std::int64_t> clip(std::span<const double> scores);

 private:
  void shrink(uint128 square);

  std::uint64_t radius_;
  unsigned coarse_bits_;        // s: L / 2^s < 2^20
  std::uint64_t coarse_limit_;  // floor(L^2 / 4^s)
  std::vector<std::int64_t> point_;
  std::vector<std::int64_t> sum_;
};

}  // namespace mollify
