// The median of integers in a declared range, privately, and how far in rank it may be off.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/core/secure_random.h"
#include "kernel/noise/exponential_choice.h"
#include "kernel/noise/ratio.h"

namespace mollify {

/// The exponential mechanism for the median of n integers, which are first moved into [first, last]
/// if they lie outside.
///
/// Definition. Let h = floor(n/2), and let L(y) and G(y) count the integers less and greater than
/// y. The distance of y is k(y) = max(0, L(y) - h, G(y) - h); y in [first, last] is drawn with
/// probability proportional to e^(-k(y) eta). The median has distance 0.
///
/// Theorem (privacy). 2 eta-DP, of bounded range 2 eta and so (eta^2 / 2)-zCDP, for replacing one
/// integer. Proof: n is public, L(y) and G(y) each change by at most one, so k(y) does; then
/// ExponentialChoice. QED
///
/// Between two neighbouring integers of the data the distance is constant, so at most 2 n + 1
/// intervals are weighed however long the range is. O(n log n).
///
/// Public and immutable.
class PrivateMedian {
 public:
  /// eta = rate. InvalidInput unless -2^61 <= first <= last < 2^61 and the rate is one of
  /// ExponentialChoice.
  PrivateMedian(std::int64_t first, std::int64_t last, Ratio rate);

  /// The integers from `first` on, as many as the count says, all of the same distance.
  struct Interval {
    std::int64_t first;
    ChoiceTerm term;
  };
  /// What is drawn from, ascending and without gaps. Private, like the values.
  [[nodiscard]] std::vector<Interval> intervals(std::span<const std::int64_t> values) const;

  /// Any values, any number of them, 0 included.
  [[nodiscard]] std::int64_t draw(std::span<const std::int64_t> values, SecureRandom& random) const;

 private:
  std::int64_t first_;
  std::int64_t last_;
  ExponentialChoice choice_;
};

/// How likely it is that the private median of n independent values lies beyond a point t on either
/// side, rounded up, if each of them lies on the far side of t with probability at most `beyond`
/// for each of the two points, and `outcomes` integers can be drawn in all.
///
/// Theorem (proof: docs/theory/coarse-centre.md). At most 2 f(outcomes / 2), N binomial of n trials
/// of probability 1 - beyond,
///
///     f(c) = E min(1, c e^(-eta (N - h))).
///
/// The expectation is computed as it stands: with K the least rank with c e^(-eta K) <= 1 it is
/// P(N < h + K) + c e^(eta h) (1 - p (1 - e^-eta))^n P(N' >= h + K), p = 1 - beyond, where N' has
/// the odds of p multiplied by e^-eta.
///
/// n from 1 to 2^32, beyond from 1e-300 to 1/2, outcomes >= 1; the result is at least 1e-300.
[[nodiscard]] double median_beyond_up(std::uint64_t records, double outcomes, Ratio rate,
                                      double beyond);

}  // namespace mollify
