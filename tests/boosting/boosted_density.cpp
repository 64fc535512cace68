#include "boosting/boosted_density.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "boosting/finite_space.h"
#include "kernel/core/invalid_input.h"
#include "refusal.h"

namespace mollify {
namespace {

using test::numbered;
using test::table;

TEST(BoostedDensity, AddsUpBoundedClassifiers) {
  const BoostingSpec spec{.epsilon = 1, .bounding = Bounding::kLogit, .outputs = 1};
  const BoostedDensity density =
      BoostedDensity(spec, 1).boosted(table({0.1F, 5, -9})).boosted(table({0.5F, -0.25F, -9}));
  EXPECT_EQ(density.iterations(), 2U);
  const double first = 1 / (1 + 4 * std::log(2));
  EXPECT_NEAR(density.theta(1), first, 1e-15);
  EXPECT_NEAR(density.theta(2), first * first, 1e-15);
  std::vector<double> ratios(3);
  density.log_ratio(numbered(3), ratios);
  EXPECT_NEAR(ratios[0], first * 0.1 + first * first * 0.5, 1e-8);
  EXPECT_NEAR(ratios[1], first * std::log(2) - first * first * 0.25, 1e-8);
  EXPECT_NEAR(ratios[2], -(first + first * first) * std::log(2), 1e-8);
}

TEST(BoostedDensity, ShrinksClassifiersForSeveralOutputs) {
  const BoostingSpec one{.epsilon = 2, .bounding = Bounding::kSign, .outputs = 1};
  const BoostingSpec three{.epsilon = 2, .bounding = Bounding::kSign, .outputs = 3};
  const BoostedDensity whole = BoostedDensity(one, 1).boosted(table({1, -1, 0}));
  const BoostedDensity shrunk = BoostedDensity(three, 1).boosted(table({1, -1, 0}));
  EXPECT_EQ(whole.theta(1), shrunk.theta(1));
  EXPECT_NEAR(shrunk.log_ratio_bound(), 2.0 / 12, 1e-15);
  std::vector<double> of_whole(3);
  std::vector<double> of_shrunk(3);
  whole.log_ratio(numbered(3), of_whole);
  shrunk.log_ratio(numbered(3), of_shrunk);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(of_shrunk[i], of_whole[i] / 3, 1e-16);
}

// Many saturated classifiers come as close to the bound as rounding allows: from below, in both
// precisions.
TEST(BoostedDensity, NeverPassesItsBound) {
  for (const double epsilon : {1e-6, 0.1, 1.0, 7.3, 30.0, 1e4}) {
    for (const std::size_t outputs : {1U, 3U, 7U}) {
      BoostedDensity density({.epsilon = epsilon, .bounding = Bounding::kSign, .outputs = outputs},
                             1);
      for (int t = 0; t < 200; ++t) density = density.boosted(table({1, -1}));
      const double bound = epsilon / 4 / static_cast<double>(outputs);
      std::vector<double> doubles(2);
      std::vector<float> floats(2);
      density.log_ratio(numbered(2), doubles);
      density.log_ratio(numbered(2), std::span<float>(floats));
      EXPECT_LE(doubles[0], bound);
      EXPECT_GE(doubles[1], -bound);
      EXPECT_LE(static_cast<double>(floats[0]), bound);
      EXPECT_GE(static_cast<double>(floats[1]), -bound);
      if (epsilon < 1) {
        EXPECT_NEAR(doubles[0] / bound, 1, 1e-12);
        EXPECT_NEAR(static_cast<double>(floats[0]) / bound, 1, 1e-6);
      }
    }
  }
}

TEST(BoostedDensity, KnowsItsNormaliser) {
  const BoostedDensity density =
      BoostedDensity({.epsilon = 1, .bounding = Bounding::kSign}, 1).boosted(table({1, -1}));
  std::vector<double> plain(2);
  std::vector<double> relative(2);
  EXPECT_THROW(density.log_density_ratio(numbered(2), relative), InvalidInput);
  const BoostedDensity normalised = density.normalised({.value = 0.0625});
  density.log_ratio(numbered(2), plain);
  normalised.log_density_ratio(numbered(2), relative);
  EXPECT_EQ(relative[0], plain[0] - 0.0625);
  // An impossible value becomes the nearest possible one, and the next classifier takes it away.
  EXPECT_EQ(density.normalised({.value = 100}).log_normaliser()->value, 0.25);
  EXPECT_EQ(density.normalised({.value = std::nan("")}).log_normaliser()->value, 0);
  EXPECT_FALSE(normalised.boosted(table({1, 1})).log_normaliser().has_value());
}

TEST(BoostedDensity, RefusesInOneSentence) {
  EXPECT_EQ(test::refusal_of([] { BoostedDensity({.epsilon = -1}, 1); }),
            "epsilon must be finite and positive, but is -1");
  EXPECT_EQ(test::refusal_of([] { BoostedDensity({.epsilon = 1, .outputs = 0}, 1); }),
            "the number of outputs must be at least 1, but is 0");
  EXPECT_EQ(test::refusal_of([] { BoostedDensity({.epsilon = 1}, 0); }),
            "points must have at least 1 feature, but have 0");
  EXPECT_EQ(test::refusal_of([] { (void)BoostedDensity({.epsilon = 1}, 2).boosted(table({1})); }),
            "a classifier must read the density's 2 features, but reads 1");
  std::vector<double> values(3);
  EXPECT_EQ(
      test::refusal_of([&] { BoostedDensity({.epsilon = 1}, 1).log_ratio(Points(2, 3), values); }),
      "points must have the density's 1 features, but have 2");
  EXPECT_EQ(
      test::refusal_of([&] { BoostedDensity({.epsilon = 1}, 1).log_ratio(Points(1, 4), values); }),
      "there must be a value for each of 4 points, but there are 3");
}

}  // namespace
}  // namespace mollify
