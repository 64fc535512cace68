// Gaussian mixtures and histograms of mixed rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scores/points.h"

namespace mollify {

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
