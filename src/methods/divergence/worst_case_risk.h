// Projections on a band in doubles, and worst cases.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "methods/divergence/f_divergence.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The law a band sampler has for a given P, in double precision, for analysis.

/// The member of a band that is closest to P, and the scale that gives it.
struct BandProjection {
  std::vector<double> law;  ///< q, one entry per outcome; sums to one within rounding
  double scale = 0.0;       ///< r: q = clip(P/r, lower, upper) wherever P > 0
};

/// Projects P on the band {Q : lower ≤ Q ≤ upper, ΣQ = 1}.
///
/// q = clip(P/r, lower, upper) with r such that q sums to one is the projection for every
/// f-divergence at once [Park et al. 2024, Proposition III.4]. If r is not unique, the largest one
/// is returned. If every outcome with P > 0 reaches its upper bound before q sums to one, no r
/// exists; then any allocation of the rest over the outcomes with P = 0 is optimal, because these
/// enter D_f linearly, and each gets the same fraction of its interval, which on a band [b·h, bE·h]
/// is the allocation proportional to the reference h. `scale` is then the largest r at which all
/// outcomes with P > 0 sit at their upper bounds.
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

// -----------------------------------------------------------------------------------------------
// How far, at worst, a band sampler's law is from the private distribution it represents.

/// The inputs a risk is taken over: all P with c1·h ≤ P ≤ c2·h, h the reference.
///
/// 0 ≤ c1 ≤ 1 ≤ c2, finite, and c1 < c2 unless both are one. c1 = 0 with c2 = 1/min h is every P.
struct DensityClass {
  double c1 = 0.0;
  double c2 = 1.0;
};

/// The worst-case divergence of P from the band's projection of P.
struct WorstCaseRisk {
  double lower_factor = 1.0;  ///< b
  double largest_lift = 1.0;  ///< b·e^epsilon: no outcome is ever lifted more over the reference

  /// The closed form R_f [Park et al. 2024, Theorem III.3]. Always an upper bound on the worst
  /// case.
  DivergenceReport risk;

  /// The worst case equals `risk`. For the bands made for their class it is then also the least
  /// worst case of all epsilon-LDP samplers. True for every P (full simplex), for a class inside
  /// the band (risk zero), and where a set of reference mass α exists: uniform h with αk an
  /// integer, any h if a subset of its outcomes has that mass (searched up to 16 outcomes, single
  /// outcomes and their complements beyond). False means: not attained, or not known to be.
  bool attained = false;

  /// Where not attained: the exact worst case over the class, the maximum over its vertices, each
  /// divergence separately. Given for uniform h of any size and for any h of at most 16 outcomes.
  std::optional<DivergenceReport> vertex_maximum;

  /// The pair of two-point distributions (the set of mass α, the rest) whose divergence `risk` is;
  /// D_f(extreme_input, extreme_output) is R_f for any other generator f.
  std::array<double, 2> extreme_input{};
  std::array<double, 2> extreme_output{};

  /// The total variation to quote: the exact worst case where known, else the bound.
  [[nodiscard]] double quoted_total_variation() const {
    return vertex_maximum ? vertex_maximum->tv : risk.tv;
  }
};

/// The probability a band lets a region have, whatever the private data.
struct RegionBounds {
  double at_least = 0.0;
  double at_most = 1.0;
};

/// Bounds on the probability of a region B of reference mass m = h(B), for a band [b·h,
/// b·e^epsilon·h]:
///
///     max(b·m, 1 − b·e^epsilon·(1−m)) ≤ Q(B) ≤ min(b·e^epsilon·m, 1 − b·(1−m)).
///
/// Within rounding both are attained, by the P that avoids B and the one that fills it in
/// proportion to h. `lower_factor` is b, `largest_lift` b·e^epsilon, as in WorstCaseRisk.
/// InvalidInput for m outside [0, 1] or factors without 0 ≤ b ≤ 1 ≤ b·e^epsilon.
[[nodiscard]] RegionBounds region_bounds(double lower_factor, double largest_lift,
                                         double reference_mass);

// The risks of the bands {Q : b·h ≤ Q ≤ b·e^epsilon·h} with reference h; they differ in b and in
// the inputs they are made for.
//
// R_f = (1−r1)/(r2−r1)·f(r2) + (r2−1)/(r2−r1)·f(r1), r1 = c1/b, r2 = c2/(b·e^epsilon), evaluated
// as a divergence of two-point distributions whose difference is known in closed form, so that
// small risks keep about 15 digits. For the relative mollifier the same two-point argument gives
// the bound [Park et al. 2024, Appendix F for the full simplex]. It bounds every finite reference
// because a finite class is a coarsening of a continuous one, where a set of mass α always exists.
//
// InvalidInput for epsilon not finite and positive or above 700, and for impossible c1, c2, γ, b.
// O(1) where attained or uniform; up to k·2^(k−1) small projections for other h of at most 16
// outcomes (a fraction of a second).

/// Every P. With uniform h on k outcomes b = k/(e^epsilon+k−1) [Park et al. 2024, Theorem III.1];
/// with another reference the class band with c1 = 0, c2 = 1/min h.
[[nodiscard]] WorstCaseRisk minimax_risk(const ReferenceMasses& reference, double epsilon);

/// b = e^{−epsilon/2} [Husain et al. 2020, eq. 5]. The risk is taken over every P, or over a class
/// if one is named.
[[nodiscard]] WorstCaseRisk relative_risk(const ReferenceMasses& reference, double epsilon,
                                          const std::optional<DensityClass>& inputs = std::nullopt);

/// The band made for a class: b = 1/(1+α(e^epsilon−1)), α = (1−c1)/(c2−c1) [Park et al. 2024,
/// Theorem III.3].
[[nodiscard]] WorstCaseRisk class_risk(const ReferenceMasses& reference, double epsilon,
                                       const DensityClass& inputs);

/// The band made for h/γ ≤ P ≤ γh, γ ≥ 1: b = (γ+1)/(γ+e^epsilon) [Ghoukasian et al. 2025].
[[nodiscard]] WorstCaseRisk neighbourhood_risk(const ReferenceMasses& reference, double epsilon,
                                               double gamma);

/// A given b, 0 < b ≤ 1 ≤ b·e^epsilon. The risk is taken over every P, or over a class if one is
/// named, which the band does not have to have been made for.
[[nodiscard]] WorstCaseRisk location_risk(const ReferenceMasses& reference, double epsilon,
                                          double lower_factor,
                                          const std::optional<DensityClass>& inputs = std::nullopt);

}  // namespace mollify
