// Normal samples as learners read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "density/points.h"

namespace mollify::test {

/// Independent normal features with these means and deviations.
inline Points gaussian_features(std::size_t size, const std::vector<double>& means,
                                const std::vector<double>& deviations, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Points result(means.size(), size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t f = 0; f < means.size(); ++f) {
      result.values(f)[i] = static_cast<float>(means[f] + deviations[f] * normal(random));
    }
  }
  return result;
}

}  // namespace mollify::test
