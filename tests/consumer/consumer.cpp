// One private draw: a public band, private scores, an exact table.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <numeric>

#include "kernel/core/band.h"
#include "kernel/core/secure_random.h"
#include "kernel/core/table.h"
#include "kernel/search/band_spec.h"
#include "kernel/search/projection.h"

int main() {
  constexpr double kEpsilon = 1;
  constexpr std::size_t kOutcomes = 3;
  const double floor = kOutcomes / (std::exp(kEpsilon) + kOutcomes - 1);
  const mollify::Band band =
      mollify::make_band({.outcome_count = kOutcomes, .floor = floor, .epsilon = kEpsilon});

  const std::array<double, kOutcomes> scores = {0.7, 0.2, 0.1};
  const mollify::Table table = mollify::projected(band, scores);
  const auto numerators = table.numerators();
  const std::uint64_t sum = std::accumulate(numerators.begin(), numerators.end(), std::uint64_t{0});

  mollify::SecureRandom random;
  const std::size_t released = table.draw(random);
  std::cout << "released outcome " << released << " of " << kOutcomes << "\n";
  return sum == band.total() && released < kOutcomes ? 0 : 1;
}
