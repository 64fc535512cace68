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

/// The Rényi divergence of a whole order a, 2 to 512, of all steps together, rounded up:
///     steps/(a - 1) ln sum_k C(a, k) (1 - q)^(a-k) q^k e^(k(k-1)/(2 sigma^2))
/// [Mironov et al. 2019, Section 3.3]. Infinite where that leaves the doubles. InvalidInput for
/// numbers out of range. O(a).
[[nodiscard]] double sampled_gaussian_renyi_up(const SampledGaussian& mechanism,
                                               std::uint64_t order);

/// An epsilon for which all steps together are (epsilon, delta)-DP, rounded up: the least over
/// whole orders of the conversion of [Canonne et al. 2020, Proposition 12]. Infinite where no order
/// gives one. InvalidInput as above, or unless delta is in (0, 1).
[[nodiscard]] double sampled_gaussian_epsilon_up(const SampledGaussian& mechanism, double delta);

}  // namespace mollify
