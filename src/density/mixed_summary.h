// What people compare two sets of records by: means, correlations and two-way marginals.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "density/mixed_points.h"

namespace mollify {

/// How values are told apart in two-way marginals: levels as they are, numbers by where they lie
/// between edges.
class MarginalCuts {
 public:
  static constexpr std::size_t kParts = 4;

  /// Numbers are cut at the quartiles of these points under these weights (all equal if empty), so
  /// that the parts are about equally frequent there; equal quartiles are one cut. Levels that no
  /// point has are cells as well. O(points log points) for each column of numbers.
  [[nodiscard]] static MarginalCuts quartiles_of(const MixedPoints& points,
                                                 std::span<const double> weights = {});

  /// The number of cells of a column.
  [[nodiscard]] std::size_t cells(std::size_t column) const noexcept { return cells_[column]; }
  /// The cell of a value; total.
  [[nodiscard]] std::size_t cell(std::size_t column, float value) const noexcept;

 private:
  std::vector<std::size_t> cells_;
  std::vector<std::vector<float>> edges_;  // empty for levels
};

/// Moments and two-way marginals of weighted mixed points. NOT PRIVATE if the points are private.
struct MixedSummary {
  std::vector<double> means;       ///< of each column; of levels, of their indices
  std::vector<double> deviations;  ///< standard deviations, with weights as masses
  /// Pearson's correlations, columns by columns; 0 where a column does not vary. Categories of more
  /// than two levels have no order, so no correlation: their entries are 0.
  std::vector<double> correlations;
  /// Of each pair of columns i < j in lexicographic order: masses, cell of i by cell of j.
  std::vector<std::vector<double>> pair_marginals;
};

/// The summary of points under weights, which are finite, not negative and not all zero; empty
/// weights are all equal. Requires points.size() > 0 and cuts made for the same columns.
/// O(points columns^2).
[[nodiscard]] MixedSummary summarise(const MixedPoints& points, const MarginalCuts& cuts,
                                     std::span<const double> weights = {});

/// How far one summary is from another.
struct SummaryDistance {
  double worst_mean = 0;  ///< greatest |difference of means| in units of the truth's deviation
  double worst_correlation = 0;  ///< greatest |difference of correlations|
  double mean_correlation = 0;   ///< the average over pairs
  double worst_pair = 0;         ///< greatest total variation between two-way marginals
  double mean_pair = 0;          ///< the average over pairs
};

/// Columns in which the truth does not vary are left out of `worst_mean`. Both summaries must be of
/// the same columns and cuts.
[[nodiscard]] SummaryDistance summary_distance(const MixedSummary& truth,
                                               const MixedSummary& other);

}  // namespace mollify
