#include "laboratory/boosting/metropolis_hastings.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "laboratory/measure/gaussian_mixture.h"

namespace mollify {
namespace {

void require_usable(const BoostedDensity& density, const Measure& reference,
                    const MetropolisHastingsSpec& spec, std::size_t coordinates) {
  const std::size_t dimension = reference.dimension();
  if (density.dimension() != dimension || coordinates % dimension != 0 ||
      (!spec.start.empty() && spec.start.size() != dimension)) {
    throw InvalidInput(
        fmt::format("the reference, the density, the start and the points must have the same "
                    "dimension, but have {}, {}, {} and {} coordinates",
                    dimension, density.dimension(), spec.start.size(), coordinates));
  }
  if (!(spec.deviation > 0) || !std::isfinite(spec.deviation)) {
    throw InvalidInput(fmt::format(
        "the deviation of a proposal must be finite and positive, but is {}", spec.deviation));
  }
}

/// Writes log Q_T of each point, up to a constant; minus infinity off the reference's support.
void log_target(const BoostedDensity& density, const Measure& reference,
                std::span<const double> points, std::span<double> logs) {
  const std::size_t dimension = reference.dimension();
  Points features(dimension, logs.size());
  for (std::size_t axis = 0; axis < dimension; ++axis) {
    const auto values = features.values(axis);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(points[i * dimension + axis]);
    }
  }
  density.log_ratio(features, logs);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    logs[i] += std::log(reference.density(points.subspan(i * dimension, dimension)));
  }
}

}  // namespace

void simulate_metropolis_hastings(const BoostedDensity& density, const Measure& reference,
                                  const MetropolisHastingsSpec& spec, SeededRandom& random,
                                  std::span<double> points) {
  require_usable(density, reference, spec, points.size());
  const std::size_t dimension = reference.dimension();
  const std::size_t walks = points.size() / dimension;
  const auto of_walk = [dimension](auto&& coordinates, std::size_t walk) {
    return std::span(coordinates).subspan(walk * dimension, dimension);
  };
  for (std::size_t walk = 0; walk < walks; ++walk) {
    const auto place = of_walk(points, walk);
    if (spec.start.empty()) {
      reference.simulate(random, place);
    } else {
      std::copy(spec.start.begin(), spec.start.end(), place.begin());
    }
  }
  const GaussianMixture step(
      single_gaussian(std::vector<double>(dimension), spec.deviation * spec.deviation));
  std::vector<double> proposed(points.size());
  std::vector<double> log_present(walks);
  std::vector<double> log_proposed(walks);
  log_target(density, reference, points, log_present);
  for (std::size_t i = 0; i < spec.steps; ++i) {
    for (std::size_t walk = 0; walk < walks; ++walk) {
      const auto place = of_walk(proposed, walk);
      step.simulate(random, place);
      const auto present = of_walk(points, walk);
      for (std::size_t axis = 0; axis < dimension; ++axis) place[axis] += present[axis];
    }
    log_target(density, reference, proposed, log_proposed);
    for (std::size_t walk = 0; walk < walks; ++walk) {
      const double uniform = static_cast<double>((random.word() >> 11U) + 1) * 0x1p-53;
      // Written so that a walk that starts off the support moves on.
      if (std::log(uniform) > log_proposed[walk] - log_present[walk]) continue;
      const auto place = of_walk(proposed, walk);
      std::copy(place.begin(), place.end(), of_walk(points, walk).begin());
      log_present[walk] = log_proposed[walk];
    }
  }
}

}  // namespace mollify
