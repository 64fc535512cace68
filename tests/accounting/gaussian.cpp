#include "accounting/gaussian.h"

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "accounting/composition.h"
#include "accounting/in_digits.h"
#include "accounting/lattice.h"
#include "base/directed_rounding.h"
#include "core/invalid_input.h"
#include "not_finite.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Adaptive gaussian.

namespace {

TEST(AdaptiveGaussian, IsTheContinuousGaussiansCurveBarelyMore) {
  for (const double epsilon : {0.1, 1.0, 5.0}) {
    for (const double mu : {0.05, 0.3, 1.0}) {
      const double continuous = gaussian_delta_up(mu, epsilon);
      const double adaptive = adaptive_gaussian_delta_up(mu * mu, epsilon);
      EXPECT_GE(adaptive, continuous * (1 - 1e-9)) << mu << " " << epsilon;
      EXPECT_LE(adaptive, continuous * (1 + 1e-6) + 1e-19) << mu << " " << epsilon;
    }
  }
}

// At an epsilon so small that the loss of all cells is not lost in its rounding.
TEST(AdaptiveGaussian, PaysForEachCellThatMayBeMeasured) {
  for (const double epsilon : {0.0, 1e-15, 1e-13, 1e-12, 1e-11}) {
    EXPECT_EQ(adaptive_gaussian_delta_up(0x1p-38, epsilon),
              lattice_curve_up(0x1p-19, 4, 0x1p42, epsilon));
  }
  EXPECT_NE(lattice_curve_up(0x1p-19, 4, 0x1p42, 1e-12), lattice_curve_up(0x1p-19, 4, 1, 1e-12));
}

TEST(AdaptiveGaussian, BudgetKeepsDeltaAndLeavesNothing) {
  for (const double epsilon : {0.01, 0.1, 1.0, 5.0, 50.0}) {
    for (const double delta : {1e-9, 1e-6, 1e-3}) {
      const double budget = adaptive_gaussian_budget_down(epsilon, delta);
      ASSERT_GT(budget, 0);
      EXPECT_LE(adaptive_gaussian_delta_up(budget, epsilon), delta);
      EXPECT_GT(adaptive_gaussian_delta_up(budget * (1 + 1e-6), epsilon), delta);
      // Twice rho is what zCDP would leave of mu^2: less, at every epsilon here.
      EXPECT_GT(budget, 2 * concentrated_rho_down(epsilon, delta));
    }
  }
  EXPECT_EQ(adaptive_gaussian_budget_down(1e-9, 1e-12), 0);
  EXPECT_THROW(static_cast<void>(adaptive_gaussian_budget_down(-1, 1e-6)), InvalidInput);
  EXPECT_THROW(static_cast<void>(adaptive_gaussian_budget_down(1, 1)), InvalidInput);
}

/// A pair of laws on finitely many outputs.
struct PairOfLaws {
  std::vector<long double> p;
  std::vector<long double> q;
};

/// Discrete Gaussians of one variance, one of them moved.
PairOfLaws moved_gaussian(double variance, int by) {
  PairOfLaws laws;
  const int reach = static_cast<int>(std::ceil(14 * std::sqrt(variance))) + by;
  long double sum = 0;
  for (int z = -reach; z <= reach; ++z) sum += std::exp(-0.5L * z * z / variance);
  for (int z = -reach; z <= reach; ++z) {
    laws.p.push_back(std::exp(-0.5L * z * z / variance) / sum);
    laws.q.push_back(std::exp(-0.5L * (z - by) * (z - by) / variance) / sum);
  }
  return laws;
}

/// Two outputs whose losses are r apart: the worst of bounded range r.
PairOfLaws two_outputs(double range, double greater) {
  const double p = std::expm1(range - greater) / (std::exp(range - greater) - std::exp(-greater));
  return {{p, 1 - p}, {p * std::exp(-greater), (1 - p) * std::exp(range - greater)}};
}

PairOfLaws product(const PairOfLaws& a, const PairOfLaws& b) {
  PairOfLaws both;
  for (std::size_t i = 0; i < a.p.size(); ++i) {
    for (std::size_t j = 0; j < b.p.size(); ++j) {
      both.p.push_back(a.p[i] * b.p[j]);
      both.q.push_back(a.q[i] * b.q[j]);
    }
  }
  return both;
}

double excess(const PairOfLaws& laws, double epsilon) {
  long double sum = 0;
  for (std::size_t i = 0; i < laws.p.size(); ++i) {
    sum += std::max(0.0L, laws.p[i] - std::exp(static_cast<long double>(epsilon)) * laws.q[i]);
  }
  return static_cast<double>(sum);
}

TEST(AdaptiveGaussian, NoMeasurementsAndChoicesTogetherHaveMore) {
  constexpr double kPi = 3.14159265358979323846;
  double nearest = 0;
  for (const double range : {0.2, 1.5}) {
    for (const double share : {0.1, 0.5, 0.9}) {
      const PairOfLaws choice = two_outputs(range, share * range);
      ASSERT_NEAR(static_cast<double>(choice.q[0] + choice.q[1]), 1, 1e-12);
      for (const double variance : {4.5, 9.0}) {
        const PairOfLaws measured =
            product(moved_gaussian(variance, 1), moved_gaussian(variance + 1, 1));
        const PairOfLaws all = product(product(measured, choice), choice);
        const double spent = 1 / (variance - kLatticePart) + 1 / (variance + 1 - kLatticePart) +
                             2 * kPi / 8 * range * range;
        for (const double epsilon : {0.0, 0.3, 1.0, 2.5}) {
          const double exact = excess(all, epsilon);
          const double claimed = adaptive_gaussian_delta_up(spent, epsilon);
          EXPECT_LE(exact, claimed) << range << " " << share << " " << variance << " " << epsilon;
          nearest = std::max(nearest, exact / claimed);
        }
      }
    }
  }
  std::printf("the greatest share of a claim that was seen: %.3f\n", nearest);
  EXPECT_GT(nearest, 0.8);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Gaussian composition.

namespace {

using test::gaussian_delta_in_digits;
using test::HundredDigits;

TEST(GaussianComposition, DeltaAgainstAHundredDigits) {
  for (const double mu : {1e-6, 0.01, 0.5, 1.0, 4.0, 30.0}) {
    for (const double factor : {0.0, 0.1, 1.0, 3.0, 8.0, 30.0}) {
      const double epsilon = mu * mu / 2 + factor * mu;
      const HundredDigits exact = gaussian_delta_in_digits(mu, epsilon);
      SCOPED_TRACE(::testing::Message() << "mu " << mu << " epsilon " << epsilon);
      EXPECT_GE(gaussian_delta_up(mu, epsilon), exact);
      const double first = 0.5 * std::erfc((epsilon / mu - mu / 2) / std::sqrt(2.0));
      if (mu / 2 + epsilon / mu <= 30) {
        EXPECT_LE(gaussian_delta_up(mu, epsilon), exact + first * 0x1p-36 + 1e-300);
      }
    }
  }
  EXPECT_NEAR(gaussian_delta_up(1.0, 0.0), std::erf(1 / std::sqrt(8.0)), 1e-13);
}

/// sign·mu/2 − epsilon/mu as the next double on that side.
double argument_towards(mpfr_rnd_t side, int sign, double mu, double epsilon) {
  mpfr_t sum;
  mpfr_t ratio;
  mpfr_inits2(400, sum, ratio, nullptr);
  mpfr_set_d(sum, sign * mu / 2, MPFR_RNDN);
  mpfr_set_d(ratio, epsilon, MPFR_RNDN);
  mpfr_div_d(ratio, ratio, mu, MPFR_RNDN);
  mpfr_sub(sum, sum, ratio, MPFR_RNDN);
  const double argument = mpfr_get_d(sum, side);
  mpfr_clears(sum, ratio, nullptr);
  return argument;
}

double exp_towards(mpfr_rnd_t side, double x) {
  mpfr_t power;
  mpfr_init2(power, 53);
  mpfr_set_d(power, x, MPFR_RNDN);
  mpfr_exp(power, power, side);
  const double rounded = mpfr_get_d(power, side);
  mpfr_clear(power);
  return rounded;
}

// Each part of the formula is rounded outward by itself, whatever slack the normal distribution
// has: the curve is not below what the tightest arguments make of it. If the arguments are far out,
// one step of theirs moves the distribution by many of its own.
TEST(GaussianComposition, DeltaRoundsEachPartOutward) {
  std::mt19937_64 random(20260131);
  std::uniform_real_distribution<double> mus(0.5, 8.0);
  std::uniform_real_distribution<double> distances(5.0, 20.0);
  for (int i = 0; i < 2000; ++i) {
    const double mu = mus(random);
    const double epsilon = mu * (mu / 2 + distances(random));
    const double first = normal_cdf_up(argument_towards(MPFR_RNDU, 1, mu, epsilon));
    const double tail = normal_cdf_down(argument_towards(MPFR_RNDD, -1, mu, epsilon));
    const double second = -mul_up(-exp_towards(MPFR_RNDD, epsilon), tail);
    ASSERT_GE(gaussian_delta_up(mu, epsilon), std::min(1.0, add_up(first, -second)))
        << mu << ' ' << epsilon;
  }
}

// The square of a draw's mu, times their number, is at most the square of the whole, exactly.
TEST(GaussianComposition, MuPerDrawKeepsTheWhole) {
  mpfr_t left;
  mpfr_t right;
  mpfr_inits2(400, left, right, nullptr);
  const auto passes = [&](double draw, std::uint64_t releases, double total) {
    mpfr_set_d(left, draw, MPFR_RNDN);
    mpfr_sqr(left, left, MPFR_RNDN);
    mpfr_set_d(right, total, MPFR_RNDN);
    mpfr_sqr(right, right, MPFR_RNDN);
    mpfr_div(right, right, left, MPFR_RNDN);
    mpfr_set_uj(left, releases, MPFR_RNDN);
    return mpfr_less_p(right, left) != 0;
  };
  std::mt19937_64 random(20260131);
  for (int i = 0; i < 5000; ++i) {
    const double total = 0.01 + std::generate_canonical<double, 53>(random);
    // Of all sizes, also those that no double is.
    const std::uint64_t releases = (random() >> (random() % 63)) | 2U;
    const double draw = mu_per_draw_down(total, releases);
    ASSERT_FALSE(passes(draw, releases, total)) << total << ' ' << releases;
    ASSERT_TRUE(passes(draw * (1 + 0x1p-50), releases, total)) << total << ' ' << releases;
  }
  mpfr_clears(left, right, nullptr);
}

TEST(GaussianComposition, EpsilonInverts) {
  for (const double mu : {0.01, 1.0, 5.0}) {
    for (const double delta : {1e-12, 1e-6, 0.1}) {
      const double epsilon = gaussian_epsilon_up(mu, delta);
      EXPECT_LE(gaussian_delta_up(mu, epsilon), delta);
      if (epsilon > 0) {
        EXPECT_GT(gaussian_delta_up(mu, epsilon * (1 - 1e-9)), delta * (1 - 1e-6));
      }
      EXPECT_LE(epsilon, concentrated_epsilon_up(concentrated_rho_of_gaussian_up(mu), delta));
    }
  }
  EXPECT_EQ(gaussian_epsilon_up(1.0, 0.0), test::kInfinity);
  EXPECT_EQ(gaussian_epsilon_up(1.0, 1.0), 0.0);
}

TEST(GaussianComposition, RefusesTheImpossible) {
  for (const double bad : {0.0, -1.0, 1001.0, test::kNan, test::kInfinity}) {
    EXPECT_THROW((void)gaussian_delta_up(bad, 1.0), InvalidInput);
    EXPECT_THROW((void)gaussian_epsilon_up(bad, 0.1), InvalidInput);
  }
  EXPECT_THROW((void)gaussian_delta_up(1.0, -1.0), InvalidInput);
  EXPECT_THROW((void)gaussian_epsilon_up(1.0, 1.5), InvalidInput);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Gaussian lower bound.

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
  // Two means 2 R apart are distinguished except for p ~ alpha: e^(n epsilon) ≥ (1 − p)/p.
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

// -----------------------------------------------------------------------------------------------
// Sampled gaussian.

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

// Without sampling it is the Gaussian mechanism: order a has a/(2 sigma^2), and conversion is
// zCDP's at whole orders.
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

// If there is so little noise that batches alone hide a record, only orders next to 1 show it: a
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
