// Columns joined by a Gaussian copula: from rank correlations to rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graphical/graphical_model.h"

namespace mollify {

/// The middle rank of each of a column's values, from -steps to steps: 2 (P(below) + P(value) / 2)
/// - 1 times steps, rounded. Shares of at least 0 that do not all vanish; steps >= 1.
[[nodiscard]] std::vector<std::int64_t> rank_scores(std::span<const double> shares,
                                                    std::uint64_t steps);

/// A column as a monotone step function of a standard normal Z: value v where Z lies between two
/// ends, with probability its share.
class CopulaColumn {
 public:
  explicit CopulaColumn(std::span<const double> shares);

  [[nodiscard]] std::uint32_t value_at(double z) const;

  /// The coefficients of the score of the value at Z by the normalised Hermite polynomials of Z. Of
  /// two columns with scores of coefficients a_k and b_k, whose normals have correlation r, the
  /// mean product is the sum of a_k b_k r^k (Mehler's formula).
  [[nodiscard]] std::vector<double> hermite(std::span<const std::int64_t> scores) const;

 private:
  std::vector<double> ends_;  // of all values but the last
};

/// The r of (-1, 1) at which that sum is `mean_product`; the nearest there is.
[[nodiscard]] double latent_correlation(std::span<const double> a, std::span<const double> b,
                                        double mean_product);

/// The symmetric matrix made positive definite by its eigenvalues, with ones on its diagonal; d x
/// d, row-major.
[[nodiscard]] std::vector<double> nearest_correlations(std::vector<double> matrix, std::size_t d);

/// Independent rows: normals of these correlations, brought to nearest_correlations, read as values
/// of columns with these shares. O(count d^2).
[[nodiscard]] ModelRows copula_rows(const std::vector<std::vector<double>>& shares,
                                    const std::vector<double>& correlations, std::size_t count,
                                    const RandomWords& words);

}  // namespace mollify
