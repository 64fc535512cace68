// Rows whose pairs of columns have the model's counts.
#pragma once

#include "graphical/graphical_model.h"

namespace mollify {

/// Changes rows of the model, value by value, until their counts of all pairs of columns are near
/// those that the model expects of so many rows.
///
/// Each pair's expected counts are rounded to integers at random first, so that rare values are not
/// rounded away. Then each value is drawn anew from the model's law given the rest of its row,
/// which alone would leave rows as the model's; the draw is kept only if it lowers the sum over all
/// pairs' cells of (count - target)^2 / (target + 1). O(rows * columns * (columns + cliques)) a
/// sweep. Nothing is done where the tables of all pairs would not fit into
/// GraphicalModel::kMostCells.
void match_pairs(const GraphicalModel& model, const RandomWords& words, ModelRows& rows);

}  // namespace mollify
