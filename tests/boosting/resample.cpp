#include "boosting/resample.h"

#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "boosting/finite_space.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

std::vector<std::size_t> counts_of(const Points& points, std::size_t k) {
  std::vector<std::size_t> counts(k);
  for (const float value : points.values(0)) ++counts[static_cast<std::size_t>(value)];
  return counts;
}

TEST(Resample, GivesEachPointItsShareToOneCopy) {
  SeededRandom random(7);
  const std::vector<double> weights{0.1, 3, 0, 1.5, 0.4, 2.25};
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (const std::size_t count : {1U, 5U, 1000U}) {
    for (int repeat = 0; repeat < 50; ++repeat) {
      const auto counts =
          counts_of(resampled(test::numbered(6), weights, count, random), weights.size());
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::size_t{0}), count);
      for (std::size_t i = 0; i < weights.size(); ++i) {
        const double share = weights[i] / sum * static_cast<double>(count);
        EXPECT_LE(std::abs(static_cast<double>(counts[i]) - share), 1 + 1e-9) << i;
      }
    }
  }
}

TEST(Resample, IsUnbiased) {
  // One draw at a time, so that the random start alone decides.
  SeededRandom random(8);
  const std::vector<double> weights{1, 2, 5};
  std::vector<std::size_t> counts(3);
  constexpr std::size_t kDraws = 20'000;
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    const Points one = resampled(test::numbered(3), weights, 1, random);
    ++counts[static_cast<std::size_t>(one.values(0)[0])];
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const double share = weights[i] / 8;
    const double deviation = std::sqrt(share * (1 - share) * kDraws);
    EXPECT_NEAR(static_cast<double>(counts[i]), share * kDraws, 4.9 * deviation) << "seed 8";
  }
}

TEST(Resample, IsTotal) {
  SeededRandom random(9);
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> spoiled{std::nan(""), -1, infinity, 2};
  EXPECT_EQ(counts_of(resampled(test::numbered(4), spoiled, 8, random), 4),
            (std::vector<std::size_t>{0, 0, 0, 8}));
  for (const double weight : {0.0, -1.0, infinity, 1e308}) {
    const std::vector<double> alike(4, weight);
    EXPECT_EQ(counts_of(resampled(test::numbered(4), alike, 8, random), 4),
              (std::vector<std::size_t>{2, 2, 2, 2}));
  }
  EXPECT_EQ(resampled(Points(3, 0), {}, 8, random).size(), 0U);
  EXPECT_EQ(resampled(test::numbered(1), std::vector<double>(1, 1), 0, random).size(), 0U);
  EXPECT_THROW((void)resampled(test::numbered(4), std::vector<double>(3), 1, random), InvalidInput);
}

}  // namespace
}  // namespace mollify
