#include "laboratory/boosting/metropolis_hastings.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <boost/random/normal_distribution.hpp>
#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

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
}

/// The stream as the standard's and Boost's distributions take it.
struct UniformBits {
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() { return random->word(); }

  SeededRandom* random;
};

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

void walk_metropolis_hastings(const LogDensity& target, std::size_t dimension,
                              const MetropolisHastingsSpec& spec, SeededRandom& random,
                              std::span<double> points) {
  if (!(spec.deviation > 0) || !std::isfinite(spec.deviation)) {
    throw InvalidInput(fmt::format(
        "the deviation of a proposal must be finite and positive, but is {}", spec.deviation));
  }
  const std::size_t walks = points.size() / dimension;
  UniformBits bits{&random};
  boost::random::normal_distribution<double> step(0, spec.deviation);
  std::vector<double> proposed(points.size());
  std::vector<double> log_present(walks);
  std::vector<double> log_proposed(walks);
  target(points, log_present);
  for (std::size_t i = 0; i < spec.steps; ++i) {
    for (std::size_t j = 0; j < points.size(); ++j) proposed[j] = points[j] + step(bits);
    target(proposed, log_proposed);
    for (std::size_t walk = 0; walk < walks; ++walk) {
      const double uniform = static_cast<double>((random.word() >> 11U) + 1) * 0x1p-53;
      // Written so that a walk that starts off the support moves on.
      if (std::log(uniform) > log_proposed[walk] - log_present[walk]) continue;
      for (std::size_t j = walk * dimension; j < (walk + 1) * dimension; ++j) {
        points[j] = proposed[j];
      }
      log_present[walk] = log_proposed[walk];
    }
  }
}

void simulate_metropolis_hastings(const BoostedDensity& density, const Measure& reference,
                                  const MetropolisHastingsSpec& spec, SeededRandom& random,
                                  std::span<double> points) {
  require_usable(density, reference, spec, points.size());
  const std::size_t dimension = reference.dimension();
  for (std::size_t i = 0; i < points.size(); i += dimension) {
    const auto place = points.subspan(i, dimension);
    if (spec.start.empty()) {
      reference.simulate(random, place);
    } else {
      std::copy(spec.start.begin(), spec.start.end(), place.begin());
    }
  }
  walk_metropolis_hastings(
      [&](std::span<const double> places, std::span<double> logs) {
        log_target(density, reference, places, logs);
      },
      dimension, spec, random, points);
}

}  // namespace mollify
