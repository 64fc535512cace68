// The tail of a column of numbers, from noisy counts of its outermost cells.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace mollify {

/// Neighbouring cells that are counted together: numbers low <= x < high.
struct CountedCells {
  double low;
  double high;
  double count;
  std::size_t cells = 1;  ///< noise of as many cells is in the count
};

/// Noise could make the sum of the last cells' counts, up to this number of them. The count before
/// them is more than noise, or their sum is with it. At most all cells, at least one.
[[nodiscard]] std::size_t hidden_cells(std::span<const CountedCells> cells, double deviation);

/// Rows beyond a number: how far they exceed it has a generalised Pareto distribution, as beyond
/// high thresholds of nearly all distributions [Pickands 1975]. Its shape is 1 / a for a tail that
/// falls like x^-a, and 0 for an exponential one.
class Tail {
 public:
  /// Requires from < bound, shape >= 0, scale > 0.
  Tail(double from, double bound, double shape, double scale, double rows)
      : from_(from), bound_(bound), shape_(shape), scale_(scale), rows_(rows) {}

  [[nodiscard]] double from() const { return from_; }
  [[nodiscard]] double shape() const { return shape_; }
  /// The rows between numbers. Requires from <= low <= high <= bound.
  [[nodiscard]] double between(double low, double high) const;
  /// The tail with as many rows.
  [[nodiscard]] Tail with_rows(double rows) const { return {from_, bound_, shape_, scale_, rows}; }

 private:
  [[nodiscard]] double beyond(double x) const;

  double from_;
  double bound_;
  double shape_;
  double scale_;
  double rows_;
};

/// The tail that the last cells show together: those that noise hides, and before them as many as
/// have several times the rows. The counts of all of them find it, and assumptions about its shape
/// and scale that few counts outweigh: it is the posterior mean of both. Post-processing.
///
/// Nothing if the last cells are no thinner than those before them, or have half of all rows, or if
/// the tail would begin below 0, from which tails run away, or before the cell `least`.
[[nodiscard]] std::optional<Tail> upper_tail(std::span<const CountedCells> cells, double deviation,
                                             std::size_t least = 0);

}  // namespace mollify
