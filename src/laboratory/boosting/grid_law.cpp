#include "laboratory/boosting/grid_law.h"

#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "divergence/compensated_sum.h"
#include "kernel/core/invalid_input.h"
#include "laboratory/boosting/measure_features.h"

namespace mollify {

GridLaw law_on_grid(const BoostedDensity& density, const Measure& reference, const Grid& grid) {
  if (reference.dimension() != grid.dimension()) {
    throw InvalidInput(fmt::format("the grid must have the reference's {} dimensions, but has {}",
                                   reference.dimension(), grid.dimension()));
  }
  const std::size_t cells = grid.cell_count();
  GridLaw law{.reference = std::vector<double>(cells),
              .boosted = std::vector<double>(cells),
              .log_normaliser = 0};
  reference.cell_masses(grid, law.reference);
  density.log_ratio(cell_centres(grid), law.boosted);
  const double bound = density.log_ratio_bound();
  CompensatedSum of_reference;
  CompensatedSum of_boosted;
  for (std::size_t i = 0; i < cells; ++i) {
    law.boosted[i] = law.reference[i] * std::exp(law.boosted[i] - bound);
    of_reference += law.reference[i];
    of_boosted += law.boosted[i];
  }
  for (std::size_t i = 0; i < cells; ++i) {
    law.reference[i] /= of_reference.value();
    law.boosted[i] /= of_boosted.value();
  }
  law.log_normaliser = bound + std::log(of_boosted.value() / of_reference.value());
  return law;
}

std::vector<unsigned char> cells_inside(const Grid& grid, const Box& box) {
  if (box.size() != grid.dimension()) {
    throw InvalidInput(fmt::format("a region must have the grid's {} dimensions, but has {}",
                                   grid.dimension(), box.size()));
  }
  std::vector<unsigned char> inside(grid.cell_count(), 1);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const Box cell = grid.cell(i);
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
      if (!box[axis].contains(cell[axis].low + cell[axis].width() / 2)) inside[i] = 0;
    }
  }
  return inside;
}

std::vector<double> cell_volumes(const Grid& grid) {
  std::vector<double> volumes(grid.cell_count(), 1.0);
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    for (const Interval& interval : grid.cell(i)) volumes[i] *= interval.width();
  }
  return volumes;
}

}  // namespace mollify
