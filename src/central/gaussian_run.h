// From the records of one run to its clipping, its lattice and its noise.
#pragma once

#include "central/gaussian_design.h"

namespace mollify {

/// Clipping need not be rarer than that.
inline constexpr double kNegligibleClipping = 1e-12;

/// The weaker of two guarantees of one notion.
[[nodiscard]] Privacy weaker(const Privacy& a, const Privacy& b);

/// Fills in all that makes one run, given the request, the run's records and mean_radius; the
/// centre, if there is one, has been designed. False if nothing would be promised.
bool design_run(GaussianDesign& design);

}  // namespace mollify
