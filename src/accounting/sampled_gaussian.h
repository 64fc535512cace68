// What many steps of learning on random parts of the records with Gaussian noise cost.
#pragma once

#include <cstdint>

namespace mollify {

/// Steps that each take every record with probability `rate`, add up vectors of norm at most 1 and
/// add Gaussian noise of this deviation in every coordinate. Neighbours differ by one record more
/// or less.
struct SampledGaussian {
  double rate = 1;       ///< q, in (0, 1]
  double deviation = 1;  ///< sigma, in units of the clipping norm; positive
  std::uint64_t steps = 1;
};

/// A bound on the Rényi divergence of an order a in (1, 512], of all steps together, rounded up.
/// With r the likelihood ratio N(1, sigma^2)/N(0, sigma^2), one step's is ln E[(1 - q + q r)^a]/(a
/// - 1) under N(0, sigma^2), and neighbours the other way round have no more [Mironov et al. 2019,
/// Section 3]. About either of its two summands the power is at most its Taylor polynomial of
/// degree ceil(a): the terms up to there are positive and the next would be negative. So the
/// expectation is taken term by term, about 1 - q where q r is the smaller and about q r elsewhere,
/// as their Section 3.3 does with the whole series. At whole orders it is exact but for rounding.
/// Infinite where that leaves the doubles. InvalidInput for numbers out of range. O(a).
[[nodiscard]] double sampled_gaussian_renyi_up(const SampledGaussian& mechanism, double order);

/// An epsilon for which all steps together are (epsilon, delta)-DP, rounded up: the least over
/// orders from 1 + 2^-20 up to 512, 32 for each doubling of a - 1, of the conversion of [Canonne et
/// al. 2020, Proposition 12]. Infinite where no order gives one. InvalidInput as above, or unless
/// delta is in (0, 1).
[[nodiscard]] double sampled_gaussian_epsilon_up(const SampledGaussian& mechanism, double delta);

}  // namespace mollify
