// The law of one release over public points, from a scorer's estimate.
#pragma once

#include <span>
#include <vector>

#include "density/mixed_points.h"
#include "density/scorer.h"
#include "kernel/core/band.h"
#include "kernel/core/table.h"

namespace mollify {

/// Writes what the kernel takes, p / h up to a factor: the scorer's estimate from `rows` at its
/// points, divided by `densities` (h at each; empty where h is the same at all) unless it is a
/// ratio already. Throws InvalidInput only for shapes, which are public: one score and one density
/// for each point.
void score_against_reference(const Scorer& scorer, const MixedPoints& rows,
                             std::span<const float> densities, std::span<float> scores);

/// The projection of p / h on a band over points drawn from h (candidates), or of p itself over the
/// cells of a grid, whose reference the band knows (docs/theory/spaces.md).
///
/// The scorer is free to be wrong: whatever it returns, `table` is inside the band, so draws from
/// it are epsilon-LDP (kernel/core/table.h). Remade for each unit without allocating; 12 bytes an
/// outcome. It holds private data and refers to its band, which must outlive it.
class ScoredTable {
 public:
  explicit ScoredTable(const Band& band);
  explicit ScoredTable(Band&&) = delete;

  /// Remakes the table from the estimate that a unit's rows give at the points that the scorer was
  /// made for, one for each outcome of the band; `densities` is h at each, or empty where h is the
  /// same at all. Without rows the table is the reference. Throws InvalidInput only if there is not
  /// one density for each outcome.
  void assign(const Scorer& scorer, const MixedPoints& rows, std::span<const float> densities = {});

  [[nodiscard]] const Table& table() const noexcept { return table_; }

 private:
  Table table_;
  std::vector<float> scores_;
};

}  // namespace mollify
