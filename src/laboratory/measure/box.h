// Axis-aligned boxes in R^d.
#pragma once

#include <limits>
#include <vector>

namespace mollify {

/// The points from `low` to `high`; either end may be infinite.
struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  double width() const { return high - low; }
  bool contains(double x) const { return low <= x && x <= high; }
  bool contains(const Interval& other) const { return low <= other.low && other.high <= high; }

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// One interval for each axis.
using Box = std::vector<Interval>;

}  // namespace mollify
