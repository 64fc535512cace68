#include "boosting/standardisation.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "not_finite.h"

namespace mollify::detail {
namespace {

using test::kInfiniteFloat;
using test::kNanFloat;

Points one_feature(const std::vector<float>& values) {
  Points result(1, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result.values(0)[i] = values[i];
  return result;
}

void expect_standard(const std::vector<float>& p, const std::vector<float>& q, double mean,
                     double deviation) {
  const Standardisation result = standardisation_of(one_feature(p), one_feature(q));
  EXPECT_FLOAT_EQ(result.centres[0], static_cast<float>(mean));
  EXPECT_FLOAT_EQ(result.factors[0], deviation > 0 ? static_cast<float>(1 / deviation) : 0.0F);
}

TEST(Standardisation, EachDistributionCountsHalf) {
  expect_standard({1, 1, 1, 1}, {3}, 2, 1);
  expect_standard({0, 2}, {5, 7, 5, 7}, 3.5, std::sqrt(7.25));
  expect_standard({}, {5, 7}, 6, 1);
  expect_standard({5, 7}, {}, 6, 1);
}

TEST(Standardisation, WhatIsNotFiniteIsAbsent) {
  constexpr float kMost = std::numeric_limits<float>::max();
  expect_standard({1, kNanFloat, 1, kInfiniteFloat}, {3, -kInfiniteFloat}, 2, 1);
  expect_standard({kNanFloat, kNanFloat}, {5, 7, kNanFloat}, 6, 1);
  expect_standard({kNanFloat}, {kInfiniteFloat}, 0, 0);
  expect_standard({}, {}, 0, 0);
  expect_standard({4, 4}, {4}, 4, 0);
  expect_standard({kMost}, {-kMost}, 0, static_cast<double>(kMost));
}

TEST(Standardisation, AnyValueBecomesFinite) {
  constexpr float kMost = std::numeric_limits<float>::max();
  const std::vector<float> values = {3, kNanFloat, kInfiniteFloat, -kInfiniteFloat, kMost, -kMost};
  std::vector<float> result(values.size());
  standardise(values, 1, 2, result.data());
  EXPECT_EQ(result, (std::vector<float>{4, 0, 0, 0, 0, 0}));
  standardise(values, kNanFloat, 2, result.data());
  EXPECT_EQ(result, std::vector<float>(values.size()));
  standardise(values, 1, 0, result.data());
  EXPECT_EQ(result[0], 0);
}

}  // namespace
}  // namespace mollify::detail
