// The passes over a reference's masses that make a band's lower bounds, once for each instruction
// set. Chosen at run time: one binary serves every processor, and all give the same integers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/core/wide.h"

namespace mollify::detail {

/// What lower bounds follow from: total, floor, and whether a hair is added (band_spec.h).
struct LowerRule {
  double floor;
  double mass_sum;
  double total;
  bool is_generous;
};

struct BandLanes {
  /// The sum of masses, in sixteen parts; NaN unless each of them is positive and finite.
  double (*sum_of_floats)(const float* masses, std::size_t size);

  /// Writes the lower bounds, from 1 to 2^62, and returns their exact sum. A mass in double
  /// precision is divided by the sum, for certificates hash what comes of it; one in single
  /// precision is multiplied once, for a division binds, and is at most 2^-51 beside that.
  uint128 (*lowers_of_doubles)(const LowerRule&, const double* masses, std::size_t size,
                               std::uint64_t* lowers);
  uint128 (*lowers_of_floats)(const LowerRule&, const float* masses, std::size_t size,
                              std::uint64_t* lowers);

  static const BandLanes kBaseline, kAvx2, kAvx512;
};

}  // namespace mollify::detail
