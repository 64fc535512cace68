#include "kernel/noise/discrete_laplace.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"
#include "kernel/decision_tree.h"
#include "kernel/noise_checks.h"
#include "not_finite.h"
#include "refusal.h"

namespace mollify {
namespace {

double scale_of(Ratio scale) {
  return static_cast<double>(scale.numerator) / static_cast<double>(scale.denominator);
}

TEST(DiscreteLaplace, HasItsLawOverAllEntropy) {
  for (const Ratio scale : {Ratio{1, 1000},
                            {1, 7},
                            {1, 2},
                            {2, 3},
                            {1, 1},
                            {7, 5},
                            {5, 2},
                            {3, 1},
                            {22, 3},
                            {20, 1},
                            {1, Ratio::kGreatest}}) {
    const double t = scale_of(scale);
    const test::DecisionTree tree{detail::LaplaceOnIntegers(scale)};
    EXPECT_LT(tree.undecided(), 1e-6);
    for (std::int64_t z = -60; z <= 60; ++z) {
      const double truth = std::tanh(0.5 / t) * std::exp(-std::abs(static_cast<double>(z)) / t);
      EXPECT_LE(tree.mass(z), truth + 1e-13) << "z = " << z << ", t = " << t;
      EXPECT_GE(tree.mass(z) + tree.undecided(), truth - 1e-13) << "z = " << z << ", t = " << t;
    }
  }
}

// The law of z and that of z + 1 differ by a factor of e^(1/t) at most: what is released is
// private.
TEST(DiscreteLaplace, KeepsItsPromiseOverAllEntropy) {
  for (const Ratio scale : {Ratio{1, 2}, {1, 1}, {5, 2}}) {
    const test::DecisionTree tree{detail::LaplaceOnIntegers(scale)};
    for (std::int64_t z = -8; z < 8; ++z) {
      const double most = std::exp(1 / scale_of(scale)) * (1 + 1e-12);
      EXPECT_LE(tree.mass(z), most * (tree.mass(z + 1) + tree.undecided()));
      EXPECT_LE(tree.mass(z + 1), most * (tree.mass(z) + tree.undecided()));
    }
  }
}

// u/p lies between fraction/2^64 and (fraction + slack)/2^64, in integers.
TEST(DiscreteLaplace, EnclosesFractionsOfEveryDenominator) {
  std::mt19937_64 random(17);
  std::uint64_t farthest = 0;
  for (int i = 0; i < 2'000; ++i) {
    const std::uint64_t denominator = std::min(Ratio::kGreatest, 2 + (random() >> (random() % 62)));
    const detail::ProperFractions fractions(denominator);
    for (const std::uint64_t numerator : {random() % denominator, denominator - 1}) {
      const detail::Exponent enclosure = fractions(numerator).enclosure;
      const uint128 scaled = static_cast<uint128>(numerator) << 64;
      const auto floor = static_cast<std::uint64_t>(scaled / denominator);
      const std::uint64_t ceiling = floor + (scaled % denominator == 0 ? 0 : 1);
      ASSERT_EQ(enclosure.whole, 0U);
      ASSERT_LE(enclosure.fraction, floor);
      ASSERT_LE(ceiling - enclosure.fraction, enclosure.slack) << numerator << "/" << denominator;
      farthest = std::max(farthest, ceiling - enclosure.fraction);
    }
  }
  std::printf("fractions are short by at most %llu units\n",
              static_cast<unsigned long long>(farthest));
}

TEST(DiscreteLaplace, BracketsOfAllScalesHoldTheTruth) {
  std::size_t coins = 0;
  for (const double scale : {1e-3, 0.3, 1.0, 123.456, 1e6, 1e6 + 0.1, 1e9, 5e11}) {
    const Ratio ratio = Ratio::at_least("t", scale);
    test::CheckingDecisions decisions(15);
    for (int i = 0; i < 100; ++i) {
      static_cast<void>(detail::LaplaceOnIntegers(ratio).sample(decisions));
    }
    coins += decisions.coins();
  }
  for (const Ratio ratio : {Ratio{Ratio::kGreatest, Ratio::kGreatest - 1},
                            {Ratio::kGreatest - 1, std::uint64_t{1} << 30},
                            {Ratio::kGreatest / 2 + 1, Ratio::kGreatest}}) {
    test::CheckingDecisions decisions(16);
    for (int i = 0; i < 100; ++i) {
      static_cast<void>(detail::LaplaceOnIntegers(ratio).sample(decisions));
    }
    coins += decisions.coins();
  }
  EXPECT_GT(coins, 2000u);
}

/// P(Z <= z).
double laplace_at_most(std::int64_t z, double t) {
  const double share = 1 / (1 + std::exp(-1 / t));
  return z < 0 ? std::exp(static_cast<double>(z + 1) / t) * (1 - share)
               : 1 - (1 - share) * std::exp(-static_cast<double>(z) / t);
}

TEST(DiscreteLaplace, FollowsItsLawByChiSquare) {
  SecureRandom random;
  std::vector<std::int64_t> draws(100'000);
  for (const double scale : {1e-3, 0.2, 1.0, 2.5, 1000.0 / 3, 1e6, 1e9}) {
    const DiscreteLaplace noise = DiscreteLaplace::at_least(scale);
    noise.draw(draws, random);
    const auto at_most = [&](std::int64_t z) { return laplace_at_most(z, scale); };
    const auto limit = static_cast<std::int64_t>(50 * scale) + 10;
    EXPECT_TRUE(test::follows_distribution(at_most, limit, 100, draws)) << scale;
  }
}

TEST(DiscreteLaplace, AddsModuloTwoToThe64) {
  SecureRandom random;
  const DiscreteLaplace none({1, Ratio::kGreatest});
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(none.perturb(kMost, random), kMost);
  EXPECT_EQ(none.perturb(-5, random), -5);
  const DiscreteLaplace wide({std::uint64_t{1} << 39, 1});
  bool wrapped = false;
  for (int i = 0; i < 100; ++i) wrapped = wrapped || wide.perturb(kMost, random) < 0;
  EXPECT_TRUE(wrapped);  // but for a chance of 2^-100
  const detail::SignedSize beyond{true, (static_cast<uint128>(5) << 64) + 3};
  EXPECT_EQ(beyond.wrapped(), -3);
  EXPECT_TRUE(beyond.exact() == -(static_cast<int128>(5) << 64) - 3);
  EXPECT_TRUE(none.draw_exact(random) == 0);
}

std::string laplace_refusal(Ratio scale) {
  return test::refusal_of([&] { static_cast<void>(DiscreteLaplace(scale)); });
}

TEST(DiscreteLaplace, RefusesInOneSentence) {
  EXPECT_EQ(laplace_refusal({0, 1}),
            "numerator and denominator of a scale must be from 1 to 2^62, but the scale is 0/1");
  EXPECT_EQ(laplace_refusal({1, 0}),
            "numerator and denominator of a scale must be from 1 to 2^62, but the scale is 1/0");
  EXPECT_EQ(laplace_refusal({(std::uint64_t{1} << 40), 1}),
            "a scale of noise must be at most 2^39, but is 1099511627776/1");
  EXPECT_THROW(DiscreteLaplace::at_least(test::kNan), InvalidInput);
  EXPECT_THROW(DiscreteLaplace::at_least(1e12), InvalidInput);
}

}  // namespace
}  // namespace mollify
