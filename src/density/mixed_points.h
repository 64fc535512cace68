// Points whose columns are numbers, categories and ordered values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "density/points.h"

namespace mollify {

/// What a column's values mean.
enum class Scale {
  kNumber,    ///< a real number, scaled to [0, 1]
  kCategory,  ///< the index of a level; different levels are all equally far apart
  kOrdered,   ///< the index of a level; levels lie in their order, one apart
};

/// One column of mixed points. Public.
struct MixedColumn {
  Scale scale = Scale::kNumber;
  std::uint32_t levels = 0;  ///< of categories and ordered values, 1 to 2^24; 0 for numbers

  friend bool operator==(const MixedColumn&, const MixedColumn&) = default;
};

/// A value of a number column as everything here reads it: clamped to [0, 1]; NaN is 0.
[[nodiscard]] constexpr float number_in_range(float value) noexcept {
  if (!(value > 0.0F)) return 0.0F;
  return value < 1.0F ? value : 1.0F;
}

/// A value of a category or ordered column of `levels` levels as everything here reads it: the
/// level at or below it, clamped to {0, ..., levels - 1}; NaN is 0.
[[nodiscard]] constexpr std::uint32_t level_in_range(float value, std::uint32_t levels) noexcept {
  if (!(value >= 1.0F)) return 0;
  return value < static_cast<float>(levels) ? static_cast<std::uint32_t>(value) : levels - 1;
}

/// Points whose columns say what their values mean.
///
/// Whoever computes with values reads them through `number_in_range` and `level_in_range`.
/// Densities of mixed points are with respect to Lebesgue measure on [0, 1] for numbers times
/// counting measure for levels, unless said otherwise.
class MixedPoints : public Points {
 public:
  /// `size` points. Throws InvalidInput if a number column has levels, or another has none or more
  /// than 2^24, above which not every level is a float.
  MixedPoints(std::vector<MixedColumn> columns, std::size_t size);

  [[nodiscard]] std::span<const MixedColumn> columns() const noexcept { return columns_; }

 private:
  std::vector<MixedColumn> columns_;
};

}  // namespace mollify
