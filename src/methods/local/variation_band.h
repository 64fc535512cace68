// The best band for public units in total variation, which is a linear programme.
#pragma once

#include <functional>
#include <vector>

#include "methods/local/tuned_band.h"

namespace mollify {

/// The band whose mean total variation from the units is least, with its proof (best_band).
///
/// With t_u at least sum a_ui and at least sum b_ui + lo(elsewhere), a_ui >= P - E lo, b_ui >= lo -
/// P and a, b >= 0, the mean of t is linear in all of them. Solved by a primal-dual interior-point
/// method with a corrector [Mehrotra 1992], each step one system in the lower bounds: a unit's
/// unknowns are eliminated, which leaves a diagonal and one matrix of rank one. Its end
/// proves nothing; the limit is docs/theory/best-band.md's, of its prices cut to the allowed
/// range.
///
/// `start` is inside: positive, its sum between 1/E and 1. O(masses^2 / units + k^3) a step, some
/// 30 steps; 8 k^2 bytes. `step` gets the gap after each.
[[nodiscard]] BestBand best_variation_band(const UnitMasses& units, double e,
                                           std::vector<double> start,
                                           const std::function<void(double)>& step = {});

}  // namespace mollify
