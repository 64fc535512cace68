// Gaussian mixtures, summaries of mixed columns, histograms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scores/points.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What people compare two sets of records by: means, correlations and two-way marginals.

/// How values are distinguished in two-way marginals: levels as they are, numbers by where they lie
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

// -----------------------------------------------------------------------------------------------
// Gaussian mixtures fitted to mixed rows.

/// sum_k w_k N(x; m_k, S_k) prod_c pi_kc(l_c): each component is Gaussian in the p number columns
/// and has a probability for each level of each other column, independently (a latent class). Not
/// renormalised on [0, 1].
struct FittedMixture {
  /// Columns with more levels than this have as many groups of neighbouring levels instead, within
  /// which levels are equally likely.
  static constexpr std::uint32_t kMostLevelGroups = 1024;

  std::vector<MixedColumn> columns{};
  std::vector<double> weights{};                   ///< positive, summing to 1
  std::vector<std::vector<double>> means{};        ///< of each component, p numbers
  std::vector<std::vector<double>> covariances{};  ///< of each, p times p, positive definite
  /// Of each component and level column, all columns' groups after each other, positive.
  std::vector<std::vector<double>> level_probabilities{};
};

/// How a mixture is fitted.
struct MixtureFit {
  std::size_t components = 8;   ///< at least 1
  bool full_covariance = true;  ///< otherwise columns are independent inside a component
  std::size_t iterations = 30;
};

/// The mixture after a fixed number of steps of expectation and maximisation.
///
/// Start. Rows are split as Var-Part does: again and again the part with the greatest sum of
/// squares, at its mean in its column of greatest variance [Su, Dy 2007], levels counting as
/// numbers. Rows that cannot be split any more give fewer components.
///
/// Regularisation. Maximisation is a posteriori, with one row's worth of prior for each component:
/// the pooled variances, over components^(2/p), and the pooled level frequencies, both with one
/// more record spread evenly over the domain [Fraley, Raftery 2007]. So any rows have a fit, none,
/// one and constant ones included, and any values are read into range. Equal rows in equal order
/// give equal fits.
///
/// O(rows components p^2 iterations). Throws InvalidInput if there are to be no components.
[[nodiscard]] FittedMixture fit_gaussian_mixture(const MixedPoints& rows,
                                                 const MixtureFit& how = {});

/// The mixture's density at each point, finite. Requires that the points have the mixture's
/// columns, and `densities` an entry for each. O(points components p^2).
void mixture_densities(const FittedMixture& mixture, const MixedPoints& points,
                       std::span<float> densities);

/// Scores candidates by a mixture fitted to the rows.
class GaussianMixtureScorer final : public Scorer {
 public:
  /// Throws InvalidInput if there are to be no components.
  explicit GaussianMixtureScorer(const MixedPoints& candidates, const MixtureFit& how = {});

 private:
  void score_rows(const MixedPoints& rows, std::span<float> scores) const override;

  MixedPoints candidates_;
  MixtureFit how_;
};

// -----------------------------------------------------------------------------------------------
// Scores from a histogram of mixed rows.

/// Scores candidates by a histogram of the rows in all columns together, backed by the columns'
/// own histograms where no row has been.
///
/// Definition. Numbers are cut into ceil(1 / w) equal cells, at most 1024, of width
/// w = 3.49 sigma n^(-1/(p + 2)) with p number columns [Scott 1979, in p dimensions]; every level
/// is a cell. With D distinct cells among n rows,
///
///   f = (n joint + D independent) / (n + D),
///
/// where `joint` is the density of the histogram over all columns and `independent` the product of
/// the columns' densities, each with one more record spread evenly. D / (n + D) estimates the
/// chance of a cell not seen yet [Witten, Bell 1991]: in many
/// columns nearly every row has a cell of its own, and half of f is then `independent`.
///
/// O((rows + candidates) columns); cells are hashed, and two may count as one once in 2^64 pairs.
class HistogramScorer final : public Scorer {
 public:
  explicit HistogramScorer(const MixedPoints& candidates);

 private:
  void score_rows(const MixedPoints& rows, std::span<float> scores) const override;

  MixedPoints candidates_;
};

}  // namespace mollify
