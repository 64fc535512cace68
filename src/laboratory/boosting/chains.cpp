#include "laboratory/boosting/chains.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <boost/random/normal_distribution.hpp>
#include <fmt/format.h>

#include "core/invalid_input.h"
#include "core/random.h"
#include "kernel/order.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Rejection sampling from a public reference, decided in integers.

namespace {

/// Half of an epsilon that is in the range of two ExpBounds; refuses others under their own name.
double half_of(double epsilon) {
  if (!std::isfinite(epsilon) || epsilon < 2 * ExpBound::kLeastEpsilon) {
    throw InvalidInput(
        "epsilon of one draw by rejection must be finite and at least 2e-06, but is " +
        detail::shortest(epsilon));
  }
  return epsilon / 2;
}

/// One integer for every proposal, accepted or not.
template <WordSource Source>
std::size_t first_accepted(const Acceptance& acceptance, std::span<const double> scores,
                           Source& random) {
  if (scores.size() != acceptance.proposals()) {
    throw InvalidInput("rejection among " + std::to_string(acceptance.proposals()) +
                       " proposals needs as many scores, but has " + std::to_string(scores.size()));
  }
  std::size_t chosen = scores.size();
  const UniformBelow uniform(acceptance.upper());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const bool accepted = uniform(random) < acceptance.numerator(scores[i]);
    chosen = std::min(chosen, accepted ? i : scores.size());
  }
  return chosen;
}

}  // namespace

Acceptance::Acceptance(double epsilon, std::size_t proposals, std::uint64_t total)
    : bound_(half_of(epsilon)),
      epsilon_(std::min(epsilon, 2 * ExpBound::kGreatestEpsilon)),
      proposals_(proposals),
      lower_(0),
      upper_(0) {
  require_between("the number of proposals", proposals, 1, kMostProposals);
  if (total < 1 || total > kGreatestTotal) {
    throw InvalidInput("the total must be from 1 to 2^62, but is " + std::to_string(total));
  }
  const uint128 share = (static_cast<uint128>(total) << bound_.shift()) / bound_.mantissa();
  lower_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share));
  upper_ = bound_.times_floor(lower_, total);
}

std::uint64_t Acceptance::numerator(double score) const {
  if (!(score > 0)) return lower_;
  if (score >= 1) return upper_;
  const double scaled = score * static_cast<double>(upper_);
  return std::clamp(static_cast<std::uint64_t>(scaled), lower_, upper_);
}

std::size_t Acceptance::draw(std::span<const double> scores, SecureRandom& random) const {
  return first_accepted(*this, scores, random);
}

std::size_t Acceptance::simulate(std::span<const double> scores, SeededRandom& random) const {
  return first_accepted(*this, scores, random);
}

// -----------------------------------------------------------------------------------------------
// How the papers sample a boosted density.

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

// -----------------------------------------------------------------------------------------------
// Boosted densities sampled by rejection from their reference.

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
