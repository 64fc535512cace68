#include "measures/grid.h"

#include <algorithm>
#include <cmath>

#include "base/refusal.h"

namespace mollify {

namespace {

void refuse_dimension(std::size_t dimension) {
  refuse_outside({.least = 1, .most = static_cast<double>(Grid::kMostDimensions)},
                 static_cast<double>(dimension), "dimension",
                 "a grid must have 1 to {} dimensions, but is given {}", Grid::kMostDimensions,
                 dimension);
}

void refuse_cells(std::size_t cells) {
  refuse_outside({.least = 1, .most = static_cast<double>(Grid::kMostCells)},
                 static_cast<double>(cells), "cells",
                 "a grid must have from 1 to {} cells, but is given {}", Grid::kMostCells, cells);
}

void refuse_edges(std::span<const double> edges, std::size_t axis) {
  refuse_if(edges.size() < 2, "wrong-shape", "edges",
            "axis {} of a grid must have at least 2 edges, but has {}", axis, edges.size());
  for (std::size_t j = 0; j < edges.size(); ++j) {
    if (std::isfinite(edges[j]) && (j == 0 || edges[j - 1] < edges[j])) continue;
    refuse_input("not-ascending", "edges",
                 "the edges of axis {} of a grid must be finite and ascending, but edge {} is {:g}",
                 axis, j, edges[j]);
  }
}

bool are_equally_spaced(std::span<const double> edges) {
  const double low = edges.front();
  const double high = edges.back();
  const double rounding = 4e-16 * std::max(std::abs(low), std::abs(high));
  for (std::size_t j = 0; j < edges.size(); ++j) {
    const double share = static_cast<double>(j) / static_cast<double>(edges.size() - 1);
    if (std::abs(edges[j] - (low * (1 - share) + high * share)) > rounding) return false;
  }
  return true;
}

}  // namespace

Grid::Grid(std::vector<std::vector<double>> edges) : edges_(std::move(edges)) {
  refuse_dimension(edges_.size());
  for (std::size_t axis = 0; axis < edges_.size(); ++axis) {
    refuse_edges(edges_[axis], axis);
    equal_width_.push_back(are_equally_spaced(edges_[axis]));
    refuse_cells(cells_along(axis));  // no product below can overflow
    cell_count_ *= cells_along(axis);
    refuse_cells(cell_count_);
  }
}

Box Grid::box() const {
  Box box;
  for (const std::vector<double>& edges : edges_) box.push_back({edges.front(), edges.back()});
  return box;
}

std::size_t Grid::cell_of(std::span<const double> point) const {
  std::size_t index = 0;
  for (std::size_t axis = 0; axis < edges_.size(); ++axis) {
    // The outermost edges are left out of the search: points beyond them are within.
    const auto first = edges_[axis].begin() + 1;
    const auto last = edges_[axis].end() - 1;
    const double x = std::isnan(point[axis]) ? edges_[axis].front() : point[axis];
    const auto along = std::upper_bound(first, last, x) - first;
    index = index * cells_along(axis) + static_cast<std::size_t>(along);
  }
  return index;
}

Box Grid::cell(std::size_t index) const {
  Box box(edges_.size());
  for (std::size_t axis = edges_.size(); axis-- > 0;) {
    const std::size_t along = index % cells_along(axis);
    index /= cells_along(axis);
    box[axis] = {edges_[axis][along], edges_[axis][along + 1]};
  }
  return box;
}

std::vector<double> Grid::cell_volumes() const {
  std::vector<double> volumes(cell_count_, 1.0);
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    for (const Interval& interval : cell(i)) volumes[i] *= interval.width();
  }
  return volumes;
}

std::size_t cells_along_each_axis(std::size_t cells, std::size_t dimension) {
  refuse_cells(cells);
  refuse_dimension(dimension);
  const auto fits = [&](std::size_t along) {
    std::size_t product = 1;
    for (std::size_t axis = 0; axis < dimension; ++axis) product *= along;
    return product <= cells;
  };
  auto along = static_cast<std::size_t>(
      std::llround(std::pow(static_cast<double>(cells), 1 / static_cast<double>(dimension))));
  while (!fits(along)) --along;  // the power is rounded
  return along;
}

std::vector<double> equal_width_edges(const Interval& interval, std::size_t cells) {
  refuse_cells(cells);
  refuse_if(!std::isfinite(interval.low) || !std::isfinite(interval.high) ||
                !(interval.low < interval.high) || !std::isfinite(interval.width()),
            "out-of-range", "axis", "a grid's axis must be a finite interval, but is [{:g}, {:g}]",
            interval.low, interval.high);
  std::vector<double> edges(cells + 1);
  for (std::size_t j = 0; j <= cells; ++j) {
    const double share = static_cast<double>(j) / static_cast<double>(cells);
    edges[j] = interval.low * (1 - share) + interval.high * share;
  }
  refuse_edges(edges, 0);
  return edges;
}

}  // namespace mollify
