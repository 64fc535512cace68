// How the papers sample a boosted density. NOT PRIVATE.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "boosting/boosted_density.h"
#include "laboratory/measure/measure.h"
#include "space/seeded_random.h"

namespace mollify {

/// A random walk; the papers' setting is the default [Husain et al. 2020, experiments].
struct MetropolisHastingsSpec {
  /// Proposals made before the walk's place is taken as a sample.
  std::size_t steps = 1000;
  /// The standard deviation of a proposal along each axis.
  double deviation = 1;
  /// Where every walk of simulate_metropolis_hastings begins; empty: at a draw from the reference.
  std::vector<double> start{};
};

/// Writes the logarithm of a density, up to one constant, at points of d coordinates end to end;
/// minus infinity off its support.
using LogDensity = std::function<void(std::span<const double> points, std::span<double> logs)>;

/// Moves points of `dimension` coordinates, end to end, by independent random walks from where they
/// are: each proposes a Gaussian step of the spec and accepts it with probability min(1, target
/// proposed / target present). A point that starts off the support moves on. All walks make a step
/// together, so that the target is asked for all of them at once. Throws InvalidInput unless the
/// deviation is finite and positive. NOT PRIVATE.
void walk_metropolis_hastings(const LogDensity& target, std::size_t dimension,
                              const MetropolisHastingsSpec& spec, SeededRandom& random,
                              std::span<double> points);

/// Fills `points`, a point of d coordinates after the other, with the last places of independent
/// random walks that propose a Gaussian step and accept it with probability
/// min(1, Q_T(proposed) / Q_T(present)).
///
/// **NOT PRIVATE**, whatever epsilon the density was boosted for, and so there is no version that
/// takes SecureRandom: only the walk's stationary law is Q_T. From a fixed start the law after any
/// number of steps breaks the claimed epsilon; from a fresh draw of the reference it would keep it,
/// but only in exact arithmetic (docs/theory/errata.md, 5; both are tests). To release, use
/// RejectionSampler or candidates.
///
/// A step evaluates the classifiers once, on all walks. Throws InvalidInput unless the density, the
/// reference and the start have one dimension, the number of coordinates is a multiple of it, and
/// the deviation is finite and positive.
void simulate_metropolis_hastings(const BoostedDensity& density, const Measure& reference,
                                  const MetropolisHastingsSpec& spec, SeededRandom& random,
                                  std::span<double> points);

}  // namespace mollify
