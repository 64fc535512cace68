#include "standardisation.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace mollify::detail {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kMost = std::numeric_limits<float>::max();

Features column(const std::vector<float>& values) {
  Features result(1, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result.values(0)[i] = values[i];
  return result;
}

void expect(const std::vector<float>& p, const std::vector<float>& q, double mean,
            double deviation) {
  const Standardisation result = standardisation_of(column(p), column(q));
  EXPECT_FLOAT_EQ(result.centres[0], static_cast<float>(mean));
  EXPECT_FLOAT_EQ(result.factors[0], deviation > 0 ? static_cast<float>(1 / deviation) : 0.0F);
}

TEST(Standardisation, EachDistributionCountsHalf) {
  expect({1, 1, 1, 1}, {3}, 2, 1);
  expect({0, 2}, {5, 7, 5, 7}, 3.5, std::sqrt(7.25));
  expect({}, {5, 7}, 6, 1);
  expect({5, 7}, {}, 6, 1);
}

TEST(Standardisation, WhatIsNotFiniteIsAbsent) {
  expect({1, kNan, 1, kInfinity}, {3, -kInfinity}, 2, 1);
  expect({kNan, kNan}, {5, 7, kNan}, 6, 1);
  expect({kNan}, {kInfinity}, 0, 0);
  expect({}, {}, 0, 0);
  expect({4, 4}, {4}, 4, 0);
  expect({kMost}, {-kMost}, 0, static_cast<double>(kMost));
}

TEST(Standardisation, AnyValueBecomesFinite) {
  const std::vector<float> values = {3, kNan, kInfinity, -kInfinity, kMost, -kMost};
  std::vector<float> result(values.size());
  standardise(values, 1, 2, result.data());
  EXPECT_EQ(result, (std::vector<float>{4, 0, 0, 0, 0, 0}));
  standardise(values, kNan, 2, result.data());
  EXPECT_EQ(result, std::vector<float>(values.size()));
  standardise(values, 1, 0, result.data());
  EXPECT_EQ(result[0], 0);
}

}  // namespace
}  // namespace mollify::detail
