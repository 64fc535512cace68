// A density on R^d that can say how its mass lies on a grid.
#pragma once

#include <cstddef>
#include <span>

#include "laboratory/measure/box.h"
#include "laboratory/measure/grid.h"

namespace mollify {

/// A private or public distribution on R^d, given by its density with respect to volume.
///
/// As a scorer of grids it needs no trust: a density that is wrong, does not sum to one, or is NaN
/// somewhere costs accuracy, never privacy.
class GridDensity {
 public:
  GridDensity() = default;
  GridDensity(const GridDensity&) = delete;
  GridDensity& operator=(const GridDensity&) = delete;
  virtual ~GridDensity() = default;

  virtual std::size_t dimension() const = 0;

  /// A box outside of which there is no mass; may be infinite.
  virtual Box box() const = 0;

  /// The density at a point of d coordinates.
  virtual double density(std::span<const double> point) const = 0;

  /// Fills `masses`, one for each cell of a grid of the same dimension.
  virtual void cell_masses(const Grid& grid, std::span<double> masses) const = 0;
};

}  // namespace mollify
