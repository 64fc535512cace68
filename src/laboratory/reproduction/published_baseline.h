// The baseline of [Park et al. 2024, Figures 1 and 4] as its published code runs it.
#pragma once

#include <cstdint>

#include "boosting/boosted_density.h"
#include "laboratory/reproduction/known_density.h"

namespace mollify::detail {

/// Boosting (T = 3) with sigmoids for classifiers, at theta = epsilon/(epsilon + 4). Each learns
/// from 10 000 points of P and as many of Q_(t-1), the last places of as many Metropolis-Hastings
/// chains that start at 0 and make 1001 Gaussian steps of deviation 1; by cross-entropy, gradient
/// steps of .01 with Nesterov's momentum .9, 750 passes in 2 minibatches. Chains follow log
/// densities tabulated on [-span, span]^d, 4097 or 601 nodes along an axis, and linear between; off
/// that box there is no mass. Weights start as NetworkLearner's do, which is not how the code's do.
/// `quick`: tenth of the chains and steps, 40 passes.
///
/// NOT PRIVATE: chains are no exact draws, and all comes from the seed. Seconds.
[[nodiscard]] BoostedDensity published_baseline(const KnownDensity& density, double span,
                                                double epsilon, std::uint64_t seed, bool quick);

}  // namespace mollify::detail
