// From the records of one run to its clipping, its lattice and its noise.
#pragma once

#include "central/gaussian_design.h"

namespace mollify {

/// Clipping need not be rarer than that.
inline constexpr double kNegligibleClipping = 1e-12;

/// The weaker of two guarantees of one notion, and whether one is no weaker than another.
[[nodiscard]] Privacy weaker(const Privacy& a, const Privacy& b);

[[nodiscard]] bool is_within(const Privacy& guarantee, const Privacy& budget);

/// Whether one run keeps a guarantee by its integers alone.
[[nodiscard]] bool run_keeps(const GaussianDesign& design, const Privacy& said);

/// Fills in what follows from a run's integers, wherever they come from, and from mean_radius:
/// clip_radius, public_variance and total_variation but for the centre's part. False if nothing is
/// promised of them.
bool settle_run(GaussianDesign& design);

/// Fills in all that makes one run, given the request, the run's records and mean_radius; the
/// centre, if there is one, has been designed. False if nothing would be promised.
bool design_run(GaussianDesign& design);

}  // namespace mollify
