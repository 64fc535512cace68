// The best band for units about which only a symmetric prior is known.
#pragma once

#include <cstddef>

#include "methods/local/bands.h"

namespace mollify {

/// The b for which the band with lower bounds b / k has the least mean KL when units' distributions
/// are drawn from the prior, in (e^-epsilon, 1), to three digits. If a range of b clips
/// no unit, the nearest to the minimax band's.
///
/// Theorem. If the prior is exchangeable, no epsilon-LDP sampler of any kind has a lesser mean: the
/// least V (BandObjective) is invariant under permutations of the outcomes and convex, so averaging
/// a minimiser over all permutations gives one with equal lower bounds. [ours]
///
/// Theorem. V'(b) is the mean of (R - 1) / b over units, so b is best where the mean R is 1. A
/// unit's law is clip(P / R, b / k, E b / k), with R = 0 where all of P is at the upper edge.
/// Proof. By the envelope theorem V' is the sum over outcomes of each edge's price times how fast
/// the edge moves: (R - k P / b) / k at the lower edge, (E R - k P / b) / k at the upper one. With
/// A the law and S the mass of P that are at edges, these sum to (A R - S) / b. The other
/// outcomes have the law 1 - A = (1 - S) / R, so that A R - S = R - 1. QED [ours]
///
/// Up to 2^18 outcomes, found from units that are drawn from the prior by a fixed seed: as many as
/// have 2^20 masses in all, from 64 to 1024. With more outcomes, only masses that are not
/// negligible are drawn, or if a unit has many, the expected numbers of them stand for all units.
/// Accuracy depends on that, privacy does not. At most some two seconds and 300 MB.
[[nodiscard]] double typical_location(std::size_t outcome_count, double epsilon,
                                      const DirichletPrior& prior);

}  // namespace mollify
