#include "boosted_draws.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "accounting/nearest_name.h"
#include "kernel/core/band.h"
#include "kernel/core/table.h"
#include "kernel/search/band_spec.h"
#include "kernel/search/projection.h"
#include "laboratory/boosting/measure_features.h"
#include "laboratory/boosting/metropolis_hastings.h"
#include "laboratory/boosting/rejection_sampler.h"
#include "laboratory/measure/gaussian_mixture.h"
#include "local/band_floor.h"

namespace mollify::cli {
namespace {

constexpr const char* kRejection = "rejection";
constexpr const char* kCandidates = "candidates";
constexpr const char* kWalk = "metropolis-hastings";
constexpr std::size_t kListSize = 65'536;

void draw_by_rejection(const BoostedDensity& density,
                       const std::shared_ptr<const Measure>& reference, double epsilon,
                       SeededRandom& random, std::span<double> points) {
  const RejectionSampler sampler(reference, epsilon);
  const std::size_t dimension = reference->dimension();
  for (std::size_t i = 0; i < points.size(); i += dimension) {
    sampler.simulate(density, random, points.subspan(i, dimension));
  }
}

void draw_from_candidates(const BoostedDensity& density, const Measure& reference, double epsilon,
                          SeededRandom& random, std::span<double> points) {
  const Points list = measure_sample(reference, kListSize, random);
  std::vector<float> scores(list.size());
  density.log_ratio(list, scores);
  for (float& score : scores) score = std::exp(score);
  const Band band = make_band({.outcome_count = kListSize,
                               .reference = {},
                               .floor = relative_floor(epsilon),
                               .epsilon = epsilon});
  const Table table = projected(band, scores);
  const std::size_t dimension = reference.dimension();
  for (std::size_t i = 0; i < points.size(); i += dimension) {
    const std::size_t chosen = table.outcome_at(random.below(band.total()));
    for (std::size_t axis = 0; axis < dimension; ++axis) {
      points[i + axis] = static_cast<double>(list.values(axis)[chosen]);
    }
  }
}

}  // namespace

void require_boosted_sampler(const std::string& sampler) {
  if (sampler == kRejection || sampler == kCandidates || sampler == kWalk) return;
  refuse_name("sampler", sampler, std::vector<std::string>{kRejection, kCandidates, kWalk});
}

void require_drawable(const std::string& sampler, const BoostingSpec& spec) {
  const double epsilon = spec.epsilon / static_cast<double>(std::max<std::size_t>(spec.outputs, 1));
  if (sampler == kRejection) {
    // K depends on epsilon alone, so any reference serves to ask.
    static_cast<void>(
        RejectionSampler(std::make_shared<GaussianMixture>(single_gaussian({0}, 1)), epsilon));
  }
}

std::vector<double> boosted_draws(const std::string& sampler, const BoostedDensity& density,
                                  const std::shared_ptr<const Measure>& reference,
                                  std::uint64_t count, std::uint64_t seed) {
  std::vector<double> points(static_cast<std::size_t>(count) * reference->dimension());
  SeededRandom random(seed);
  const double epsilon = density.spec().epsilon / static_cast<double>(density.spec().outputs);
  if (sampler == kRejection) {
    draw_by_rejection(density, reference, epsilon, random, points);
  } else if (sampler == kCandidates) {
    draw_from_candidates(density, *reference, epsilon, random, points);
  } else {
    simulate_metropolis_hastings(density, *reference, {}, random, points);
  }
  return points;
}

}  // namespace mollify::cli
