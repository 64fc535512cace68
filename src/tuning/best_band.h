// The best band there is for given units, and a proof of it.
#pragma once

#include <functional>
#include <vector>

#include "tuning/band_divergence.h"
#include "tuning/unit_masses.h"

namespace mollify {

/// A band by its lower bounds; the upper ones are e^epsilon times these.
struct BestBand {
  std::vector<double> lower;
  double mean = 0;        ///< V: the mean of D(P_u || q_u) over the units
  double limit_down = 0;  ///< below what no epsilon-LDP sampler has it on these units
};

/// Every epsilon-LDP sampler lies in a band: with lo_i = inf over P of q_P(i), lo <= q_P <= E lo
/// and sum lo <= 1 <= E sum lo. So the least mean divergence of any of them is the least V
/// (BandObjective), which is convex.
///
/// Minimised by Newton's method on the smoothed V, tau going to 0, each lower bound held above
/// 1e-9 / k so that every outcome can be released. The limit is the value of a feasible point of
/// the dual, which any prices make: for KL, with r_u >= 0, s = clip(r, P / (E lo), P / lo) and G_i
/// the mean of (r - s)+ - E (s - r)+, it is the mean of sum P ln s + 1 - r, less the greatest -G_i
/// if that is positive. 1e-9 is taken off for rounding. Proofs, and the other divergences:
/// docs/theory/best-band.md. [ours]
///
/// `start` is where to begin (proportional to the mean if empty). `step` is told the gap after each
/// step. At least one unit, epsilon as for ExpBound. Each step takes O(masses) and O(k^3) for k up
/// to 512, else conjugate gradients; there the gap may stay above 1e-7, and is as it is told. Total
/// variation is a linear programme up to k = 2048 (best_variation_band); above, its gap does stay.
[[nodiscard]] BestBand best_band(const UnitMasses& units, double epsilon, BandDivergence divergence,
                                 std::vector<double> start = {},
                                 const std::function<void(double)>& step = {});

/// The b in (1/E, 1) for which the band b h has the least V, and that V. h sums to one. By golden
/// sections: V is convex in b.
struct BestLocation {
  double location;
  double mean;
};
[[nodiscard]] BestLocation best_location(const UnitMasses& units, const std::vector<double>& h,
                                         double epsilon, BandDivergence divergence);

}  // namespace mollify
