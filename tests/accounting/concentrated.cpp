#include "accounting/concentrated.h"

#include <cmath>
#include <limits>

#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kernel/core/invalid_input.h"
#include "not_finite.h"

namespace mollify {
namespace {

using test::kInfinity;
using test::kNan;
using Precise = boost::multiprecision::cpp_bin_float_50;

/// The logarithm of the bound of Corollary 13 at a = 1 + b.
Precise ln_delta_at(const Precise& rho, const Precise& epsilon, const Precise& b) {
  const Precise a = 1 + b;
  return b * (a * rho - epsilon) - log(a) + b * log(b / a);
}

/// Its least value over b, by golden section on ln b in 50 digits: it falls and then rises.
Precise least_delta(double rho, double epsilon) {
  const Precise golden = (sqrt(Precise(5)) - 1) / 2;
  const auto at = [&](const Precise& x) { return ln_delta_at(rho, epsilon, exp(x)); };
  Precise left = -20;
  Precise right = 30;
  Precise low = right - golden * (right - left);
  Precise high = left + golden * (right - left);
  Precise at_low = at(low);
  Precise at_high = at(high);
  for (int i = 0; i < 55; ++i) {
    if (at_low < at_high) {
      right = high;
      high = low;
      at_high = at_low;
      low = right - golden * (right - left);
      at_low = at(low);
    } else {
      left = low;
      low = high;
      at_low = at_high;
      high = left + golden * (right - left);
      at_high = at(high);
    }
  }
  return exp(at((left + right) / 2));
}

/// delta of N(0,1) from N(mu,1), which is (mu²/2)-zCDP [Balle, Wang 2018, Theorem 8].
Precise gaussian_delta(const Precise& mu, const Precise& epsilon) {
  const auto phi = [](const Precise& x) -> Precise {
    return boost::math::erfc(-x / sqrt(Precise(2))) / 2;
  };
  return phi(mu / 2 - epsilon / mu) - exp(epsilon) * phi(-mu / 2 - epsilon / mu);
}

TEST(Concentrated, DeltaAgainstFiftyDigits) {
  for (const double rho : {1e-9, 1e-4, 0.02, 0.5, 3.0, 40.0}) {
    for (const double factor : {0.0, 0.3, 1.0, 4.0, 20.0}) {
      const double epsilon = rho + factor * std::sqrt(rho);
      const double up = concentrated_delta_up(rho, epsilon);
      const Precise least = least_delta(rho, epsilon);
      SCOPED_TRACE(::testing::Message() << "rho " << rho << " epsilon " << epsilon);
      if (least >= 1) {
        EXPECT_EQ(up, 1.0);
      } else {
        EXPECT_GE(up, least);
        EXPECT_LE(up, least * (1 + 0x1p-40));
      }
    }
  }
}

// Next to 1 all that rounds is the last step, the power.
TEST(Concentrated, DeltaIsRoundedUpNextToOne) {
  for (const double rho : {8.0, 9.3, 10.0, 11.7, 13.1, 14.9, 16.0, 17.3}) {
    for (const double epsilon : {0.0, 0.1, 0.7, 1.1}) {
      const double up = concentrated_delta_up(rho, epsilon);
      const Precise least = least_delta(rho, epsilon);
      EXPECT_GE(up, least) << rho << ' ' << epsilon;
      EXPECT_LE(up, least * (1 + 0x1p-50)) << rho << ' ' << epsilon;
    }
  }
}

// What a rho-zCDP release promises holds for the Gaussian mechanism in particular, whose delta is
// known; and the bound is not far above it.
TEST(Concentrated, DeltaIsThatOfTheGaussianMechanismOrMore) {
  for (const double rho : {1e-4, 0.02, 0.5, 3.0}) {
    for (const double factor : {0.5, 1.0, 3.0, 7.0}) {
      const double epsilon = rho + factor * std::sqrt(rho);
      const Precise exact = gaussian_delta(sqrt(2 * Precise(rho)), epsilon);
      EXPECT_GE(concentrated_delta_up(rho, epsilon), exact);
      EXPECT_LE(concentrated_delta_up(rho, epsilon), 7 * exact) << rho << " " << epsilon;
    }
  }
}

TEST(Concentrated, KnownCells) {
  EXPECT_EQ(concentrated_rho_of_pure_up(1.0), 0.5);
  EXPECT_EQ(concentrated_rho_of_pure_up(0.0), 0.0);
  EXPECT_EQ(concentrated_rho_of_gaussian_up(2.0), 2.0);
  EXPECT_GT(concentrated_rho_of_pure_up(1e-300), 0.0);
  EXPECT_EQ(concentrated_delta_up(0.0, 0.0), 0.0);
  EXPECT_EQ(concentrated_delta_up(1e300, 1.0), 1.0);
  EXPECT_EQ(concentrated_epsilon_up(0.0, 0.0), 0.0);
  EXPECT_EQ(concentrated_epsilon_up(0.5, 0.0), kInfinity);
  EXPECT_EQ(concentrated_epsilon_up(0.5, 1.0), 0.0);
  EXPECT_EQ(concentrated_rho_down(1.0, 0.0), 0.0);
  // Bun and Steinke's simpler form says 0.5 + 2√(0.5·ln 10⁶) = 5.757.
  EXPECT_NEAR(concentrated_epsilon_up(0.5, 1e-6), 5.2215344, 1e-7);
}

RC_GTEST_PROP(ConcentratedProperty, InversionsAreOnTheirSides, ()) {
  const double rho = std::exp(0.001 * *rc::gen::inRange(-20000, 4000));
  const double delta = std::exp(-0.01 * *rc::gen::inRange(1, 5000));
  const double epsilon = concentrated_epsilon_up(rho, delta);
  RC_ASSERT(concentrated_delta_up(rho, epsilon) <= delta);
  RC_ASSERT(epsilon == 0.0 ||
            concentrated_delta_up(rho, epsilon * (1 - 1e-9)) > delta * (1 - 1e-6));
  const double allowed = std::exp(0.001 * *rc::gen::inRange(-10000, 4000));
  const double greatest = concentrated_rho_down(allowed, delta);
  RC_ASSERT(greatest > 0.0);
  RC_ASSERT(concentrated_delta_up(greatest, allowed) <= delta);
  RC_ASSERT(concentrated_delta_up(greatest * (1 + 1e-9), allowed) > delta * (1 - 1e-6));
  RC_ASSERT(concentrated_delta_up(rho, 2 * epsilon) <= delta);
}

TEST(Concentrated, PureAndGaussianRoundUp) {
  for (const double value : {1e-200, 0.1, 0.3, 1.7, 30.0}) {
    const Precise exact = Precise(value) * Precise(value) / 2;
    EXPECT_GE(concentrated_rho_of_pure_up(value), exact);
    EXPECT_GE(concentrated_rho_of_gaussian_up(value), exact);
    EXPECT_LE(concentrated_rho_of_pure_up(value), exact * (1 + 0x1p-51) + 1e-320);
  }
}

TEST(Concentrated, RefusesTheImpossible) {
  for (const double bad : {-1.0, kNan, kInfinity}) {
    EXPECT_THROW((void)concentrated_rho_of_pure_up(bad), InvalidInput);
    EXPECT_THROW((void)concentrated_rho_of_gaussian_up(bad), InvalidInput);
    EXPECT_THROW((void)concentrated_delta_up(bad, 1.0), InvalidInput);
    EXPECT_THROW((void)concentrated_delta_up(1.0, bad), InvalidInput);
    EXPECT_THROW((void)concentrated_epsilon_up(bad, 0.1), InvalidInput);
    EXPECT_THROW((void)concentrated_rho_down(bad, 0.1), InvalidInput);
  }
  for (const double bad : {-0.1, 1.1, kNan}) {
    EXPECT_THROW((void)concentrated_epsilon_up(1.0, bad), InvalidInput);
    EXPECT_THROW((void)concentrated_rho_down(1.0, bad), InvalidInput);
  }
  EXPECT_THROW((void)concentrated_rho_down(1.0, 1.0), InvalidInput);
}

}  // namespace
}  // namespace mollify
