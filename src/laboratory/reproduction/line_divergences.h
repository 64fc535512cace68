// Divergences of laws on an interval, by quadrature that finds their kinks.
#pragma once

#include <functional>
#include <vector>

#include "divergence/f_divergence.h"
#include "laboratory/measure/grid.h"
#include "laboratory/measure/measure.h"

namespace mollify::detail {

/// A law's masses at the places where P and the reference have these, none of them 0.
using LawOfMasses =
    std::function<std::vector<double>(const std::vector<double>& p, const std::vector<double>& h)>;

/// How far a law is from P on an interval that holds both, densities being smooth but for kinks.
/// NOT PRIVATE.
///
/// Masses are densities times the weights of a Clenshaw-Curtis rule of 17 points on each of some
/// panels, so that sums over them are integrals. Panels on which the rule and the one of 9 points
/// within it differ by more than `tolerance`, for the law itself or for a divergence, are halved
/// and the law is computed again, until there are none: a kink ends in a panel that is too narrow
/// to matter. The rule has the panel's ends among its points, as a kink near one would escape all
/// others. At a tolerance of 1e-16 the divergences (chi-squared aside, which no panel is halved
/// for) are exact to about 1e-14. O(rounds * panels) beside the law.
[[nodiscard]] DivergenceReport line_divergences(const Measure& truth, const Measure& reference,
                                                const Interval& interval, const LawOfMasses& law,
                                                double tolerance);

}  // namespace mollify::detail
