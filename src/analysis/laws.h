// Laws over the columns of a table, by their names, and their distances from each other. NOT
// PRIVATE.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "records/pair_counts.h"
#include "scores/points.h"

namespace mollify {

class Domain;

/// The shares of values below the quantiles of a law.
inline constexpr std::array kQuantiles = {0.05, 0.25, 0.5, 0.75, 0.95};

/// Of a law over numbers.
struct LawMoments {
  std::vector<double> means{}, deviations{};
  /// Pearson's, of each two columns; 0 where one of them does not vary.
  std::vector<double> correlations{};
  /// Of rows of equal weight alone.
  std::vector<std::array<double, kQuantiles.size()>> quantiles{};

  /// Columns by columns.
  [[nodiscard]] std::vector<double> correlation_matrix() const;
};

/// Requires a row at least; rows lie end to end.
[[nodiscard]] LawMoments moments_of_rows(std::span<const double> rows, std::size_t columns);

/// A law by its name, "truth", and its shares of the cells of two columns together, i < j, j's
/// running fastest; of one column where they are the same. If columns are numbers, moments too.
struct NamedLaw {
  const char* name;
  std::function<std::vector<double>(std::size_t i, std::size_t j)> shares;
  LawMoments moments{};
};

/// A law over all outcomes of a domain; both must outlive what is returned.
[[nodiscard]] NamedLaw law_over_outcomes(const char* name, const Domain& domain,
                                         std::span<const double> masses);
/// The shares of counts, which must outlive what is returned and have some weight.
[[nodiscard]] NamedLaw law_of_counts(const char* name, const PairCounts& counts);
/// The shares of rows, given by each column's cells, which are below its size. Empty weights are
/// all equal.
[[nodiscard]] NamedLaw law_of_cells(const char* name, std::vector<std::vector<std::uint32_t>> cells,
                                    std::vector<std::size_t> sizes,
                                    std::vector<double> weights = {});
/// Each column as it is under a law, and all of them independent.
[[nodiscard]] NamedLaw law_of_independent_columns(const char* name, const NamedLaw& law,
                                                  std::size_t columns);

/// Mixed points by a name, and a weight of each: finite, not negative, not all zero.
struct WeightedPoints {
  const char* name;
  const MixedPoints* points;
  std::vector<double> weights;
};
/// Laws of mixed points of the same columns, with moments in which levels count as their indices.
/// Cells are levels as they are, also those that no point has, and numbers between the quartiles of
/// the first points, so that these are about equally frequent there; equal quartiles are one cut.
/// Categories of more than two levels have no order, so their correlations are 0.
[[nodiscard]] std::vector<NamedLaw> laws_of_points(std::vector<WeightedPoints> all);

/// All pairs of columns i < j, in lexicographic order, as everything here lists them.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> pairs_of(std::size_t columns);

/// How far a law is from another, the truth.
struct LawDistances {
  std::vector<double> pairs{};  ///< total variation of each two columns together
  double mean_pair = 0;
  double worst_pair = 0;
  std::pair<std::size_t, std::size_t> worst_columns{0, 1};
  // Of moments: in the truth's deviations, without columns in which the truth does not vary; and
  // absolute differences.
  double worst_mean = 0;
  double mean_correlation = 0;
  double worst_correlation = 0;
};

struct ComparedLaws {
  std::vector<LawDistances> others{};  ///< of each law but the first
  double spread = 0;                   ///< of the first, on average over pairs: see chance_of
};

/// Of laws over these columns, the truth first.
[[nodiscard]] ComparedLaws compare_laws(std::size_t columns, std::span<const NamedLaw> laws);

/// The sum of the cells' standard deviations, for a draw.
[[nodiscard]] double spread_of(std::span<const double> shares);

/// The total variation, on average, of a sample from its law, which has this spread; or of two
/// samples from each other.
[[nodiscard]] double chance_of(double spread, double rows,
                               double other_rows = std::numeric_limits<double>::infinity());

}  // namespace mollify
