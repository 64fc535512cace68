// A histogram over a domain of any size that tells nothing of rare outcomes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "accounting/privacy.h"
#include "kernel/core/secure_random.h"
#include "kernel/core/wide.h"
#include "kernel/noise/discrete_laplace.h"

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
/// delta)-DP, for replacing a record. Proof. A replacement lowers the count of one outcome x by one
/// and raises that of one outcome y by one; the other outcomes are independent of these and have
/// the same law. Let M_c be the law of what is released of an outcome with count c, "nothing" being
/// one value; all of a law over x and y. (1) c and c' = c +- 1 both at least 1: M_c and M_c' are
/// functions of the same c + Z, so M_c <= e^(1/t) M_c'. If that holds for x and for y, the pair is
/// (2/t, 0). (2) x falls from 1 to 0, y rises from c >= 1. P(S) <= p + P(S and x: nothing) <= p +
/// e^(1/t) P'(S), because x: nothing has probability 1 - p here and 1 there. Back: P'(S) is about
/// y alone, P'(S) <= e^(1/t) P(S and x: nothing) / (1 - p) <= e^(2/t) P(S), because
/// 1 - p >= e^(-1/t) if and only if a^(T - 1) <= 1 - a^2. The case that y rises from 0 and x falls
/// to c >= 1 is the same with both data sets exchanged. (3) x falls from 1 to 0 and y rises from 0
/// to 1. P(S) <= p + P(both: nothing) [that is in S], and P(both: nothing) = 1 - p = P'(both:
/// nothing): P(S) <= p + P'(S). QED So p is charged once, though two outcomes change.
/// tests/central/stable_histogram.cpp computes the least delta exactly.
///
/// Utility. An outcome with c >= T + t ln(1/beta) is missed with probability at most beta.
///
/// Public and immutable.
class StableHistogram {
 public:
  /// epsilon from 1e-6 to 100 and delta from 1e-300 to 1/2; InvalidInput otherwise.
  StableHistogram(double epsilon, double delta);

  Privacy guarantee() const { return Privacy::approximate(epsilon_, delta_); }
  /// t, a double exactly.
  double scale() const { return scale_; }
  /// T: the least that the theorem allows, but for rounding upwards.
  std::int64_t threshold() const { return threshold_; }

  /// What is released, the outcomes ascending. Any records; O(n log n).
  std::vector<NoisyCount> draw(std::span<const std::uint32_t> records, SecureRandom& random) const;

 private:
  double epsilon_;
  double delta_;
  double scale_;
  std::int64_t threshold_;
  DiscreteLaplace noise_;
};

}  // namespace mollify
