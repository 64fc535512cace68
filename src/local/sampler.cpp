#include "local/sampler.h"

#include <numeric>
#include <vector>

namespace mollify {

void LocalSampler::draw_rows(std::span<const double> weights, SecureRandom& random,
                             std::span<std::uint32_t> released) const {
  const std::size_t k = outcome_count();
  std::vector<std::uint32_t> outcomes(k);
  std::iota(outcomes.begin(), outcomes.end(), std::uint32_t{0});
  for (std::size_t row = 0; row < released.size(); ++row) {
    draw({outcomes, weights.subspan(row * k, k)}, random, released.subspan(row, 1));
  }
}

void LocalSampler::draw_rows(std::span<const float> weights, SecureRandom& random,
                             std::span<std::uint32_t> released) const {
  const std::size_t k = outcome_count();
  std::vector<double> wide(k);
  for (std::size_t row = 0; row < released.size(); ++row) {
    const auto narrow = weights.subspan(row * k, k);
    wide.assign(narrow.begin(), narrow.end());
    draw_rows(std::span<const double>(wide), random, released.subspan(row, 1));
  }
}

}  // namespace mollify
