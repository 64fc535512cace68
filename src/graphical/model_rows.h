// Rows drawn from marginals on a junction tree.
#pragma once

#include <cstddef>

#include "graphical/belief_propagation.h"
#include "graphical/graphical_model.h"

namespace mollify {

/// Rows of the distribution with these marginals on the tree's nodes, which agree on separators:
/// each node's other columns are drawn given its separator's.
[[nodiscard]] ModelRows model_rows(const ColumnSizes& sizes, const JunctionTree& tree,
                                   const NodeTables& marginals, std::size_t count,
                                   const RandomWords& words, RowSampling sampling);

}  // namespace mollify
