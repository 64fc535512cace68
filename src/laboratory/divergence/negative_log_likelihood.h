// How unlikely a density finds what another distribution produces.
#pragma once

#include <span>

#include "laboratory/divergence/estimate.h"

namespace mollify {

/// -E_P log Q in nats, of densities with respect to volume: KL(P, Q) and P's own entropy together,
/// so it may be negative. Lower is better, and the entropy of P is the least it can be.
///
/// Exact for densities that are constant in each cell: masses of P and of Q and the volume of each
/// cell, P's and Q's masses being divided by their sums. Infinite if P has mass where Q has none.
/// Throws InvalidInput if sizes differ, a volume is not positive, or a sum of masses is not. O(k).
double negative_log_likelihood(std::span<const double> p, std::span<const double> q,
                               std::span<const double> volumes);

/// Estimated from log Q at independent samples of P, with its standard error. Throws InvalidInput
/// below two samples.
Estimate negative_log_likelihood(std::span<const double> log_q_at_samples_of_p);

}  // namespace mollify
