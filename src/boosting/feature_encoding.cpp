#include "boosting/feature_encoding.h"

#include <bit>
#include <cstdint>

namespace mollify {
namespace {

constexpr std::uint32_t kMostIndicators = 32;

bool has_indicators(const MixedColumn& column) { return column.levels <= kMostIndicators; }

std::size_t features_of(const MixedColumn& column) {
  if (column.scale != Scale::kCategory) return 1;
  if (has_indicators(column)) return column.levels;
  return static_cast<std::size_t>(std::bit_width(column.levels - 1));
}

/// The place in [-1, 1] of a number or an ordered level.
float place_of(const MixedColumn& column, float value) {
  if (column.scale == Scale::kNumber) return 2.0F * number_in_range(value) - 1.0F;
  const auto level = static_cast<float>(level_in_range(value, column.levels));
  return column.levels == 1 ? 0.0F : 2.0F * level / static_cast<float>(column.levels - 1) - 1.0F;
}

}  // namespace

FeatureEncoding::FeatureEncoding(std::span<const MixedColumn> columns)
    : columns_(columns.begin(), columns.end()) {
  for (const MixedColumn& column : columns_) dimension_ += features_of(column);
}

Points FeatureEncoding::features(const MixedPoints& points) const {
  return features(points, points.size());
}

Points FeatureEncoding::features(const MixedPoints& points, std::size_t count) const {
  Points features(dimension_, count);
  std::size_t first = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const MixedColumn& column = columns_[c];
    const std::span<const float> values = points.values(c);
    for (std::size_t i = 0; i < count; ++i) {
      const float value = values[i * points.size() / count];
      if (column.scale != Scale::kCategory) {
        features.values(first)[i] = place_of(column, value);
        continue;
      }
      const std::uint32_t level = level_in_range(value, column.levels);
      for (std::size_t f = 0; f < features_of(column); ++f) {
        const bool is_set = has_indicators(column) ? level == f : ((level >> f) & 1U) != 0;
        features.values(first + f)[i] = is_set ? 1.0F : has_indicators(column) ? 0.0F : -1.0F;
      }
    }
    first += features_of(column);
  }
  return features;
}

}  // namespace mollify
