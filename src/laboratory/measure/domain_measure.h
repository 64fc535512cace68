// Measures on the part of R^d in which the records of a numeric domain lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "laboratory/measure/gaussian_mixture.h"
#include "laboratory/measure/measure.h"
#include "space/candidates.h"
#include "space/domain.h"

namespace mollify {

/// One axis for each column: [min, max] for a number, [min - 1/2, max + 1/2] for an integer, so
/// that every cell is an interval. Throws InvalidInput, naming the column, if one is neither or has
/// a null category.
[[nodiscard]] Box domain_box(const Domain& domain);

/// The middle of each record's cell in the domain's box, coordinates end to end. `digits` are those
/// of records, end to end. Requires that the domain has a box.
[[nodiscard]] std::vector<double> domain_points(const Domain& domain,
                                                std::span<const std::uint32_t> digits);

/// The mixture of Gaussians with axes along the columns that is fitted to **public** records
/// (fit_gaussian_mixture), in the units of the domain and renormalised on its box (domain_box).
///
/// `digits` are those of the records, end to end; without records it is one wide Gaussian. The fit
/// is deterministic. Throws InvalidInput if the domain has no box or there are to be no components.
/// O(records components columns).
[[nodiscard]] GaussianMixtureSpec fitted_reference(const Domain& domain,
                                                   std::span<const std::uint32_t> digits,
                                                   std::size_t components);

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
