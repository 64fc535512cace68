// A private coarse centre of rows of numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "accounting/privacy.h"
#include "central/centre_design.h"
#include "kernel/core/secure_random.h"

namespace mollify {

/// Takes whitened rows one block after the other, and finds their centre.
///
/// Each row is turned into one integer cell for each coordinate, a function of that row alone
/// (`cell_of`); all that follows reads these integers. With declared ranges each coordinate's
/// centre is the private median of its cells (PrivateMedian). Without, each row's cells, shifted at
/// random and cut to 2^coarse_bits, make one joint coarse cell; the most frequent one in a stable
/// histogram (StableHistogram) is the range for the medians.
///
/// Theorem (privacy). Whatever the rows are, `find` keeps design.guarantee for replacing one row:
/// docs/theory/coarse-centre.md. Utility: design.radius and design.failure_up.
///
/// 8 n d bytes; O(n log n) for each coordinate.
class CoarseCentre {
 public:
  /// Throws InvalidInput for a design that design_centre did not make.
  explicit CoarseCentre(CentreDesign design);

  [[nodiscard]] const CentreDesign& design() const { return design_; }
  [[nodiscard]] Privacy guarantee() const { return design_.guarantee; }

  /// floor(score / 2^cell_exponent), within -2^51 and 2^51; 0 for NaN. Any double.
  [[nodiscard]] static std::int64_t cell_of(double score, int cell_exponent);

  /// Whole rows, row-major: a multiple of d doubles, any doubles; at most 2^32 - 1 in all
  /// (InvalidInput otherwise). How many is public, and request.records if the utility is to hold.
  void add(std::span<const double> whitened_rows);

  /// The centre of what has been added, d whitened coordinates, all finite; total for any rows and
  /// any number of them, 0 included. Every call spends the whole budget anew.
  [[nodiscard]] std::vector<double> find(SecureRandom& random) const;

 private:
  CentreDesign design_;
  std::vector<std::vector<std::int64_t>> cells_;  // of each coordinate, in the order of the rows
};

}  // namespace mollify
