#include "accounting/gaussian_lower_bound.h"

#include <cmath>

#include <gtest/gtest.h>

namespace mollify {
namespace {

using Notion = Privacy::Notion;

TEST(GaussianLowerBound, IsNeverAboveASamplerThatExists) {
  // The zCDP sampler without clipping error beyond beta: 2 B²/(n (n − 1)) = rho.
  for (const double norm : {0.5, 5.0, 1e3, 1e5}) {
    for (const std::size_t d : {1U, 10U, 1000U}) {
      for (const double rho : {1e-6, 0.01, 1.0}) {
        const double radius = norm + std::sqrt(static_cast<double>(d)) + std::sqrt(2 * 30.0);
        const double enough = 2 + radius * std::sqrt(2 / rho);
        const Privacy guarantee = Privacy::concentrated(rho);
        EXPECT_LE(gaussian_records_lower_bound({d, norm, 1, 1e-6}, guarantee), enough);
        EXPECT_LE(gaussian_records_lower_bound({d, norm, 7, 1e-6}, guarantee), 7 * enough);
      }
    }
  }
}

TEST(GaussianLowerBound, IsTheTwoPointBoundForDistantMeans) {
  // Two means 2 R apart are told apart but for p ~ alpha: e^(n epsilon) ≥ (1 − p)/p.
  const double pure = gaussian_records_lower_bound({1, 8, 1, 0.01}, Privacy::pure(0.1));
  EXPECT_GE(pure, std::log(0.99 / 0.01) / 0.1 * (1 - 1e-6));
  // A small delta changes little, a large one leaves nothing.
  const double approximate =
      gaussian_records_lower_bound({1, 8, 1, 0.01}, Privacy::approximate(0.1, 1e-9));
  EXPECT_LE(approximate, pure);
  EXPECT_GE(approximate, 0.99 * pure);
  EXPECT_LE(gaussian_records_lower_bound({1, 8, 1, 0.01}, Privacy::approximate(0.1, 0.5)), 3);
}

TEST(GaussianLowerBound, GrowsWithDimensionOutputsAndTheRegion) {
  const Privacy guarantee = Privacy::concentrated(0.01);
  const double one = gaussian_records_lower_bound({10, 100, 1, 0.01}, guarantee);
  EXPECT_GT(one, 10);
  EXPECT_GT(gaussian_records_lower_bound({100, 1000, 1, 0.01}, guarantee), 2 * one);
  EXPECT_GT(gaussian_records_lower_bound({10, 100, 20, 0.01}, guarantee), one);
  EXPECT_GT(gaussian_records_lower_bound({10, 1000, 1, 0.01}, guarantee), one);
  EXPECT_EQ(gaussian_records_lower_bound({10, 0, 1, 0.01}, guarantee), 0);
  EXPECT_EQ(gaussian_records_lower_bound({10, 5, 1, 1}, guarantee), 0);
}

}  // namespace
}  // namespace mollify
