// How the values of a cell share its rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "domain/domain.h"

namespace mollify {

/// A cell whose values are not equally likely. Its points lie in runs, and points of one run are
/// equally likely.
struct CellShape {
  std::uint32_t cell = 0;
  std::vector<std::uint64_t> ends{};  ///< one after each run's last point, ascending from above 0
  std::vector<double> sums{};         ///< the runs' shares, added up; the last one is positive

  /// Whether ends and sums are as above, and finite.
  [[nodiscard]] bool is_sound() const;
  /// The share of the points below this one. Requires a sound shape, as `draw` does.
  [[nodiscard]] double below(std::uint64_t point) const;
  /// One of the points from begin to end - 1, evenly if all of them have share 0. Requires
  /// begin < end <= ends.back().
  [[nodiscard]] std::uint64_t draw(std::uint64_t begin, std::uint64_t end,
                                   UniformIntegers random) const;
};

/// Shapes of cells of one column, by cells, ascending. Values of other cells are equally likely.
using ColumnShapes = std::vector<CellShape>;

/// The cell's shape; nullptr without one.
[[nodiscard]] const CellShape* shape_of(std::span<const CellShape> shapes, std::uint32_t cell);

/// One of the cell's points from begin to end - 1, by its shape if it has one. A single point takes
/// no random number.
[[nodiscard]] std::uint64_t draw_point(std::span<const CellShape> shapes, std::uint32_t cell,
                                       std::uint64_t begin, std::uint64_t end,
                                       UniformIntegers random);

}  // namespace mollify
