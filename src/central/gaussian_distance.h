// How far two Gaussians are from each other.
#pragma once

#include <cstddef>

#include "central/moment_sampler.h"
#include "kernel/core/secure_random.h"

namespace mollify {

/// The total variation of q from p, the mean of max(0, 1 - q/p) over so many draws of p, at least
/// 1: its standard error is at most 1/(2 sqrt(draws)). 1 where a covariance is not positive
/// definite to doubles. Requires one dimension d. O(d^3), and O(d^2) a draw.
[[nodiscard]] double simulated_total_variation(const SharedGaussian& p, const SharedGaussian& q,
                                               std::size_t draws, SecureRandom& random);

}  // namespace mollify
