// A model of public records, that one of private answers begins at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graphical/graphical_model.h"
#include "marginals/cell_groups.h"
#include "marginals/pair_counts.h"

namespace mollify {

/// How many records are counted: what the first column's cells add up to.
[[nodiscard]] double counted_records(const PairCounts& counts);

/// The model of greatest entropy, shrunk (graphical/fit.h), of the counts of all columns and of
/// those pairs whose mutual information stands out from that of independent columns by twice what
/// chance gives: most first, the tree of them [Chow, Liu 1968] before all others, each as long as
/// the junction tree has at most `most_cells` cells. Its values are `groups` of the counted cells;
/// `ordered` as in FitOptions. It is shrunk as if one uniform record stood beside `worth` of the
/// records (PublicWorth): what tells little of the table makes nothing in it impossible. Requires
/// counted records. O(columns^2 cells + columns^5).
[[nodiscard]] GraphicalModel public_model(const PairCounts& counts,
                                          const std::vector<CellGroups>& groups,
                                          const std::vector<bool>& ordered,
                                          std::uint64_t most_cells, double worth);

/// How many records of the table's own law public records are worth, by how far noisy answers are
/// from them: lambda records of shares q have shares of variance q (1 - q) / lambda, and so far
/// apart are table and public records but for the noise. At most as many as there are.
class PublicWorth {
 public:
  explicit PublicWorth(double records) : records_(records) {}

  /// Answers about cells of which public records have the shares q: noisy shares of the table, with
  /// noise of this standard deviation each. Answers that are no numbers tell nothing.
  void see(std::span<const double> q, std::span<const double> shares, double deviation);

  [[nodiscard]] double records() const;

 private:
  double records_;
  double expected_ = 0;  // the sum of q (1 - q)
  double seen_ = 0;      // the sum of squares of what is apart, less the noise's
};

}  // namespace mollify
