// What a local sampler can and cannot do, told before any data is opened.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "divergence/reference_masses.h"
#include "divergence/worst_case_risk.h"

namespace mollify {

/// The probability a band lets a region have, whatever the private data.
struct RegionBounds {
  double at_least = 0.0;
  double at_most = 1.0;
};

/// Bounds on the probability of a region B of reference mass m = h(B), for a band [b·h,
/// b·e^epsilon·h]:
///     max(b·m, 1 − b·e^epsilon·(1−m)) ≤ Q(B) ≤ min(b·e^epsilon·m, 1 − b·(1−m)).
/// Within rounding both are attained, by the P that avoids B and the one that fills it in
/// proportion to h. `lower_factor` is b, `largest_lift` b·e^epsilon, as in WorstCaseRisk.
/// InvalidInput for m outside [0, 1] or factors without 0 ≤ b ≤ 1 ≤ b·e^epsilon.
RegionBounds region_bounds(double lower_factor, double largest_lift, double reference_mass);

/// What a row of the plan's table changes.
enum class PlanChange {
  kNothing,           ///< the plan as asked
  kLargerEpsilon,     ///< epsilon doubled
  kFewerOutcomes,     ///< outcomes merged in pairs, so half as many
  kPerfectReference,  ///< a reference equal to P: the risk of a lucky or well-informed choice
};

/// One row: the plan after one change.
struct PlanRow {
  PlanChange change = PlanChange::kNothing;
  double epsilon = 0.0;
  std::uint64_t outcomes = 0;
  double largest_lift = 1.0;
  /// Worst-case total variation: attained or the vertex maximum where known, else an upper bound.
  double total_variation = 0.0;
};

/// A plan for one draw at `epsilon` from each unit.
struct LocalPlan {
  std::uint64_t outcomes = 0;
  double epsilon = 0.0;
  WorstCaseRisk risk;          ///< with b and the largest lift
  std::vector<PlanRow> table;  ///< the plan itself first, then what each change would buy
};

/// The worst case of a band mechanism with a reference at epsilon.
using BandRisk = std::function<WorstCaseRisk(const ReferenceMasses&, double)>;

/// The plan of a mechanism with a public reference at epsilon.
///
/// No data enters. The row `kLargerEpsilon` is left out above epsilon = 350, `kFewerOutcomes` for a
/// single outcome. Merging outcomes keeps a class with constants c1, c2 (or γ) around the merged
/// reference, so those constants stay; the full simplex of the minimax and the relative band
/// becomes that of the smaller domain. Refuses what `band_risk` refuses.
[[nodiscard]] LocalPlan plan_local(const BandRisk& band_risk, const ReferenceMasses& reference,
                                   double epsilon);

/// The total variation to quote for a risk: the exact worst case where known, else the bound.
double quoted_total_variation(const WorstCaseRisk& risk);

}  // namespace mollify
