// Cells of a column put together, by noisy counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "methods/graphical/table_model.h"

namespace mollify {

/// A column of a table of marginals, as it is public.
struct MarginalColumn {
  std::uint32_t size = 1;
  bool ordered = false;  ///< whether neighbouring cells are alike
  /// Whether its cells are put together in private bins (private_bins.h), except these, ascending.
  bool private_bins = false;
  std::vector<std::uint32_t> apart{};
  /// Cells, ascending, that are released only where noise alone would hardly make their counts:
  /// nulls and missing codes, and private bins once they are found.
  std::vector<std::uint32_t> doubtful{};
  /// Its values follow from another column's by a rule of the domain, so it has one cell here, and
  /// nothing is asked about it.
  bool follows = false;

  friend bool operator==(const MarginalColumn&, const MarginalColumn&) = default;
};

/// Every cell by itself.
[[nodiscard]] CellGroups single_cells(std::size_t size);

/// Puts together what has counts below `least`, so that groups have more: runs of neighbours of an
/// ordered column, all such cells of another. Any counts, also negative ones and NaN.
[[nodiscard]] CellGroups merge_rare(std::span<const double> counts, bool ordered, double least);

/// At most `most` groups: of an ordered column runs of about equal counts, of another the most
/// frequent cells by themselves and all others together. most >= 1.
[[nodiscard]] CellGroups coarsen(std::span<const double> counts, bool ordered, std::uint32_t most);

/// At most `most[k]` groups of a column's cells, most ascending and at least 1, that are alike: `table` is what a model
/// says of the column and another one, row-major, with a row for each cell, positive. Runs of an ordered column are short
/// where rows change fast; a change is taken to go on around its place. O(cells^2 columns of the table).
[[nodiscard]] std::vector<CellGroups> alike_cells(std::span<const double> table, std::size_t cells,
                                                  bool ordered,
                                                  std::span<const std::uint32_t> most);

/// A map of cells to groups that is made for the cells of each class by themselves: `make` is given
/// their counts, and which share of all cells they are. Of an ordered column, neighbours of one class
/// are taken together, so that groups stay runs. Without classes it is `make` of all cells.
[[nodiscard]] CellGroups by_class(
    std::span<const double> counts, bool ordered, std::span<const std::uint32_t> classes,
    const std::function<CellGroups(std::span<const double>, double)>& make);

/// The mean of what each count is likely to be without its Gaussian noise. How many counts of each
/// size there are is found from all of them (EM), with a tenth as many of all sizes assumed before: so one great
/// count among empty cells stays great, and empty cells stay small. Positive. Requires a positive
/// deviation; NaN and infinities are taken for 0. O(counts).
[[nodiscard]] std::vector<double> without_noise(std::span<const double> counts, double deviation);

/// The counts of groups, added up.
[[nodiscard]] std::vector<double> grouped(std::span<const double> counts, const CellGroups& groups);

}  // namespace mollify
