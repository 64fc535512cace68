// Boxes in R^d, and grids of them: how a continuous space becomes finite.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace mollify {

/// The points from `low` to `high`; either end may be infinite.
struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  [[nodiscard]] double width() const { return high - low; }
  [[nodiscard]] bool contains(double x) const { return low <= x && x <= high; }
  [[nodiscard]] bool contains(const Interval& other) const {
    return low <= other.low && other.high <= high;
  }

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// One interval for each axis.
using Box = std::vector<Interval>;

/// The cells between given edges on one to three axes, numbered with the last axis fastest.
///
/// Definition. Axis a has edges e_0 < e_1 < ... < e_n, all finite; its cell j lies between e_j and
/// e_(j+1), the lower edge included. A cell of the grid is a cell on each axis. Points outside the
/// edges belong to the outermost cells, so that every point has one.
///
/// Only the index of a cell is ever drawn from private scores, and edges are public, so the grid
/// has no part in the guarantee (docs/theory/band.md): a coarse one costs accuracy alone.
class Grid {
 public:
  static constexpr std::size_t kMostDimensions = 3;
  static constexpr std::size_t kMostCells = std::size_t{1} << 24;

  /// One ascending list of at least two finite edges for each axis. Throws InvalidInput if there
  /// are not 1 to 3 axes, if edges are not finite and ascending, or beyond 2^24 cells.
  explicit Grid(std::vector<std::vector<double>> edges);

  [[nodiscard]] std::size_t dimension() const { return edges_.size(); }
  [[nodiscard]] std::size_t cell_count() const { return cell_count_; }
  [[nodiscard]] std::size_t cells_along(std::size_t axis) const { return edges_[axis].size() - 1; }
  [[nodiscard]] std::span<const double> edges(std::size_t axis) const { return edges_[axis]; }

  /// Whether the edges of an axis are at equal distances except for rounding.
  [[nodiscard]] bool is_equal_width(std::size_t axis) const { return equal_width_[axis]; }

  /// The box between the outermost edges.
  [[nodiscard]] Box box() const;

  /// The cell of a point of d coordinates. Total: infinities lie in outermost cells, NaN in the
  /// first of its axis. O(log n) an axis.
  [[nodiscard]] std::size_t cell_of(std::span<const double> point) const;

  /// The box of a cell, below cell_count().
  [[nodiscard]] Box cell(std::size_t index) const;

  /// The volume of each cell.
  [[nodiscard]] std::vector<double> cell_volumes() const;

 private:
  std::vector<std::vector<double>> edges_;
  std::vector<bool> equal_width_;
  std::size_t cell_count_ = 1;
};

/// The greatest number n with n^dimension <= cells: cells along each axis for `cells` in all.
/// Throws InvalidInput unless cells is from 1 to 2^24 and dimension from 1 to 3.
std::size_t cells_along_each_axis(std::size_t cells, std::size_t dimension);

/// `cells` + 1 edges at equal distances over a finite interval. Throws InvalidInput if the interval
/// is not finite, is empty, or is too narrow for this many doubles.
std::vector<double> equal_width_edges(const Interval& interval, std::size_t cells);

}  // namespace mollify
