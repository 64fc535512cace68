// How many records, how much budget or how much accuracy Gaussian samples need, before any data.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "central/gaussian_design.h"
#include "release/plan.h"

namespace mollify {

using GaussianQuestion = PlanQuestion<GaussianRequest>;

/// The total variation, in the sense of the question, that a design promises.
double alpha_of(const GaussianDesign& design, bool strong);

/// The design at the best value of the unknown (in design.request): it certainly serves; whole
/// numbers are the least or greatest that do next to others that do not, others are so to within
/// 1e-5 of themselves. None if none within the limits of GaussianRequest does. InvalidInput for a
/// question that is wrong in itself. Milliseconds to some seconds: bisection over
/// find_gaussian_design.
[[nodiscard]] std::optional<GaussianDesign> plan(PlanUnknown unknown,
                                                 const GaussianQuestion& question);

/// The records that the papers' own parameters need for alpha, with B = paper_clip_radius_up(beta),
/// the mean bounded by R, for m outputs m times those of one at alpha (strong: alpha/m):
///  - zCDP: 2 B^2/(n (n - 1)) <= rho, beta = alpha [Cheu, Nayak 2024, Theorem 19; Ghazi et al.
///  2023, Algorithm 1];
///  - (epsilon, delta): the analytic Gaussian of sensitivity 2 B/n and variance 1 - 1/n, the same;
///  - pure: v = 1 - 1/n [Cheu, Nayak 2024, Algorithm 4], beta = alpha/2 and the shape's exact total
///  variation the rest;
///  - covariance from I to K I, zCDP: beta = alpha/2, s^2 sqrt(d/8) = alpha/2, 2 B^2 a^2/s^2 <= rho
///    with the greatest weight a = 1/n + sqrt((1 - 1/n)/n) [Cheu, Nayak 2024, Theorem 30; Ghazi et
///    al. 2023, Algorithm 3].
/// None without a mean bound, for bounded covariance under (epsilon, delta), or beyond 2^39.
std::optional<std::uint64_t> papers_gaussian_records(const GaussianQuestion& question);

/// Records that any sampler needs (accounting/gaussian_lower_bound.h), for the mean bound or the
/// ball inside the ranges; 0 where that says nothing.
double gaussian_records_lower_bound(const GaussianQuestion& question);

/// Total variation against the number of records (curve_records).
[[nodiscard]] std::vector<CurvePoint> curve(const GaussianQuestion& question);

}  // namespace mollify
