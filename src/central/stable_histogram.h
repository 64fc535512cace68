// A histogram over a domain of any size that tells nothing of rare outcomes.
#pragma once

#include <cstdint>
#include <vector>

#include "accounting/privacy.h"
#include "kernel/core/secure_random.h"
#include "kernel/core/wide.h"
#include "kernel/noise/discrete_laplace.h"
#include "records/outcome_histogram.h"

namespace mollify {

/// An outcome and how often it occurs, about.
struct NoisyCount {
  std::uint32_t outcome;
  int128 count;
};

/// Noise and threshold (Korolova et al. 2009; Bun et al. 2016; [Cheu, Nayak 2024, Appendix B])
/// with exact discrete noise.
///
/// Definition. Each outcome that occurs c >= 1 times is released with c + Z, Z discrete Laplace of
/// scale t >= 2/epsilon, if that is at least the threshold T, and not at all otherwise. Outcomes
/// that do not occur are never released: the domain may be as large as it likes.
///
/// Theorem. Let a = e^(-1/t) and p = P(1 + Z >= T) = a^(T - 1) / (1 + a), and let T >= 2 be such
/// that p <= delta and a^(T - 1) <= 1 - a^2. Then the histogram is (2/t, p)-DP, so (epsilon,
/// delta)-DP, for replacing a record: p is charged once, though two outcomes change. Proof:
/// docs/theory/central.md.
/// tests/central/stable_histogram.cpp computes the least delta exactly.
///
/// Utility. An outcome with c >= T + t ln(1/beta) is missed with probability at most beta.
///
/// Public and immutable.
class StableHistogram {
 public:
  /// epsilon from 1e-6 to 100 and delta from 1e-300 to 1/2; InvalidInput otherwise.
  StableHistogram(double epsilon, double delta);
  /// With another T: InvalidInput too unless the theorem allows it.
  StableHistogram(double epsilon, double delta, std::int64_t threshold);

  [[nodiscard]] Privacy guarantee() const { return Privacy::approximate(epsilon_, delta_); }
  /// t, a double exactly.
  [[nodiscard]] double scale() const { return scale_; }
  /// T: the least that the theorem allows, but for rounding upwards, by enough that every machine
  /// finds it allowed.
  [[nodiscard]] std::int64_t threshold() const { return threshold_; }

  /// What is released, the outcomes ascending. O(1) for each distinct outcome.
  [[nodiscard]] std::vector<NoisyCount> draw(const OutcomeHistogram& histogram,
                                             SecureRandom& random) const;

 private:
  double epsilon_;
  double delta_;
  double scale_;
  std::int64_t threshold_;
  DiscreteLaplace noise_;
};

}  // namespace mollify
