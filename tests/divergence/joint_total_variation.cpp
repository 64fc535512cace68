#include "divergence/joint_total_variation.h"

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "divergence/f_divergence.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

TEST(JointTotalVariation, OfOneDrawIsItself) {
  for (const double alpha : {0.0, 0.01, 0.3, 1.0}) {
    EXPECT_NEAR(joint_total_variation_least(1, alpha), alpha, 1e-9);
    EXPECT_NEAR(single_total_variation_most(1, alpha), alpha, 1e-6);
  }
}

TEST(JointTotalVariation, OfCoinsIsTheirCounts) {
  // Two coins of bias 1/2 and 3/4: counts (1, 2, 1)/4 and (1, 6, 9)/16.
  EXPECT_NEAR(binomial_total_variation(2, 0.75, 0.5), 5.0 / 16, 1e-12);
  EXPECT_NEAR(binomial_total_variation(5, 0, 1), 1, 1e-12);
  EXPECT_EQ(binomial_total_variation(7, 0.3, 0.3), 0);
}

// About sqrt(2 m / pi) alpha = .79 sqrt(m) alpha while that is small.
TEST(JointTotalVariation, GrowsAsTheRootOfTheDraws) {
  for (const std::uint64_t m : {10U, 100U, 1000U}) {
    const double alpha = 0.01 / std::sqrt(static_cast<double>(m));
    const double factor =
        joint_total_variation_least(m, alpha) / (std::sqrt(static_cast<double>(m)) * alpha);
    std::printf("m %g: %.4f sqrt(m) alpha\n", static_cast<double>(m), factor);
    EXPECT_NEAR(factor, 0.798, 0.025);
    EXPECT_NEAR(single_total_variation_most(m, joint_total_variation_least(m, alpha)), alpha,
                1e-4 * alpha);
  }
}

// The theorem, by exact sums: m draws of any two distributions are at least that far apart.
TEST(JointTotalVariation, IsAtMostThatOfAnyTwoDistributions) {
  std::mt19937_64 random(20261122);
  double tightest = 1;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> p(3);
    std::vector<double> q(3);
    double whole_p = 0;
    double whole_q = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      whole_p += p[i] = std::uniform_real_distribution<>(0, 1)(random);
      whole_q += q[i] = std::uniform_real_distribution<>(0, 1)(random);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      p[i] /= whole_p;
      q[i] /= whole_q;
    }
    const std::uint64_t m = 1 + random() % 4;
    std::vector<double> joint_p{1};
    std::vector<double> joint_q{1};
    for (std::uint64_t draw = 0; draw < m; ++draw) {
      std::vector<double> next_p;
      std::vector<double> next_q;
      for (std::size_t i = 0; i < joint_p.size(); ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
          next_p.push_back(joint_p[i] * p[j]);
          next_q.push_back(joint_q[i] * q[j]);
        }
      }
      joint_p = std::move(next_p);
      joint_q = std::move(next_q);
    }
    const double joint = total_variation(joint_p, joint_q);
    const double least = joint_total_variation_least(m, total_variation(p, q));
    ASSERT_LE(least, joint + 1e-9) << trial;
    tightest = std::min(tightest, joint - least);
  }
  std::printf("300 pairs, seed 20261122: least slack %.2e\n", tightest);
}

TEST(JointTotalVariation, RefusesWhatIsNoProbability) {
  EXPECT_THROW((void)binomial_total_variation(0, 0.1, 0.2), InvalidInput);
  EXPECT_THROW((void)binomial_total_variation(3, -0.1, 0.2), InvalidInput);
  EXPECT_THROW((void)joint_total_variation_least(3, 1.5), InvalidInput);
  EXPECT_THROW((void)single_total_variation_most(3, std::nan("")), InvalidInput);
}

}  // namespace
}  // namespace mollify
