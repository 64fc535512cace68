// A model from noisy marginals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "methods/graphical/junction_tree.h"
#include "methods/graphical/model.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// From noisy marginals to a model.

/// Counts of the cells of a clique's table, each with noise of its own.
struct NoisyMarginal {
  Clique clique;
  std::vector<double> counts;  ///< row-major; may be negative; other values count as zero
  double deviation;            ///< the noise's standard deviation in each cell, finite, positive
  /// Where values were put together before they were counted: for each column of the clique each
  /// value's group, 0, 1, ..., ascending where the column is ordered; counts are then of the
  /// groups' cells. Empty: every value by itself.
  std::vector<std::vector<std::uint32_t>> groups{};
};

/// The defaults are the best found on a table of 20 190 rows and 14 columns at epsilon 1
/// (experiments/model_fit.cpp); twice or half of each changes total variation by a percent or
/// two.
struct FitOptions {
  /// lambda, positive: the weight, in rows, of uniform and independent columns; see fit.
  double shrinkage = 100;
  /// Which columns have an order that neighbouring values share their law by, such as bins of a
  /// number: one for each column, or none.
  std::vector<bool> ordered = {};
  /// beta, at least 0: how much more noise is suspected between neighbouring values; see fit.
  double smoothness = 1;
  /// Steps end when what is left of the gradient is, as a root mean square over all cells, below
  /// this share of the noise.
  double tolerance = 0.1;
  std::size_t most_steps = 200;
};

/// Where a fit ended, and the last steps to it: a fit of more measurements begins there.
struct FitState {
  struct Inside;
  std::shared_ptr<const Inside> inside;
};

/// The model p that minimises
///   sum over measurements c of e_c . K_c^-1 e_c / (2 deviation_c^2) - lambda H(p),
///   e_c = total M_c(p) - y_c, M_c the marginal on c, H the entropy in nats, K_c the
///   identity, or where columns are ordered K_c = 1 + beta L_c, L_c the Laplacian of the
///   graph that joins the cells of cliques of two and more columns that differ by one place
///   in one ordered column: what goes up and down from value to value weighs less as
///   evidence. For lambda towards 0 and beta = 0 it is the distribution of greatest entropy
///   among those that fit the measurements best [McKenna et al. 2019]; lambda > 0 keeps noise
///   from being fitted: exp(lambda H(p)) is, except for a constant, how likely lambda uniform
///   records have the shares p. Measurements of one clique are first joined by inverse
///   variance.
///
/// The minimum has the form of a GraphicalModel with one potential for each measured clique, and
/// the potentials minimise the strongly convex (docs/theory/graphical-models.md)
///   log Z(theta) - sum theta_c . y_c / total
///     + sum lambda deviation_c^2 / (2 total^2) theta_c . K_c theta_c,
/// which L-BFGS does here, in log space: every finite input has one model. Its optimality is
///   M_c(p) - y_c / total + lambda deviation_c^2 / total^2 K_c theta_c = 0.
///
/// `base`: a model q of the same sizes to be shrunk towards instead of the uniform one, which the
/// potentials multiply: lambda KL(p || q) represents -lambda H(p), as if lambda records of q had
/// been seen. If nothing was measured, p is q.
///
/// `state`: where a fit of other measurements of the same columns ended, to begin at, and then where this
/// one does; it changes time, and the result within the tolerance. Throws InvalidInput for
/// measurements that do not match `sizes`, a total that is not positive, and trees of more than
/// GraphicalModel::kMostCells. Each step takes O(cells of the junction tree).
[[nodiscard]] GraphicalModel fit(const ColumnSizes& sizes,
                                 const std::vector<NoisyMarginal>& measurements, double total,
                                 const FitOptions& options = {}, FitState* state = nullptr,
                                 const GraphicalModel* base = nullptr);

// -----------------------------------------------------------------------------------------------
// Columns joined by a Gaussian copula: from rank correlations to rows.

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
