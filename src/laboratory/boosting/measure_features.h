// Draws from a measure and cells of a grid as classifiers read them.
#pragma once

#include <cstddef>

#include "density/points.h"
#include "laboratory/measure/grid.h"
#include "laboratory/measure/measure.h"
#include "space/seeded_random.h"

namespace mollify {

/// `count` independent points of the measure, rounded to single precision: samples of a known P, a
/// pool for `boost` that is public by its seed, or what a normaliser is averaged over.
[[nodiscard]] Points measure_sample(const Measure& measure, std::size_t count,
                                    SeededRandom& random);

/// The middles of all cells of a grid, in the order of the cells.
[[nodiscard]] Points cell_centres(const Grid& grid);

}  // namespace mollify
