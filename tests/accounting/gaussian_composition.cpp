#include "accounting/gaussian_composition.h"

#include <cmath>

#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "accounting/concentrated.h"
#include "kernel/core/invalid_input.h"
#include "not_finite.h"

namespace mollify {
namespace {

using HundredDigits = boost::multiprecision::cpp_bin_float_100;

HundredDigits delta_in_a_hundred_digits(double mu, double epsilon) {
  const auto phi = [](const HundredDigits& x) -> HundredDigits {
    return boost::math::erfc(HundredDigits(-x / sqrt(HundredDigits(2)))) / 2;
  };
  const HundredDigits half = HundredDigits(mu) / 2;
  const HundredDigits ratio = HundredDigits(epsilon) / mu;
  return phi(half - ratio) - exp(HundredDigits(epsilon)) * phi(-half - ratio);
}

TEST(GaussianComposition, DeltaAgainstAHundredDigits) {
  for (const double mu : {1e-6, 0.01, 0.5, 1.0, 4.0, 30.0}) {
    for (const double factor : {0.0, 0.1, 1.0, 3.0, 8.0, 30.0}) {
      const double epsilon = mu * mu / 2 + factor * mu;
      const HundredDigits exact = delta_in_a_hundred_digits(mu, epsilon);
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
