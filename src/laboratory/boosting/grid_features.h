// A grid as classifiers read it.
#pragma once

#include "boosting/features.h"
#include "laboratory/measure/grid.h"

namespace mollify {

/// The middles of all cells of a grid, in the order of the cells.
[[nodiscard]] Features cell_centres(const Grid& grid);

}  // namespace mollify
