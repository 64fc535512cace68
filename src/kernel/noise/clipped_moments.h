// Sums of first and second moments that no record can move far, whatever it says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/core/wide.h"
#include "kernel/noise/clipped_sum.h"

namespace mollify {

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
