// The law a band sampler has for a given P, in double precision, for analysis.
#pragma once

#include <span>
#include <vector>

namespace mollify {

/// The member of a band that is closest to P, and the scale that gives it.
struct BandProjection {
  std::vector<double> law;  ///< q, one entry per outcome; sums to one within rounding
  double scale = 0.0;       ///< r: q = clip(P/r, lower, upper) wherever P > 0
};

/// Projects P on the band {Q : lower ≤ Q ≤ upper, ΣQ = 1}.
///
/// q = clip(P/r, lower, upper) with r such that q sums to one is the projection for every
/// f-divergence at once [Park et al. 2024, Proposition III.4]. Where r is not unique the
/// largest one is returned. If every outcome with P > 0 reaches its upper bound before q sums to
/// one, no r exists; then any allocation of the rest over the outcomes with P = 0 is optimal,
/// because these enter D_f linearly, and each gets the same fraction of its interval, which on a
/// band [b·h, bE·h] is the allocation proportional to the reference h. `scale` is then the largest
/// r at which all outcomes with P > 0 sit at their upper bounds.
///
/// This is for analysis: nothing here is exact enough to decide privacy, which the integer tables
/// of kernel/ do. Exact up to rounding, by sorting the 2k places where an outcome enters or leaves
/// its bounds; O(k log k), and the sums are compensated.
///
/// P may have any scale and any content: NaN and negative entries and those below 2^−900 times the
/// largest count as zero, infinities as the largest double; all zeros give the reference of the
/// band itself. The band is public: InvalidInput unless the three lengths agree and are positive,
/// 0 ≤ lower ≤ upper are finite, and Σlower ≤ 1 ≤ Σupper within 1e-12.
[[nodiscard]] BandProjection project_on_band(std::span<const double> p,
                                             std::span<const double> lower,
                                             std::span<const double> upper);

}  // namespace mollify
