#include "accounting/sampled_gaussian.h"

#include <cmath>
#include <cstdio>
#include <limits>

#include <gtest/gtest.h>

#include "accounting/concentrated.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

/// The conversion of the moments accountant, by which its published values were made.
double by_moments_accountant(const SampledGaussian& mechanism, double delta,
                             std::uint64_t most_order) {
  double least = std::numeric_limits<double>::infinity();
  for (std::uint64_t order = 2; order <= most_order; ++order) {
    least = std::min(least, sampled_gaussian_renyi_up(mechanism, order) -
                                std::log(delta) / static_cast<double>(order - 1));
  }
  return least;
}

// [Abadi et al. 2016, Section 3.2]: q = .01, sigma = 4, delta = 1e-5, 100 epochs: epsilon 1.26 with
// moments up to 32.
TEST(SampledGaussian, HasTheMomentsAccountantsPublishedValue) {
  const SampledGaussian mechanism{.rate = 0.01, .deviation = 4, .steps = 10'000};
  const double published = by_moments_accountant(mechanism, 1e-5, 33);
  const double ours = sampled_gaussian_epsilon_up(mechanism, 1e-5);
  std::printf("moments accountant %.4f (published 1.26), ours %.4f\n", published, ours);
  EXPECT_NEAR(published, 1.26, 0.005);
  EXPECT_LT(ours, published) << "a better conversion";
  EXPECT_GT(ours, 0.9);
}

// Without sampling it is the Gaussian mechanism: order a has a/(2 sigma^2), and conversion is that
// of zCDP at whole orders.
TEST(SampledGaussian, IsTheGaussianAtRateOne) {
  for (const double deviation : {0.5, 1.0, 3.0, 20.0}) {
    for (const std::uint64_t order : {2U, 3U, 10U, 40U}) {
      const double expected = static_cast<double>(order) / (2 * deviation * deviation);
      const double found = sampled_gaussian_renyi_up({1, deviation, 1}, order);
      if (!std::isfinite(found)) continue;
      EXPECT_GE(found, expected);
      EXPECT_NEAR(found, expected, 1e-12 * expected);
    }
  }
  const double rho = 100 / (2 * 20.0 * 20.0);
  const double by_orders = sampled_gaussian_epsilon_up({1, 20, 100}, 1e-6);
  const double best = concentrated_epsilon_up(rho, 1e-6);
  EXPECT_GE(by_orders, best - 1e-9);
  EXPECT_LT(by_orders, best * 1.01) << "whole orders are fine enough";
}

// Against the integral of (density ratio)^a itself.
TEST(SampledGaussian, IsTheIntegral) {
  for (const double rate : {0.01, 0.2, 0.7}) {
    for (const double deviation : {0.8, 2.0}) {
      for (const std::uint64_t order : {2U, 5U, 9U}) {
        const double a = static_cast<double>(order);
        const double s2 = deviation * deviation;
        double integral = 0;
        constexpr double kStep = 1e-3;
        for (double x = -20; x < 60; x += kStep) {
          const double ratio = std::log(1 - rate + rate * std::exp((2 * x - 1) / (2 * s2)));
          integral += kStep * std::exp(a * ratio - x * x / (2 * s2));
        }
        const double exact =
            std::log(integral / (std::sqrt(2 * std::acos(-1.0)) * deviation)) / (a - 1);
        const double found = sampled_gaussian_renyi_up({rate, deviation, 1}, order);
        EXPECT_NEAR(found, exact, 1e-8 * std::max(exact, 1e-3)) << rate << ' ' << deviation;
      }
    }
  }
}

TEST(SampledGaussian, AddsUpAndRefuses) {
  const double one = sampled_gaussian_renyi_up({0.1, 1, 1}, 4);
  EXPECT_NEAR(sampled_gaussian_renyi_up({0.1, 1, 1000}, 4), 1000 * one, 1e-9);
  EXPECT_LT(sampled_gaussian_epsilon_up({0.1, 2, 10}, 1e-5),
            sampled_gaussian_epsilon_up({0.1, 1, 10}, 1e-5));
  EXPECT_TRUE(std::isinf(sampled_gaussian_renyi_up({0.5, 0.01, 1}, 200)));
  EXPECT_THROW((void)sampled_gaussian_renyi_up({0, 1, 1}, 2), InvalidInput);
  EXPECT_THROW((void)sampled_gaussian_renyi_up({0.5, 0, 1}, 2), InvalidInput);
  EXPECT_THROW((void)sampled_gaussian_renyi_up({0.5, 1, 0}, 2), InvalidInput);
  EXPECT_THROW((void)sampled_gaussian_renyi_up({0.5, 1, 1}, 1), InvalidInput);
  EXPECT_THROW((void)sampled_gaussian_epsilon_up({0.5, 1, 1}, 0), InvalidInput);
}

}  // namespace
}  // namespace mollify
