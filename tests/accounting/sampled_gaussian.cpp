#include "accounting/sampled_gaussian.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "accounting/concentrated.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

/// The conversion of the moments accountant, by which its published values were made.
double by_moments_accountant(const SampledGaussian& mechanism, double delta,
                             const std::vector<double>& orders) {
  double least = std::numeric_limits<double>::infinity();
  for (const double order : orders) {
    least = std::min(least,
                     sampled_gaussian_renyi_up(mechanism, order) - std::log(delta) / (order - 1));
  }
  return least;
}

/// Learning on MNIST: batches of 256 of 60 000 records.
SampledGaussian on_digits(double deviation, std::uint64_t epochs) {
  return {.rate = 256.0 / 60'000, .deviation = deviation, .steps = epochs * 60'000 / 256};
}

// Published values of the moments accountant, all at delta 1e-5, to their last digit: one with
// moments up to 32 [Abadi et al. 2016, Section 3.2], the others with orders in tenths up to 11 and
// whole ones up to 63 [McMahan et al. 2018, README of its tutorials in 2019; Bu et al. 2020, Figure
// 4]. That of 8.68 is reached at order 3.5; whole orders give 8.95.
TEST(SampledGaussian, HasTheMomentsAccountantsPublishedValues) {
  std::vector<double> whole;
  for (int order = 2; order <= 33; ++order) whole.push_back(order);
  std::vector<double> tenths;
  for (int tenth = 1; tenth < 100; ++tenth) tenths.push_back(1 + tenth / 10.0);
  for (int order = 12; order < 64; ++order) tenths.push_back(order);
  struct Published {
    SampledGaussian mechanism;
    const std::vector<double>& orders;
    double epsilon;
  };
  for (const auto& [mechanism, orders, epsilon] :
       {Published{{.rate = 0.01, .deviation = 4, .steps = 10'000}, whole, 1.26},
        Published{on_digits(1.3, 15), tenths, 1.19}, Published{on_digits(1.1, 60), tenths, 3.01},
        Published{on_digits(0.7, 45), tenths, 7.10}, Published{on_digits(0.7, 70), tenths, 8.68}}) {
    const double found = by_moments_accountant(mechanism, 1e-5, orders);
    const double ours = sampled_gaussian_epsilon_up(mechanism, 1e-5);
    std::printf("sigma %g, %llu steps: moments accountant %.4f (published %g), ours %.4f\n",
                mechanism.deviation, static_cast<unsigned long long>(mechanism.steps), found,
                epsilon, ours);
    EXPECT_NEAR(found, epsilon, 0.005);
    EXPECT_LT(ours, found) << "a better conversion";
    EXPECT_GT(ours, 0.75 * found);
  }
  EXPECT_GT(by_moments_accountant(on_digits(0.7, 70), 1e-5, whole), 8.9);
}

// Without sampling it is the Gaussian mechanism: order a has a/(2 sigma^2), and conversion is that
// of zCDP at whole orders.
TEST(SampledGaussian, IsTheGaussianAtRateOne) {
  for (const double deviation : {0.5, 1.0, 3.0, 20.0}) {
    for (const double order : {1.25, 2.0, 3.0, 10.5, 40.0}) {
      const double expected = order / (2 * deviation * deviation);
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
  EXPECT_LT(by_orders, best * 1.001) << "orders are fine enough";
}

// Against the integral of (density ratio)^a itself: whole orders are exact, those between are
// bounds.
TEST(SampledGaussian, IsTheIntegral) {
  double loosest = 0;
  for (const double rate : {0.01, 0.2, 0.7}) {
    for (const double deviation : {0.8, 2.0}) {
      for (const double order : {1.02, 1.5, 2.0, 2.5, 3.9, 5.0, 6.1, 9.0}) {
        const double s2 = deviation * deviation;
        double integral = 0;
        constexpr double kStep = 1e-3;
        for (int i = -20'000; i < 60'000; ++i) {
          const double x = kStep * i;
          const double ratio = std::log(1 - rate + rate * std::exp((2 * x - 1) / (2 * s2)));
          integral += kStep * std::exp(order * ratio - x * x / (2 * s2));
        }
        const double exact =
            std::log(integral / (std::sqrt(2 * std::acos(-1.0)) * deviation)) / (order - 1);
        const double found = sampled_gaussian_renyi_up({rate, deviation, 1}, order);
        const double near = 1e-8 * std::max(exact, 1e-3);
        EXPECT_GT(found, exact - near) << rate << ' ' << deviation << ' ' << order;
        if (order == std::floor(order)) {
          EXPECT_LT(found, exact + near) << rate << ' ' << deviation;
        }
        if (order > 2) loosest = std::max(loosest, found / exact - 1);
      }
    }
  }
  std::printf("orders above 2 are bounded to %.2g of themselves\n", loosest);
  EXPECT_LT(loosest, 0.02);
}

// Where there is so little noise that batches alone hide a record, only orders next to 1 tell: a
// step's divergence is about that of the steps which take the record, q/(2 sigma^2).
TEST(SampledGaussian, TakesOrdersNextToOne) {
  const SampledGaussian mechanism{.rate = 0.01, .deviation = 0.05, .steps = 5000};
  const double drawn = 5000 * 0.01 / (2 * 0.05 * 0.05);
  const double by_second = sampled_gaussian_renyi_up(mechanism, 2);
  const double epsilon = sampled_gaussian_epsilon_up(mechanism, 0.1);
  std::printf("epsilon %.0f; order 2 %.0f; what is drawn %.0f\n", epsilon, by_second, drawn);
  EXPECT_GT(by_second, 100 * drawn);
  EXPECT_LT(epsilon, 1.5 * drawn);
  EXPECT_GT(epsilon, 0.9 * drawn);
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
  EXPECT_TRUE(std::isfinite(sampled_gaussian_renyi_up({0.5, 1e200, 1}, 1.5)));
  EXPECT_THROW((void)sampled_gaussian_renyi_up({0.5, 1, 1}, 1), InvalidInput);
  EXPECT_THROW((void)sampled_gaussian_renyi_up({0.5, 1, 1}, 513), InvalidInput);
  EXPECT_THROW((void)sampled_gaussian_epsilon_up({0.5, 1, 1}, 0), InvalidInput);
}

}  // namespace
}  // namespace mollify
