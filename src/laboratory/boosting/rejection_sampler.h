// Boosted densities sampled by rejection from their reference.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "boosting/boosted_density.h"
#include "kernel/core/secure_random.h"
#include "laboratory/boosting/acceptance.h"
#include "laboratory/measure/measure.h"
#include "space/seeded_random.h"

namespace mollify {

/// Draws points whose law is near a boosted density Q_T and epsilon-private whatever that density
/// says: Acceptance decides. Public and immutable, so threads may share one.
///
/// A draw takes K + 1 points from the reference, evaluates the density at K of them, and accepts
/// with probability exp(log_ratio - epsilon/4), clamped to [e^(-epsilon/2), 1] in integers. The law
/// is (1 - w) Q_T + w Q0, w the probability that none of K is accepted, which is at most `failure`.
/// Metropolis-Hastings, which the papers use, keeps no such promise
/// (metropolis_hastings.h).
class RejectionSampler {
 public:
  /// K is the least number with (1 - e^(-epsilon/2))^K <= failure: public information alone. Throws
  /// InvalidInput unless epsilon is finite and at least 2e-6, failure is in (0, 1), and K is at
  /// most 2^20 (about epsilon = 22.6 at failure 1e-6).
  RejectionSampler(std::shared_ptr<const Measure> reference, double epsilon, double failure = 1e-6);

  [[nodiscard]] const Measure& reference() const { return *reference_; }
  /// What is guaranteed of each draw; draws from the same private data add up.
  [[nodiscard]] double epsilon() const { return acceptance_.epsilon(); }
  /// K and the integers that decide.
  [[nodiscard]] const Acceptance& acceptance() const { return acceptance_; }

  /// Releases a point of d coordinates. A density of another epsilon costs accuracy alone. Throws
  /// InvalidInput if its dimension or the point's is not the reference's; never for its values.
  /// O(K) draws and evaluations, always.
  void draw(const BoostedDensity& density, SecureRandom& random, std::span<double> point) const;
  /// The same for analysis. NOT PRIVATE.
  void simulate(const BoostedDensity& density, SeededRandom& random, std::span<double> point) const;

 private:
  std::shared_ptr<const Measure> reference_;
  Acceptance acceptance_;
};

}  // namespace mollify
