#include "laboratory/boosting/measure_features.h"

#include <vector>

namespace mollify {

Points measure_sample(const Measure& measure, std::size_t count, SeededRandom& random) {
  Points points(measure.dimension(), count);
  std::vector<double> point(measure.dimension());
  for (std::size_t i = 0; i < count; ++i) {
    measure.simulate(random, point);
    for (std::size_t axis = 0; axis < point.size(); ++axis) {
      points.values(axis)[i] = static_cast<float>(point[axis]);
    }
  }
  return points;
}

Points cell_centres(const Grid& grid) {
  Points centres(grid.dimension(), grid.cell_count());
  // The last axis runs fastest: along an axis the same centre stands `run` times in a row.
  std::size_t run = grid.cell_count();
  for (std::size_t axis = 0; axis < grid.dimension(); ++axis) {
    const auto edges = grid.edges(axis);
    const std::size_t cells = grid.cells_along(axis);
    run /= cells;
    const auto values = centres.values(axis);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t cell = i / run % cells;
      values[i] = static_cast<float>(edges[cell] + (edges[cell + 1] - edges[cell]) / 2);
    }
  }
  return centres;
}

}  // namespace mollify
