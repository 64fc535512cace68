// A density along an axis of numbers, from noisy counts of cells.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "domain/column.h"
#include "domain/shapes.h"

namespace mollify {

/// Where the numbers of a counted cell lie: low <= x < high. A cell by itself, such as a spike or a
/// null, says nothing about its neighbours, and has low = high.
struct AxisCell {
  double low = 0;
  double high = 0;

  [[nodiscard]] bool is_alone() const { return !(low < high); }
};

/// Of each counted cell of a column; empty for a column without numbers.
using ColumnAxis = std::vector<AxisCell>;

/// Of numbers, days and times that are neither a list of values nor a few single ones. Public.
/// Columns of private bins have none, because the search for bins says how these share their rows.
[[nodiscard]] ColumnAxis axis_of(const Column& column);
/// Also of the cells that private bins are made of.
[[nodiscard]] ColumnAxis axis_of_fine_cells(const Column& column);

/// Counts along an axis, even between its ends.
class Density {
 public:
  /// `below`: the counts below each end. Both ascend.
  Density(std::vector<double> ends, std::vector<double> below)
      : ends_(std::move(ends)), below_(std::move(below)) {}

  [[nodiscard]] double between(double low, double high) const { return up_to(high) - up_to(low); }
  /// The ends above low and below high.
  [[nodiscard]] std::span<const double> ends_between(double low, double high) const;

 private:
  [[nodiscard]] double up_to(double x) const;

  std::vector<double> ends_;
  std::vector<double> below_;
};

/// The likeliest density of noisy counts, if its logarithm has slopes that change little from
/// neighbour to neighbour: along the logarithm of a number's size where cells are wide, along the
/// cells where they are narrow. Cells of an end whose counts noise could make are one observation.
/// If each counted by itself, the tail would follow the greatest noise. If the counts show a tail of
/// numbers far from 0 (upper_tail), the density is the density of this tail.
///
/// The density jumps at an edge if a smooth one would make the counts of its sides unlikely: ages
/// of adults begin at 18, whatever a cell from 0 to 17 shows. Then neither side says anything about
/// the other.
///
/// Nothing for fewer than three cells, more than kMostCells, or counts that sum to noise alone.
/// Cells alone are left out. Post-processing of the counts. O(pieces 24^2) a step.
[[nodiscard]] std::optional<Density> smooth_density(const ColumnAxis& axis,
                                                    std::span<const double> counts,
                                                    double deviation);

/// A count and its cell's share of the density together, by their variances: most of a count that
/// noise does not hide, and most of the density where it does. Positive.
[[nodiscard]] double with_density(double count, double smooth, double deviation);

/// How the values of a column's cells share these expected counts: of each cell that holds many
/// values and is not even, by the density of all of them. No count changes. `noise`: the standard
/// deviation of the counts that these were made of, which may hide where the density jumps.
[[nodiscard]] ColumnShapes shapes_of(const Column& column, std::span<const double> counts,
                                     double noise);

}  // namespace mollify
