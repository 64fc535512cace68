// The best band for units of which nothing is known but a symmetric prior.
#pragma once

#include <cstddef>

#include "local/mechanism.h"

namespace mollify {

/// The b for which the band with lower bounds b / k has the least mean KL when units' distributions
/// are drawn from the prior, in (e^-epsilon, 1), to three digits.
///
/// Theorem. If the prior is exchangeable, no epsilon-LDP sampler of any kind has a lesser mean: the
/// least V (BandObjective) is invariant under permutations of the outcomes and convex, so averaging
/// a minimiser over all permutations gives one with equal lower bounds. [ours]
///
/// Found from units that are drawn from the prior by a fixed seed: as many as have 2^20 masses in
/// all, from 64 to 1024. Accuracy rests on this number, privacy does not.
[[nodiscard]] double typical_location(std::size_t outcome_count, double epsilon,
                                      const DirichletPrior& prior);

}  // namespace mollify
