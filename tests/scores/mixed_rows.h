// Mixed points for tests.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include "scores/points.h"

namespace mollify::test {

/// Four numbers, three categories and one ordered column: a survey's table.
inline std::vector<MixedColumn> survey_columns() {
  return {{Scale::kNumber, 0}, {Scale::kCategory, 2}, {Scale::kNumber, 0},   {Scale::kOrdered, 10},
          {Scale::kNumber, 0}, {Scale::kCategory, 5}, {Scale::kCategory, 4}, {Scale::kNumber, 0}};
}

/// Independent and uniform.
inline MixedPoints uniform_points(const std::vector<MixedColumn>& columns, std::size_t size,
                                  std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  MixedPoints points(columns, size);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (float& value : points.values(c)) {
      const double u = unit(random);
      value = columns[c].scale == Scale::kNumber
                  ? static_cast<float>(u)
                  : static_cast<float>(std::floor(u * static_cast<double>(columns[c].levels)));
    }
  }
  return points;
}

/// `clusters` normal clusters of a standard deviation, each with a favourite level in each column.
inline MixedPoints clustered_points(const std::vector<MixedColumn>& columns, std::size_t size,
                                    std::size_t clusters, double deviation, std::uint64_t seed) {
  const MixedPoints centres = uniform_points(columns, clusters, seed);
  std::mt19937_64 random(seed + 1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0, 1);
  MixedPoints points = uniform_points(columns, size, seed + 2);
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t cluster = random() % clusters;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const float centre = centres.values(c)[cluster];
      float& value = points.values(c)[i];
      if (columns[c].scale == Scale::kNumber) {
        value = number_in_range(centre + static_cast<float>(deviation * normal(random)));
      } else if (unit(random) < 0.7) {
        value = centre;
      }
    }
  }
  return points;
}

/// Floats that nothing sensible would contain.
inline std::vector<float> hostile_floats() {
  using Limits = std::numeric_limits<float>;
  return {Limits::quiet_NaN(),
          Limits::infinity(),
          -Limits::infinity(),
          Limits::max(),
          Limits::lowest(),
          Limits::min(),
          Limits::denorm_min(),
          -0.0F,
          0.0F,
          0.5F,
          1.0F,
          16777216.0F};
}

/// Rows of such floats in every column.
inline MixedPoints hostile_points(const std::vector<MixedColumn>& columns, std::size_t size,
                                  std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::vector<float> floats = hostile_floats();
  MixedPoints points(columns, size);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (float& value : points.values(c)) value = floats[random() % floats.size()];
  }
  return points;
}

}  // namespace mollify::test
