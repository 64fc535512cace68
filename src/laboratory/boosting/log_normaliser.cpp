#include "laboratory/boosting/log_normaliser.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "boosting/boosted_density.h"
#include "divergence/compensated_sum.h"
#include "kernel/core/invalid_input.h"
#include "laboratory/boosting/grid_law.h"

namespace mollify {
namespace {

double clamped(double value, const BoostedDensity& density) {
  const double bound = density.log_ratio_bound();
  return std::clamp(value, -bound, bound);
}

std::size_t power(std::size_t base, std::size_t exponent) {
  std::size_t result = 1;
  for (std::size_t i = 0; i < exponent; ++i) result *= base;
  return result;
}

/// The 2^-40 of mass outside the central box is taken to be like the rest.
double over_grid(const BoostedDensity& density, const Measure& reference, std::size_t cells_along) {
  const Grid grid = equal_width_grid(reference, power(cells_along, reference.dimension()));
  return clamped(law_on_grid(density, reference, grid).log_normaliser, density);
}

}  // namespace

LogNormaliser log_normaliser_by_cubature(const BoostedDensity& density, const Measure& reference,
                                         std::size_t cells) {
  if (reference.dimension() != density.dimension()) {
    throw InvalidInput(
        fmt::format("the reference must have the density's {} dimensions, but has {}",
                    density.dimension(), reference.dimension()));
  }
  const std::size_t along = cells_along_each_axis(cells, reference.dimension());
  if (along < 4) {
    throw InvalidInput(
        fmt::format("cubature needs at least 4 cells along each axis, but has {}", along));
  }
  const double value = over_grid(density, reference, along);
  return {.value = value,
          .error = std::abs(value - over_grid(density, reference, along / 2)),
          .method = LogNormaliser::Method::kCubature,
          .points = power(along, reference.dimension())};
}

LogNormaliser log_normaliser_by_sampling(const BoostedDensity& density,
                                         const Points& reference_draws) {
  const std::size_t count = reference_draws.size();
  if (count < 2) {
    throw InvalidInput(
        fmt::format("a normaliser needs at least 2 draws from the reference, but has {}", count));
  }
  std::vector<double> ratios(count);
  density.log_ratio(reference_draws, ratios);
  CompensatedSum sum;
  const double bound = density.log_ratio_bound();
  for (double& ratio : ratios) {
    ratio = std::exp(ratio - bound);
    sum += ratio;
  }
  const double n = static_cast<double>(count);
  const double mean = sum.value() / n;
  CompensatedSum squares;
  for (const double ratio : ratios) squares += (ratio - mean) * (ratio - mean);
  return {.value = clamped(bound + std::log(mean), density),
          .error = std::sqrt(squares.value() / (n - 1) / n) / mean,
          .method = LogNormaliser::Method::kImportanceSampling,
          .points = count};
}

}  // namespace mollify
