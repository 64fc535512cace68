// Candidates drawn from a public measure.
#pragma once

#include <cstdint>

#include "laboratory/measure/measure.h"
#include "space/candidates.h"
#include "space/domain.h"

namespace mollify {

/// `count` candidates of a numeric domain with the law of a **public** measure on the domain's box
/// (domain_box), by the domain's seed: the same wherever the mathematical library rounds alike, so
/// a list that many machines share should be a file. Their densities are with respect to the
/// uniform law on the box, taken at the middle of each candidate's cell.
///
/// Throws InvalidInput if the domain has no box, the measure another dimension, or the measure less
/// than 2^-80 of its mass on the box, and as Candidates::require_count does.
[[nodiscard]] Candidates measure_candidates(const Domain& domain, const Measure& measure,
                                            std::uint64_t count);

}  // namespace mollify
