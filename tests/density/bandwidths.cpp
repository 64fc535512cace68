#include "density/bandwidths.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "density/mixed_rows.h"

namespace mollify {
namespace {

using ::testing::FloatNear;

MixedPoints one_column(MixedColumn column, const std::vector<float>& values) {
  MixedPoints points({column}, values.size());
  std::copy(values.begin(), values.end(), points.values(0).begin());
  return points;
}

float bandwidth(MixedColumn column, const std::vector<float>& values) {
  return rule_of_thumb(one_column(column, values)).of_column.at(0);
}

TEST(RuleOfThumb, WithoutRowsIsTheUniformLaws) {
  const auto uniform_deviation = static_cast<float>(std::sqrt(1.0 / 12));
  EXPECT_THAT(bandwidth({Scale::kNumber, 0}, {}), FloatNear(uniform_deviation, 1e-6F));
  EXPECT_THAT(bandwidth({Scale::kCategory, 4}, {}), FloatNear(0.75F, 1e-6F));
  EXPECT_EQ(bandwidth({Scale::kCategory, 1}, {}), 0);
}

TEST(RuleOfThumb, IsScottsForManyNumbers) {
  const MixedPoints rows = test::uniform_points({{Scale::kNumber, 0}}, 100000, 5);
  const double expected = std::sqrt(1.0 / 12) * std::pow(1e5, -0.2);
  EXPECT_NEAR(static_cast<double>(rule_of_thumb(rows).of_column[0]), expected, 0.01 * expected);
}

TEST(RuleOfThumb, IsFienbergAndHollandsForCategories) {
  // Shares .7, .2, .1 of a million: K = (1 - .54) / (.54 - 1/3), weight K / (n + K) of uniform.
  std::vector<float> values(1000000, 0);
  std::fill(values.begin() + 700000, values.begin() + 900000, 1.0F);
  std::fill(values.begin() + 900000, values.end(), 2.0F);
  const double k = (1 - 0.54) / (0.54 - 1.0 / 3);
  const double expected = k / (1e6 + k) * 2 / 3;
  EXPECT_NEAR(static_cast<double>(bandwidth({Scale::kCategory, 3}, values)), expected,
              1e-3 * expected);
}

TEST(RuleOfThumb, SmoothsOrderedValuesThatLieSmoothly) {
  std::vector<float> smooth, jagged;
  for (int i = 0; i < 1000; ++i) {
    smooth.push_back(static_cast<float>(i % 20));
    jagged.push_back(static_cast<float>(i % 10 * 2));
  }
  EXPECT_GT(bandwidth({Scale::kOrdered, 20}, smooth), 0.1F);
  EXPECT_LT(bandwidth({Scale::kOrdered, 20}, jagged), 0.02F);
}

TEST(RuleOfThumb, IsFiniteAndInRangeForConstantsOneRowAndAnyFloats) {
  const std::vector<MixedColumn> columns = test::survey_columns();
  std::vector<MixedPoints> inputs = {MixedPoints(columns, 0), MixedPoints(columns, 1),
                                     MixedPoints(columns, 1000)};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    inputs.push_back(test::hostile_points(columns, 1 + seed, seed));
  }
  for (const MixedPoints& rows : inputs) {
    const Bandwidths bandwidths = rule_of_thumb(rows);
    ASSERT_EQ(bandwidths.of_column.size(), columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const float value = bandwidths.of_column[c];
      const bool is_number = columns[c].scale == Scale::kNumber;
      EXPECT_GE(value, is_number ? 1e-4F : 0.0F);
      EXPECT_LE(value, 1.0F);
    }
  }
}

}  // namespace
}  // namespace mollify
