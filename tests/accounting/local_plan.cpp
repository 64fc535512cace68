#include "accounting/local_plan.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "divergence/arbitrary_distribution.h"
#include "divergence/band_projection.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

using Masses = std::vector<double>;

TEST(RegionBounds, KnownValues) {
  const RegionBounds half = region_bounds(0.5, 1.5, 0.5);
  EXPECT_DOUBLE_EQ(half.at_least, 0.25);
  EXPECT_DOUBLE_EQ(half.at_most, 0.75);
  const RegionBounds small = region_bounds(0.5, 3.0, 0.1);
  EXPECT_DOUBLE_EQ(small.at_least, 0.05);
  EXPECT_DOUBLE_EQ(small.at_most, 0.3);
  const RegionBounds everything = region_bounds(0.5, 3.0, 1.0);
  EXPECT_EQ(everything.at_least, 1.0);
  EXPECT_EQ(everything.at_most, 1.0);
  const RegionBounds nothing = region_bounds(0.5, 3.0, 0.0);
  EXPECT_EQ(nothing.at_least, 0.0);
  EXPECT_EQ(nothing.at_most, 0.0);
  EXPECT_THROW(region_bounds(0.5, 3.0, -0.1), InvalidInput);
  EXPECT_THROW(region_bounds(0.5, 3.0, std::nan("")), InvalidInput);
  EXPECT_THROW(region_bounds(1.5, 3.0, 0.5), InvalidInput);
  EXPECT_THROW(region_bounds(0.5, 0.9, 0.5), InvalidInput);
}

// No projection leaves the bounds, and the two extreme inputs reach them.
RC_GTEST_PROP(RegionBoundsProperty, HoldAndAreAttained, ()) {
  const std::size_t k = *rc::gen::inRange<std::size_t>(2, 20);
  const std::size_t inside = *rc::gen::inRange<std::size_t>(1, k);
  const Masses h = *test::positive_distribution(k, 5);
  const double b = 0.01 * *rc::gen::inRange(1, 100);
  const double lift = 1.0 + 0.01 * *rc::gen::inRange(1, 1000);
  Masses lower(h);
  Masses upper(h);
  for (double& value : lower) value *= b;
  for (double& value : upper) value *= lift;
  const auto region = [&](const Masses& masses) {
    double mass = 0.0;
    for (std::size_t i = 0; i < inside; ++i) mass += masses[i];
    return mass;
  };
  const RegionBounds bounds = region_bounds(b, lift, region(h));
  const Masses law = project_on_band(*test::distribution_with_zeros(k, 20), lower, upper).law;
  RC_ASSERT(region(law) <= bounds.at_most + 1e-14);
  RC_ASSERT(region(law) >= bounds.at_least - 1e-14);
  Masses filling(h);
  Masses avoiding(h);
  for (std::size_t i = 0; i < k; ++i) (i < inside ? avoiding : filling)[i] = 0.0;
  RC_ASSERT(std::abs(region(project_on_band(filling, lower, upper).law) - bounds.at_most) <= 1e-13);
  RC_ASSERT(std::abs(region(project_on_band(avoiding, lower, upper).law) - bounds.at_least) <=
            1e-13);
}

TEST(LocalPlan, MinimaxTable) {
  const LocalPlan plan = plan_local(minimax_risk, ReferenceMasses::uniform(10), 1.0);
  EXPECT_EQ(plan.outcomes, 10U);
  const auto lift = [](double k, double epsilon) {
    return k * std::exp(epsilon) / (std::exp(epsilon) + k - 1.0);
  };
  const auto tv = [](double k, double epsilon) {
    return (k - 1.0) / (std::exp(epsilon) + k - 1.0);
  };
  ASSERT_EQ(plan.table.size(), 4U);
  EXPECT_EQ(plan.table[0].change, PlanChange::kNothing);
  EXPECT_NEAR(plan.table[0].largest_lift, lift(10, 1.0), 1e-14);
  EXPECT_NEAR(plan.table[0].total_variation, tv(10, 1.0), 1e-15);
  EXPECT_EQ(plan.table[1].change, PlanChange::kLargerEpsilon);
  EXPECT_EQ(plan.table[1].epsilon, 2.0);
  EXPECT_NEAR(plan.table[1].total_variation, tv(10, 2.0), 1e-15);
  EXPECT_EQ(plan.table[2].change, PlanChange::kFewerOutcomes);
  EXPECT_EQ(plan.table[2].outcomes, 5U);
  EXPECT_NEAR(plan.table[2].largest_lift, lift(5, 1.0), 1e-14);
  EXPECT_NEAR(plan.table[2].total_variation, tv(5, 1.0), 1e-15);
  EXPECT_EQ(plan.table[3].change, PlanChange::kPerfectReference);
  EXPECT_EQ(plan.table[3].total_variation, 0.0);
}

TEST(LocalPlan, QuotesTheExactWorstCaseWhereTheBoundIsNotAttained) {
  const LocalPlan plan = plan_local(
      [](const ReferenceMasses& reference, double epsilon) {
        return class_risk(reference, epsilon, {0.0, 2.0});
      },
      ReferenceMasses::uniform(3), 1.0);
  EXPECT_NEAR(plan.table[0].total_variation, 0.1792942809133301, 1e-15);
}

TEST(LocalPlan, LeavesOutWhatCannotChange) {
  EXPECT_EQ(plan_local(minimax_risk, ReferenceMasses::uniform(1), 1.0).table.size(), 3U);
  EXPECT_EQ(plan_local(minimax_risk, ReferenceMasses::uniform(2), 400.0).table.size(), 3U);
  EXPECT_THROW((void)plan_local(minimax_risk, ReferenceMasses::uniform(2), -1.0), InvalidInput);
}

TEST(LocalPlan, GivenReference) {
  const ReferenceMasses h = ReferenceMasses::given(Masses{0.1, 0.2, 0.3, 0.4});
  const LocalPlan plan =
      plan_local([](const ReferenceMasses& reference,
                    double epsilon) { return relative_risk(reference, epsilon); },
                 h, 1.0);
  EXPECT_NEAR(plan.risk.largest_lift, std::exp(0.5), 1e-15);
  EXPECT_NEAR(plan.table[0].total_variation, 1.0 - 0.1 * std::exp(0.5), 1e-15);
  EXPECT_EQ(plan.table[2].outcomes, 2U);
  EXPECT_NEAR(plan.table[2].total_variation, 1.0 - 0.3 * std::exp(0.5), 1e-15);
}

}  // namespace
}  // namespace mollify
