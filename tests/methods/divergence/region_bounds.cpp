#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "arbitrary_distribution.h"
#include "core/invalid_input.h"
#include "methods/divergence/worst_case_risk.h"

namespace mollify {

namespace {

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
  EXPECT_THROW((void)region_bounds(0.5, 3.0, -0.1), InvalidInput);
  EXPECT_THROW((void)region_bounds(0.5, 3.0, std::nan("")), InvalidInput);
  EXPECT_THROW((void)region_bounds(1.5, 3.0, 0.5), InvalidInput);
  EXPECT_THROW((void)region_bounds(0.5, 0.9, 0.5), InvalidInput);
}

// No projection leaves the bounds, and the two extreme inputs reach them.
RC_GTEST_PROP(RegionBoundsProperty, HoldAndAreAttained, ()) {
  const std::size_t k = *rc::gen::inRange<std::size_t>(2, 20);
  const std::size_t inside = *rc::gen::inRange<std::size_t>(1, k);
  const std::vector<double> h = *test::positive_distribution(k, 5);
  const double b = 0.01 * *rc::gen::inRange(1, 100);
  const double lift = 1.0 + 0.01 * *rc::gen::inRange(1, 1000);
  std::vector<double> lower(h);
  std::vector<double> upper(h);
  for (double& value : lower) value *= b;
  for (double& value : upper) value *= lift;
  const auto region = [&](const std::vector<double>& masses) {
    double mass = 0.0;
    for (std::size_t i = 0; i < inside; ++i) mass += masses[i];
    return mass;
  };
  const RegionBounds bounds = region_bounds(b, lift, region(h));
  const std::vector<double> law =
      project_on_band(*test::distribution_with_zeros(k, 20), lower, upper).law;
  RC_ASSERT(region(law) <= bounds.at_most + 1e-14);
  RC_ASSERT(region(law) >= bounds.at_least - 1e-14);
  std::vector<double> filling(h);
  std::vector<double> avoiding(h);
  for (std::size_t i = 0; i < k; ++i) (i < inside ? avoiding : filling)[i] = 0.0;
  RC_ASSERT(std::abs(region(project_on_band(filling, lower, upper).law) - bounds.at_most) <= 1e-13);
  RC_ASSERT(std::abs(region(project_on_band(avoiding, lower, upper).law) - bounds.at_least) <=
            1e-13);
}

}  // namespace

}  // namespace mollify
