#include "central/clipped_means.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include <boost/math/distributions/binomial.hpp>
#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"
#include "refusal.h"

namespace mollify {
namespace {

TEST(ClippedMeans, ClipsAsLittleAsTheBudgetAllows) {
  for (const unsigned d : {1u, 5u, 24u}) {
    for (const std::uint64_t n : {10u, 1000u, 1'000'000u}) {
      for (const double rho : {1e-6, 1e-3, .1, 10.}) {
        const std::optional<std::uint64_t> clip = ClippedMeans::least_clip(d, n, rho);
        if (!clip) {
          EXPECT_GT(ClippedMeans(d, n, (n + 2) / 3 - 1).guarantee().rho, rho);
          continue;
        }
        EXPECT_LE(ClippedMeans(d, n, *clip).guarantee().rho, rho);
        if (*clip > 1) {
          EXPECT_GT(ClippedMeans(d, n, *clip - 1).guarantee().rho, rho);
        }
      }
    }
  }
}

/// |E clip(X) / n - p| of one bit, exactly.
double bias_of(std::uint64_t n, std::uint64_t clip, double p) {
  const auto trials = static_cast<double>(n);
  const boost::math::binomial count(trials, p);
  double mean = 0;
  for (std::uint64_t c = 0; c <= n; ++c) {
    mean += pdf(count, static_cast<double>(c)) *
            static_cast<double>(std::clamp(c, clip, n - clip)) / trials;
  }
  return std::fabs(mean - p);
}

TEST(ClippedMeans, AreAsNearToTheirDistributionAsStated) {
  for (const std::uint64_t n : {6u, 30u, 200u}) {
    for (const std::uint64_t clip : {std::uint64_t{1}, n / 6, (n + 2) / 3 - 1}) {
      for (const double p : {1. / 3, .4, .5, .6, 2. / 3}) {
        EXPECT_LE(bias_of(n, clip, p), ClippedMeans(1, n, clip).total_variation_up() + 1e-13);
      }
    }
  }
}

std::string clipped_refusal(unsigned coordinates, std::uint64_t records, std::uint64_t clip) {
  return test::refusal_of([&] { ClippedMeans(coordinates, records, clip); });
}

TEST(ClippedMeans, RefuseInOneSentence) {
  EXPECT_EQ(clipped_refusal(25, 9, 2), "the number of coordinates must be from 1 to 24, but is 25");
  EXPECT_EQ(clipped_refusal(2, 3, 1),
            "the number of records must be from 4 to 1099511627776, but is 3");
  EXPECT_EQ(clipped_refusal(2, 9, 3),
            "the clipped count must be from 1 to less than a third of the 9 records, but is 3");
  EXPECT_EQ(clipped_refusal(2, 10, 3), "accepted");
}

}  // namespace
}  // namespace mollify
