// Bins of a column that follow its data, from noisy counts of runs of cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "domain/densities.h"
#include "methods/marginals/counts.h"
#include "methods/marginals/design.h"
#include "methods/marginals/noisy_answers.h"

namespace mollify {

/// A column's private bins are runs of its fine cells. At each of kBinLevels levels every run that
/// is looked at is cut into kPartsOfRun parts of about equal width, and all parts of all runs are
/// counted with noise. The next level looks at those parts that have more than a small share of
/// the rows, and whose counts no noise would make. The first level looks at the runs that cells
/// which stay by themselves (MarginalColumn::apart) leave. Fine cells whose widths follow the size
/// of their numbers (dyadic_starts) make this a search over orders of magnitude.
constexpr std::size_t kBinLevels = 4;
constexpr std::uint32_t kPartsOfRun = 16;
/// A run is counted in this many bins at most.
constexpr std::uint32_t kBinsOfRun = 32;

/// A run of fine cells: first, and one after the last.
using CellRun = std::pair<std::uint32_t, std::uint32_t>;

/// The rest of a column without its cells that stay by themselves.
[[nodiscard]] std::vector<CellRun> runs_of(const MarginalColumn& column);

/// How many cells a release may count of a column: all, or its cells apart and its bins at most.
[[nodiscard]] std::uint32_t counted_cells(const MarginalColumn& column);

/// The cells of a column put together for counting, and how they share their groups.
struct FoundBins {
  CellGroups groups;
  /// Weights follow the noisy counts of the search. Inside a part that was not cut, the density
  /// changes in geometric steps towards its neighbours' densities, because tails and flanks are not
  /// even. In a group whose rows noise hides, the end next to seen rows has all weight. Each group
  /// has a positive sum.
  std::vector<double> weights;
};

/// Every cell by itself.
[[nodiscard]] FoundBins without_search(std::size_t size);
/// All cells together.
[[nodiscard]] FoundBins one_bin(std::size_t size);
/// Bins cut so that each has cells of one class.
[[nodiscard]] FoundBins cut_by_class(FoundBins bins, std::span<const std::uint32_t> classes);

/// The bins of a column. `answers` are about the counts of its fine cells, as of a table with this
/// column alone. Takes `parts_each` of the budget for each level. `axis`: the cells' numbers, or
/// nothing; with it the last cells' weights follow the tail that the search's counts show.
///
/// Theorem (privacy). It keeps what kBinLevels measurements of `parts_each` promise. Proof. It sees
/// the counts through `answers` alone (MarginalAnswers), asks for one measurement a level, and
/// which cells that puts together follows from the answers before. QED
[[nodiscard]] FoundBins find_bins(const MarginalColumn& column, MarginalAnswers& answers,
                                  const MarginalBudget& budget, std::uint32_t parts_each,
                                  const ColumnAxis& axis = {});

/// How the cells of each group share it: the public records, `reference` of each cell, and one more
/// record that is spread by the weights. The shares of a group add up to 1.
[[nodiscard]] std::vector<double> shares_inside(const FoundBins& bins,
                                                const std::vector<double>& reference);

}  // namespace mollify
