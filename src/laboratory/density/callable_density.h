// A density given as a function, integrated over cells.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "laboratory/density/grid_density.h"

namespace mollify {

/// A density that can only be evaluated. Its cell masses come from cubature.
///
/// On each axis a cell is split at the kinks that lie inside it, and every piece takes a
/// Gauss-Legendre rule of 4 points: exact for polynomials of degree 7 in each coordinate, so its
/// error falls with the eighth power of a smooth piece's width. 4^d evaluations a piece. What the
/// function has outside a grid is counted to no cell. Where it is NaN or negative the kernel counts
/// the cell as empty.
class CallableDensity final : public GridDensity {
 public:
  using Function = std::function<double(std::span<const double>)>;

  /// `kinks` are, for each axis, the coordinates at which the density or one of its derivatives
  /// jumps, in any order; it may be empty. Throws InvalidInput if the box or the kinks do not have
  /// one entry for each axis.
  CallableDensity(Function function, Box box, std::vector<std::vector<double>> kinks = {});

  std::size_t dimension() const override { return box_.size(); }
  Box box() const override { return box_; }
  /// Zero outside the box.
  double density(std::span<const double> point) const override;
  void cell_masses(const Grid& grid, std::span<double> masses) const override;

 private:
  Function function_;
  Box box_;
  std::vector<std::vector<double>> kinks_;  // ascending; the box's finite ends are among them
};

}  // namespace mollify
