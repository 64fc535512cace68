// From the table over a clique to that over a part of its columns, and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphical/clique.h"

namespace mollify {

/// The map from the cells of a clique's table to the cells of a part's. Each pass takes time in the
/// cells of the whole. Tables are row-major, as cell_count says.
class Projection {
 public:
  /// Requires part to lie in whole, and both tables to be countable.
  Projection(const ColumnSizes& sizes, const Clique& whole, const Clique& part);

  [[nodiscard]] std::size_t whole_cells() const noexcept { return whole_cells_; }
  [[nodiscard]] std::size_t part_cells() const noexcept { return part_cells_; }

  /// part[j] = the sum of the cells of `whole` that map to j.
  void sum(const double* whole, double* part) const;
  /// part[j] = the greatest of the cells of `whole` that map to j.
  void greatest(const double* whole, double* part) const;
  /// whole[i] += part[j] for each cell i, which maps to j.
  void add(const double* part, double* whole) const;
  /// whole[i] *= part[j].
  void multiply(const double* part, double* whole) const;
  /// j for each cell i.
  [[nodiscard]] std::vector<std::uint32_t> targets() const;

 private:
  /// Neighbouring columns of the whole that are all kept, or all summed over.
  struct Axis {
    std::size_t extent;
    std::size_t stride;  // in the part; 0 if summed over
  };

  /// Calls kept(i, j, n) for runs of n cells that map to j, j + 1, ..., or dropped(i, j, n) for
  /// runs that all map to j; of the two always the same one.
  template <class Kept, class Dropped>
  void for_each_run(const Kept& kept, const Dropped& dropped) const;

  std::vector<Axis> outer_;
  Axis middle_{1, 0};
  Axis inner_{1, 0};
  std::size_t whole_cells_ = 1;
  std::size_t part_cells_ = 1;
};

}  // namespace mollify
