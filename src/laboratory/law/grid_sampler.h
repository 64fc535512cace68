// The band sampler of a continuous space: a cell from the kernel, then a point of the cell.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernel/core/band.h"
#include "kernel/core/secure_random.h"
#include "kernel/core/table.h"
#include "laboratory/measure/grid.h"
#include "laboratory/measure/measure.h"
#include "space/seeded_random.h"

namespace mollify {

/// All that is public about releases on a grid, made once and shared by all clients.
///
/// Theorem (docs/theory/spaces.md). Let q be the law of GridRelease::draw. Its cell is drawn from a
/// table inside `band()`, so any event about cells has probabilities that differ by a factor of at
/// most e^epsilon between any two private inputs; the point is then drawn from the reference, given
/// the cell, without looking at the data. So a release is epsilon-LDP whatever the grid and
/// whatever the error of masses: as the cells shrink only its distance from the continuous optimum
/// falls.
class GridSampler {
 public:
  /// The band [b h, b e^epsilon h] on the cells of `grid`, b = `floor` (see band_floor.h).
  /// Cells of a reference mass below 2^-80 are counted as having that. Throws
  /// InvalidInput if the dimensions differ or no band fits.
  GridSampler(std::shared_ptr<const Measure> reference, Grid grid, double floor, double epsilon);

  [[nodiscard]] const Measure& reference() const { return *reference_; }
  [[nodiscard]] const Grid& grid() const { return grid_; }
  [[nodiscard]] const Band& band() const { return band_; }

  /// The mass that the reference has in a cell.
  [[nodiscard]] std::span<const double> reference_masses() const { return reference_masses_; }

 private:
  std::shared_ptr<const Measure> reference_;
  Grid grid_;
  std::vector<double> reference_masses_;
  Band band_;
};

/// One client's releases. Holds private data, and refers to its sampler, which must outlive it.
///
/// 16 bytes a cell; assign() again for the next client reuses them.
class GridRelease {
 public:
  /// Releases the reference until `assign` is called.
  explicit GridRelease(const GridSampler& sampler);
  explicit GridRelease(GridSampler&&) = delete;

  /// Projects P on the band. Throws InvalidInput if P has another dimension than the grid; no value
  /// of the density throws.
  void assign(const Measure& p);

  /// The same from masses, or any other scores, one for each cell.
  void assign(std::span<const double> cell_masses);

  /// Releases a point of d coordinates.
  void draw(SecureRandom& random, std::span<double> point) const;
  /// The same for analysis. NOT PRIVATE.
  void simulate(SeededRandom& random, std::span<double> point) const;

  /// P's cell masses, as assigned. NOT PRIVATE.
  [[nodiscard]] std::span<const double> masses() const { return masses_; }
  /// The law over cells. NOT PRIVATE.
  [[nodiscard]] const Table& table() const { return table_; }

  /// The density of the released point: the law of its cell, spread like the reference. Zero
  /// outside the grid. NOT PRIVATE.
  [[nodiscard]] double density(std::span<const double> point) const;

  /// The r of q = clip(P/r, b h, b e^epsilon h), as scale_of gives it. NOT PRIVATE.
  [[nodiscard]] double scale() const;

 private:
  const GridSampler* sampler_;
  std::vector<double> masses_;
  Table table_;
};

}  // namespace mollify
