#include "accounting/local_plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {

namespace {

PlanRow row(PlanChange change, const ReferenceMasses& reference, double epsilon,
            const WorstCaseRisk& risk) {
  return {change, epsilon, reference.outcomes(), risk.largest_lift, quoted_total_variation(risk)};
}

}  // namespace

RegionBounds region_bounds(double lower_factor, double largest_lift, double reference_mass) {
  if (!(reference_mass >= 0.0 && reference_mass <= 1.0)) {
    throw InvalidInput(fmt::format("the reference mass of a region must be from 0 to 1, but is {}",
                                   reference_mass));
  }
  if (!(lower_factor >= 0.0 && lower_factor <= 1.0 && largest_lift >= 1.0)) {
    throw InvalidInput(
        fmt::format("the factors of a band must lie on both sides of 1, but are {} and {}",
                    lower_factor, largest_lift));
  }
  const double outside = 1.0 - reference_mass;
  // 1 − b(1−m) = m + (1−b)(1−m) and 1 − bE(1−m) = m − (bE−1)(1−m): exact at b = 1 and m = 1.
  return {std::max(lower_factor * reference_mass, reference_mass - (largest_lift - 1.0) * outside),
          std::min(largest_lift * reference_mass, reference_mass + (1.0 - lower_factor) * outside)};
}

double quoted_total_variation(const WorstCaseRisk& risk) {
  return risk.vertex_maximum.has_value() ? risk.vertex_maximum->tv : risk.risk.tv;
}

LocalPlan plan_local(const BandRisk& band_risk, const ReferenceMasses& reference, double epsilon) {
  LocalPlan plan;
  plan.outcomes = reference.outcomes();
  plan.epsilon = epsilon;
  plan.risk = band_risk(reference, epsilon);
  plan.table.push_back(row(PlanChange::kNothing, reference, epsilon, plan.risk));
  if (epsilon <= 350.0) {
    const double doubled = 2.0 * epsilon;
    plan.table.push_back(
        row(PlanChange::kLargerEpsilon, reference, doubled, band_risk(reference, doubled)));
  }
  if (reference.outcomes() > 1) {
    const ReferenceMasses merged = reference.merged_in_pairs();
    plan.table.push_back(
        row(PlanChange::kFewerOutcomes, merged, epsilon, band_risk(merged, epsilon)));
  }
  // P = h lies in the band, so it is released as it is; the room to lift is still there.
  PlanRow perfect = plan.table.front();
  perfect.change = PlanChange::kPerfectReference;
  perfect.total_variation = 0.0;
  plan.table.push_back(perfect);
  return plan;
}

}  // namespace mollify
