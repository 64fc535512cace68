// From noisy marginals to a model.
#pragma once

#include <cstddef>
#include <vector>

#include "graphical/clique.h"
#include "graphical/graphical_model.h"

namespace mollify {

/// Counts of the cells of a clique's table, each with noise of its own.
struct NoisyMarginal {
  Clique clique;
  std::vector<double> counts;  ///< row-major; may be negative; what is not finite counts as zero
  double deviation;            ///< the noise's standard deviation in each cell, finite, positive
};

struct FitOptions {
  /// lambda, positive: the weight, in rows, of uniform and independent columns; see fit.
  double shrinkage = 200;
  std::vector<bool> ordered;
  double smoothness = 0;
  /// Steps end when what is left of the gradient is, as a root mean square over all cells, below
  /// this share of the noise.
  double tolerance = 0.02;
  std::size_t most_steps = 200;
};

/// The number of rows that measurements tell of: the mean of their sums weighted by inverse
/// variance, at least one. Requires measurements that fit takes.
[[nodiscard]] double estimated_total(const std::vector<NoisyMarginal>& measurements);

/// The model p that minimises
///   sum over measurements c of |total M_c(p) - y_c|^2 / (2 deviation_c^2) - lambda H(p),
/// M_c the marginal on c, H the entropy in nats. For lambda towards 0 it is the distribution of
/// greatest entropy among those that fit the measurements best [McKenna et al. 2019]; lambda > 0
/// keeps noise from being fitted: exp(lambda H(p)) is, but for a constant, how likely lambda
/// uniform records have the shares p. Measurements of one clique are first joined by inverse
/// variance.
///
/// The minimum has the form of a GraphicalModel with one potential for each measured clique, and
/// the potentials minimise the strongly convex
///   log Z(theta) - sum theta_c . y_c / total + sum lambda deviation_c^2 |theta_c|^2 / (2 total^2),
/// which L-BFGS does here, in log space: every finite input has one model. Its optimality is
///   M_c(p) - y_c / total + lambda deviation_c^2 theta_c / total^2 = 0.
///
/// `start`: a model of the same sizes to begin at, such as that of fewer measurements; it changes
/// time, and the result within the tolerance. Throws InvalidInput for measurements that do not
/// match `sizes`, a total that is not positive, and trees of more than GraphicalModel::kMostCells.
/// Each step takes O(cells of the junction tree).
[[nodiscard]] GraphicalModel fit(const ColumnSizes& sizes,
                                 const std::vector<NoisyMarginal>& measurements, double total,
                                 const FitOptions& options = {},
                                 const GraphicalModel* start = nullptr);

}  // namespace mollify
