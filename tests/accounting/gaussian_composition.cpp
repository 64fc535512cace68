#include "accounting/gaussian_composition.h"

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "accounting/concentrated.h"
#include "accounting/directed_rounding.h"
#include "accounting/in_digits.h"
#include "accounting/normal_bounds.h"
#include "kernel/core/invalid_input.h"
#include "not_finite.h"

namespace mollify {
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
// has: the curve is not below what the tightest arguments make of it. Where the arguments are far
// out, one step of theirs moves the distribution by many of its own.
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
}  // namespace mollify
