#include "boosting/resample.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

/// Which points the marks u, u + step, u + 2 step, ... fall on.
std::vector<std::size_t> marked(std::span<const double> weights, std::size_t count, double unit) {
  const auto counted = [](double weight) {
    return weight > 0 && std::isfinite(weight) ? weight : 0.0;
  };
  double sum = 0;
  for (const double weight : weights) sum += counted(weight);
  const bool alike = !(sum > 0) || !std::isfinite(sum);
  if (alike) sum = static_cast<double>(weights.size());

  std::vector<std::size_t> chosen(count);
  std::size_t point = 0;
  double through = alike ? 1 : counted(weights[0]);
  for (std::size_t j = 0; j < count; ++j) {
    const double mark = (static_cast<double>(j) + unit) / static_cast<double>(count) * sum;
    while (through <= mark && point + 1 < weights.size()) {
      ++point;
      through += alike ? 1 : counted(weights[point]);
    }
    chosen[j] = point;
  }
  return chosen;
}

}  // namespace

Points resampled(const Points& points, std::span<const double> weights, std::size_t count,
                 SeededRandom& random) {
  if (weights.size() != points.size()) {
    throw InvalidInput(fmt::format("resampling needs a weight for each of {} points, but has {}",
                                   points.size(), weights.size()));
  }
  const double unit = static_cast<double>(random.word() >> 11U) * 0x1p-53;
  if (points.size() == 0) return {points.dimension(), 0};
  const std::vector<std::size_t> chosen = marked(weights, count, unit);
  Points result(points.dimension(), count);
  for (std::size_t feature = 0; feature < points.dimension(); ++feature) {
    const auto from = points.values(feature);
    const auto to = result.values(feature);
    std::transform(chosen.begin(), chosen.end(), to.begin(),
                   [from](std::size_t i) { return from[i]; });
  }
  return result;
}

}  // namespace mollify
