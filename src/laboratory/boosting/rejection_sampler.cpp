#include "laboratory/boosting/rejection_sampler.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

constexpr double kMostProposals = 0x1p20;

std::size_t proposals_for(double epsilon, double failure) {
  if (!(failure > 0) || !(failure < 1)) {
    throw InvalidInput(fmt::format(
        "the probability that no proposal is accepted must be above 0 and below 1, but is {}",
        failure));
  }
  if (!(epsilon > 0)) {
    throw InvalidInput(fmt::format("epsilon must be finite and positive, but is {}", epsilon));
  }
  const double least_acceptance = std::exp(-epsilon / 2);
  const double count = std::ceil(std::log(failure) / std::log1p(-least_acceptance));
  if (!(count <= kMostProposals)) {
    throw InvalidInput(
        fmt::format("rejection at epsilon = {} needs more than 1048576 proposals a point: choose a "
                    "smaller epsilon or candidates",
                    epsilon));
  }
  return static_cast<std::size_t>(std::max(count, 1.0));
}

void draw_one(const Measure& reference, SecureRandom& random, std::span<double> point) {
  reference.draw(random, point);
}
void draw_one(const Measure& reference, SeededRandom& random, std::span<double> point) {
  reference.simulate(random, point);
}
std::size_t choose(const Acceptance& acceptance, std::span<const double> scores,
                   SecureRandom& random) {
  return acceptance.draw(scores, random);
}
std::size_t choose(const Acceptance& acceptance, std::span<const double> scores,
                   SeededRandom& random) {
  return acceptance.simulate(scores, random);
}

template <class Random>
void sample(const Measure& reference, const Acceptance& acceptance, const BoostedDensity& density,
            Random& random, std::span<double> point) {
  const std::size_t dimension = reference.dimension();
  if (density.dimension() != dimension || point.size() != dimension) {
    throw InvalidInput(
        fmt::format("the reference has {} dimensions, but the density has {} and the point {}",
                    dimension, density.dimension(), point.size()));
  }
  const std::size_t proposals = acceptance.proposals();
  std::vector<double> points((proposals + 1) * dimension);
  for (std::size_t i = 0; i <= proposals; ++i) {
    draw_one(reference, random, std::span(points).subspan(i * dimension, dimension));
  }
  Points features(dimension, proposals);
  for (std::size_t axis = 0; axis < dimension; ++axis) {
    const auto values = features.values(axis);
    for (std::size_t i = 0; i < proposals; ++i) {
      values[i] = static_cast<float>(points[i * dimension + axis]);
    }
  }
  std::vector<double> scores(proposals);
  density.log_ratio(features, scores);
  const double greatest = density.log_ratio_bound();
  for (double& score : scores) score = std::exp(score - greatest);
  const std::size_t chosen = choose(acceptance, scores, random);
  const auto found = std::span<const double>(points).subspan(chosen * dimension, dimension);
  std::copy(found.begin(), found.end(), point.begin());
}

}  // namespace

RejectionSampler::RejectionSampler(std::shared_ptr<const Measure> reference, double epsilon,
                                   double failure)
    : reference_(std::move(reference)), acceptance_(epsilon, proposals_for(epsilon, failure)) {}

void RejectionSampler::draw(const BoostedDensity& density, SecureRandom& random,
                            std::span<double> point) const {
  sample(*reference_, acceptance_, density, random, point);
}

void RejectionSampler::simulate(const BoostedDensity& density, SeededRandom& random,
                                std::span<double> point) const {
  sample(*reference_, acceptance_, density, random, point);
}

}  // namespace mollify
