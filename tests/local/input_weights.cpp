#include "local/input_weights.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "chi_square.h"
#include "local/private_inputs.h"
#include "not_finite.h"

namespace mollify {
namespace {

using test::kNan;

using test::kInfinity;

using Weights = std::vector<std::uint64_t>;
using test::PrivateInput;

Weights dense(const PrivateInput& input, std::size_t k) {
  return InputWeights(input.view(), k).dense();
}

TEST(InputWeights, TakesCountsAsTheyAre) {
  EXPECT_EQ(dense({"", {1, 3, 4}, {7, 1, 0}}, 6), (Weights{0, 7, 0, 1, 0, 0}));
  const double most = 0x1p53 - 2;
  EXPECT_EQ(dense({"", {0, 1}, {most, 1}}, 2), (Weights{(1ULL << 53) - 2, 1}));
  // Repeated and unsorted outcomes are added, those out of range passed over.
  EXPECT_EQ(dense({"", {2, 0, 2, 9}, {5, 1, 6, 100}}, 3), (Weights{1, 0, 11}));
}

TEST(InputWeights, CountsNonsenseAsNothing) {
  EXPECT_EQ(dense({"", {0, 1, 2, 3, 4}, {kNan, -3, kInfinity, -kInfinity, 2}}, 5),
            (Weights{0, 0, 0, 0, 2}));
  for (const double nothing : {0.0, -0.0, -1.0, kNan, kInfinity, -kInfinity}) {
    const std::vector<std::uint32_t> outcomes = {0};
    const std::vector<double> weights = {nothing};
    EXPECT_TRUE(InputWeights({outcomes, weights}, 1).empty()) << nothing;
  }
  EXPECT_TRUE(InputWeights({}, 3).empty());
  EXPECT_TRUE(InputWeights(test::point_mass(3).view(), 3).empty());
  EXPECT_FALSE(InputWeights(test::point_mass(2).view(), 3).empty());
}

// Whatever comes, the sum stays below the 2^62 that laws rely on, and weights keep proportion.
TEST(InputWeights, ScalesOtherWeightsToAboutTwoToTheSixtyOne) {
  for (const std::size_t k : {1U, 2U, 20U, 5000U}) {
    for (const PrivateInput& input : test::private_inputs(k)) {
      SCOPED_TRACE(input.name);
      const InputWeights weights(input.view(), k);
      const Weights all = weights.dense();
      ASSERT_EQ(all.size(), k);
      const std::uint64_t sum = std::accumulate(all.begin(), all.end(), std::uint64_t{0});
      EXPECT_EQ(weights.empty(), sum == 0);
      EXPECT_LT(sum, std::uint64_t{1} << 62);
    }
  }
  const auto parts = dense({"", {0, 1, 2}, {0.25, 0.5, 0.25}}, 3);
  EXPECT_EQ(parts, (Weights{1ULL << 59, 1ULL << 60, 1ULL << 59}));
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(dense({"", {0, 1}, {most, most}}, 2), (Weights{1ULL << 60, 1ULL << 60}));
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(dense({"", {0, 1}, {least, least}}, 2), (Weights{1ULL << 60, 1ULL << 60}));
}

RC_GTEST_PROP(InputWeights, KeepProportion, ()) {
  const auto tenths =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 1'000'000)));
  PrivateInput input;
  double sum = 0;
  for (std::size_t j = 0; j < tenths.size(); ++j) {
    input.outcomes.push_back(static_cast<std::uint32_t>(j));
    input.weights.push_back(0.1 * tenths[j]);
    sum += input.weights.back();
  }
  const Weights all = dense(input, tenths.size());
  const double total =
      static_cast<double>(std::accumulate(all.begin(), all.end(), std::uint64_t{0}));
  for (std::size_t j = 0; j < all.size(); ++j) {
    const double share = input.weights[j] / sum;
    // Sums of doubles, and parts of 2^61 that are rounded down: this one's and all of the total's.
    const double rounding = 1e-13 * share + (1 + static_cast<double>(all.size())) * 0x1p-61;
    RC_ASSERT(std::abs(static_cast<double>(all[j]) / total - share) <= rounding);
  }
}

TEST(InputWeights, DrawsInProportion) {
  SecureRandom random;
  const PrivateInput input{"", {4, 1, 7, 1}, {3, 0, 5, 2}};
  const InputWeights weights(input.view(), 9);
  std::vector<std::uint64_t> observed(9);
  for (int draw = 0; draw < 100'000; ++draw) ++observed[weights.draw(random)];
  EXPECT_TRUE(test::follows(test::probabilities_of(weights.dense()), observed));
}

}  // namespace
}  // namespace mollify
