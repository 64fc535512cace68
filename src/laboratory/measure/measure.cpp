#include "laboratory/measure/measure.h"

#include <limits>

namespace mollify {

double Measure::class_bound() const { return std::numeric_limits<double>::infinity(); }

void Measure::cell_masses(const Grid& grid, std::span<double> masses) const {
  for (std::size_t i = 0; i < masses.size(); ++i) masses[i] = box_mass(grid.cell(i));
}

Grid equal_width_grid(const Measure& measure, std::size_t cells) {
  const std::size_t along = cells_along_each_axis(cells, measure.dimension());
  std::vector<std::vector<double>> edges;
  for (const Interval& interval : measure.central_box()) {
    edges.push_back(equal_width_edges(interval, along));
  }
  return Grid(std::move(edges));
}

Grid equal_mass_grid(const Measure& measure, std::size_t cells) {
  const std::size_t along = cells_along_each_axis(cells, measure.dimension());
  std::vector<std::vector<double>> edges;
  for (std::size_t axis = 0; axis < measure.dimension(); ++axis) {
    edges.push_back(measure.equal_mass_edges(axis, along));
  }
  return Grid(std::move(edges));
}

}  // namespace mollify
