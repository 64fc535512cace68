// How the log-normaliser of a boosted density is found.
#pragma once

#include <cstddef>

#include "boosting/boosted_density.h"
#include "density/points.h"
#include "laboratory/measure/measure.h"

namespace mollify {

/// Sums over cells of equal width that cover the reference's central box, with exact cell masses
/// and the classifiers' values at cell centres: an error of the order of the squared width where
/// they are smooth, and of the width where they jump. For one and two dimensions; 2^16 cells take
/// some tens of milliseconds. Throws InvalidInput if the dimensions differ, beyond three
/// dimensions, below 4 cells along each axis or beyond 2^24 cells.
[[nodiscard]] LogNormaliser log_normaliser_by_cubature(const BoostedDensity& density,
                                                       const Measure& reference,
                                                       std::size_t cells = std::size_t{1} << 16U);

/// Averages over independent draws from Q0, for any dimension. The standard error is that of the
/// mean, divided by the mean (the delta method); at most (e^(epsilon/2) - 1) / (2 sqrt(n)) or so.
/// Throws InvalidInput if the dimensions differ or there are fewer than two draws.
[[nodiscard]] LogNormaliser log_normaliser_by_sampling(const BoostedDensity& density,
                                                       const Points& reference_draws);

}  // namespace mollify
