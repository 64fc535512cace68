#include "accounting/close_laws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

using FourMasses = std::array<double, 4>;

/// The least delta for which two laws are close at epsilon, both ways.
double least_delta_of(const FourMasses& p, const FourMasses& q, double epsilon) {
  double there = 0;
  double back = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    there += std::max(0.0, p[i] - std::exp(epsilon) * q[i]);
    back += std::max(0.0, q[i] - std::exp(epsilon) * p[i]);
  }
  return std::max(there, back);
}

double total_variation_between(const FourMasses& p, const FourMasses& q) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += std::abs(p[i] - q[i]) / 2;
  return sum;
}

TEST(CloseLaws, NoTwoAreFartherApart) {
  std::mt19937_64 random(14);
  std::exponential_distribution<double> mass;
  double nearest = 0;
  for (int trial = 0; trial < 200'000; ++trial) {
    FourMasses p, q;
    double of_p = 0;
    double of_q = 0;
    const double power = 1 + trial % 4;
    for (std::size_t i = 0; i < p.size(); ++i) {
      of_p += p[i] = std::pow(mass(random), power);
      of_q += q[i] = std::pow(mass(random), power);
    }
    for (std::size_t i = 0; i < p.size(); ++i) {
      p[i] /= of_p;
      q[i] /= of_q;
    }
    const double epsilon = 0.01 * std::pow(500.0, trial % 1000 * 1e-3);
    const double bound =
        total_variation_of_close_laws_up(epsilon, std::min(1.0, least_delta_of(p, q, epsilon)));
    const double distance = total_variation_between(p, q);
    ASSERT_LE(distance, bound + 1e-12);
    nearest = std::max(nearest, distance / bound);
  }
  std::printf("200000 pairs, the nearest at %.4f of the bound\n", nearest);
  EXPECT_GT(nearest, 0.95);
}

TEST(CloseLaws, TheBoundIsReached) {
  for (const double epsilon : {0.0, 1e-9, 0.1, 1.0, 5.0, 30.0}) {
    for (const double delta : {0.0, 1e-9, 0.01, 0.5, 1.0}) {
      const double heads = (1 - delta) * std::exp(epsilon) / (std::exp(epsilon) + 1);
      const double tails = (1 - delta) / (std::exp(epsilon) + 1);
      const FourMasses p = {delta, 0, heads, tails};
      const FourMasses q = {0, delta, tails, heads};
      EXPECT_NEAR(least_delta_of(p, q, epsilon), delta, 1e-12);
      const double bound = total_variation_of_close_laws_up(epsilon, delta);
      EXPECT_NEAR(bound, total_variation_between(p, q), 1e-14);
      EXPECT_GE(bound, std::expm1(epsilon) / (std::exp(epsilon) + 1));
    }
  }
  EXPECT_EQ(total_variation_of_close_laws_up(std::numeric_limits<double>::infinity(), 0), 1);
}

TEST(CloseLaws, RefusesWhatIsNoBudget) {
  EXPECT_THROW((void)total_variation_of_close_laws_up(-1, 0), InvalidInput);
  EXPECT_THROW((void)total_variation_of_close_laws_up(std::nan(""), 0), InvalidInput);
  EXPECT_THROW((void)total_variation_of_close_laws_up(1, 1.5), InvalidInput);
}

}  // namespace
}  // namespace mollify
