// Ratios of integers as doubles, rounded up.
#pragma once

#include <cmath>
#include <limits>

#include "accounting/directed_rounding.h"
#include "kernel/core/wide.h"

namespace mollify::detail {

/// part / whole, at least the truth and at most 1; part <= whole, whole > 0.
inline double share_up(uint128 part, uint128 whole) {
  if (part == 0) return 0;
  const double greater =
      std::nextafter(static_cast<double>(part), std::numeric_limits<double>::infinity());
  const double less = std::nextafter(static_cast<double>(whole), 0.0);
  return std::fmin(1, div_up(greater, less));
}

}  // namespace mollify::detail
