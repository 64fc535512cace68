// Mixed points as features.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "density/mixed_points.h"
#include "density/points.h"

namespace mollify {

/// How mixed points become features, from their columns alone.
///
/// A number x is 2x - 1, level l of L ordered ones is 2l/(L-1) - 1: in [-1, 1]. A category of up to
/// 32 levels has one feature for each, 1 for its own level and 0 for the others; of more levels it
/// has the binary digits of its level, -1 or 1. Total, as number_in_range and level_in_range are.
class FeatureEncoding {
 public:
  explicit FeatureEncoding(std::span<const MixedColumn> columns);

  /// The number of features of a point.
  [[nodiscard]] std::size_t dimension() const noexcept { return dimension_; }

  /// The points' features, in their order. Requires points with the columns given. O(points
  /// dimension).
  [[nodiscard]] Points features(const MixedPoints& points) const;

  /// The features of as many points as asked for, at equal distances in the order of the points: so
  /// that what is learned from many rows and from few takes as long. Requires at least one point.
  [[nodiscard]] Points features(const MixedPoints& points, std::size_t count) const;

 private:
  std::vector<MixedColumn> columns_;
  std::size_t dimension_ = 0;
};

}  // namespace mollify
