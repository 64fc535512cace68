// Sums of clipped rows, in integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Sums of vectors that no record can move far, whatever it says.

/// The weighted sum, modulo 2^64, of vectors of doubles that are first made integer vectors of
/// Euclidean norm at most L. The doubles are untrusted: any at all.
///
/// Definition. Each double becomes the nearest integer (ties to even) after it has been brought to
/// [-2^40, 2^40]; NaN becomes 0. Let z be that vector of d integers. If |z|^2 > L^2, each z_j is
/// replaced by z_j L / c, cut towards zero, with c the least integer of c^2 >= |z|^2. The sum of
/// the w z is kept for public integer weights w.
///
/// Theorem (norm). |z|^2 <= L^2 in the end, for any doubles. Proof, in integers alone: an integer
/// from a double is below 2^51 in size because it is masked, whatever floating point did; all
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

// -----------------------------------------------------------------------------------------------
// Sums of first and second moments that no record can move far, whatever it says.

/// Means and second moments of vectors of doubles, together, in integers. The doubles are
/// untrusted: any at all.
///
/// Definition. ClippedSum::clip makes of a record's d doubles integers x with |x| <= L. With the
/// public integer b let z = (x, b) be of d + 1 coordinates. For all pairs i <= j of them but the
/// last with itself, row by row, the entry is the sum over the records, modulo 2^64, of
///
///     5 z_i z_j if i = j,    7 z_i z_j if i < j:
///
/// squares, products, and with b the coordinates themselves. d (d + 3) / 2 entries.
///
/// Theorem (joint sensitivity). Replacing one record by any other moves all entries together by at
/// most 5 sqrt(2) (L^2 + b^2) in Euclidean norm, before they are reduced. Proof. Let Z = z z^T and
/// Z' be the same of the other record. The entries move by 5 times the diagonal's difference and 7
/// times that of each pair i < j, whose squares are counted twice in the Frobenius norm and here
/// with 49 <= 2 * 25; the corner does not move. So the square is at most 25 |Z - Z'|^2 =
/// 25 (|z|^4 + |z'|^4 - 2 (z.z')^2) <= 50 (L^2 + b^2)^2, because (z.z')^2 >= 0 and |z|^2 <= L^2 +
/// b^2 (ClippedSum, norm). QED
///
/// 7/5 is nearly sqrt(2), with which one noise for all entries is spread alike in all directions of
/// the matrix. Noise for that sensitivity (DiscreteGaussian, EuclideanLaplace), added modulo 2^64,
/// protects every record: the reduced entries are a function of the exact ones.
///
/// O(d^2) for a record.
class ClippedMoments {
 public:
  static constexpr std::uint64_t kGreatestRadius = std::uint64_t{1} << 20;

  /// Throws InvalidInput unless d is from 1 to 1024 and L and b are from 1 to 2^20.
  ClippedMoments(std::size_t dimension, std::uint64_t radius, std::uint64_t offset);

  /// d (d + 3) / 2.
  [[nodiscard]] static constexpr std::size_t entry_count(std::size_t dimension) {
    return dimension * (dimension + 3) / 2;
  }
  /// The square of the theorem's bound, 50 (L^2 + b^2)^2: below 2^88.
  [[nodiscard]] static constexpr uint128 square_sensitivity(std::uint64_t radius,
                                                            std::uint64_t offset) {
    const auto square =
        static_cast<uint128>(radius) * radius + static_cast<uint128>(offset) * offset;
    return 50 * square * square;
  }

  /// Adds the record of the d scores. Throws InvalidInput for a span of another size.
  void add(std::span<const double> scores);
  /// Modulo 2^64, as signed integers, in the order above: (0, 0), (0, 1), ..., (0, d), (1, 1), ...
  [[nodiscard]] std::vector<std::int64_t> entries() const;

 private:
  ClippedSum clipper_;
  std::vector<std::uint64_t> point_;
  std::vector<std::uint64_t> products_;
};

}  // namespace mollify
