// A Gaussian mixture fitted to public records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "laboratory/density/gaussian_mixture.h"
#include "space/domain.h"

namespace mollify {

/// The mixture of Gaussians with axes along the columns that is fitted to **public** records
/// (fit_gaussian_mixture), in the units of the domain and renormalised on its box (domain_box).
///
/// `digits` are those of the records, end to end; without records it is one wide Gaussian. The fit
/// is deterministic. Throws InvalidInput if the domain has no box or there are to be no components.
/// O(records components columns).
[[nodiscard]] GaussianMixtureSpec fitted_reference(const Domain& domain,
                                                   std::span<const std::uint32_t> digits,
                                                   std::size_t components);

}  // namespace mollify
