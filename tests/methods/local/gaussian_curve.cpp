#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <boost/math/distributions/normal.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "accounting/gaussian.h"
#include "core/invalid_input.h"
#include "kernel/public_matrix.h"
#include "methods/local/mechanism.h"
#include "sanitized.h"

namespace mollify {

namespace {

using Wide = boost::multiprecision::cpp_bin_float_50;

Wide cumulative(const Wide& x) { return erfc(-x / sqrt(Wide(2))) / 2; }

/// The curve of docs/theory/band.md in fifty digits.
Wide wide_curve(double nu, double b) {
  const Wide n = nu;
  return cumulative(n / 2 - b / n) - exp(Wide(b)) * cumulative(-n / 2 - b / n);
}

/// inf over B of [e^B - 1 + delta(B) / min(alpha, 1 - alpha)] / [(1 - c1) e^B + c2 - 1] with
/// c1 = 0, c2 = 1 / h_min and alpha = h_min, over a grid: coarse first, then around its best.
double weight_by_grid(double nu, double least_mass) {
  const auto ratio = [&](double b) {
    const Wide grown = exp(Wide(b));
    const Wide value =
        (grown - 1 + wide_curve(nu, b) / least_mass) / (grown + 1 / Wide(least_mass) - 1);
    return value.convert_to<double>();
  };
  double low = 0, high = 10 * nu + nu * nu, best = 1, at = 0;
  for (int round = 0; round < 8; ++round) {
    const double step = (high - low) / 50;
    for (int i = 0; i <= 50; ++i) {
      const double b = low + step * i;
      const double found = ratio(b);
      if (found < best) {
        best = found;
        at = b;
      }
    }
    low = std::max(0.0, at - 2 * step);
    high = at + 2 * step;
  }
  return best;
}

TEST(GaussianCurve, IsTheHockeyStickOfTwoGaussians) {
  const boost::math::normal normal;
  for (const double nu : {0.01, 0.5, 1.0, 3.0, 10.0}) {
    for (const double b : {0.0, 0.1, 1.0, 5.0}) {
      EXPECT_NEAR(gaussian_curve(nu, b), wide_curve(nu, b).convert_to<double>(), 1e-15);
    }
    // At B = 0 it is the total variation between N(0,1) and N(nu,1).
    EXPECT_NEAR(gaussian_curve(nu, 0), 2 * boost::math::cdf(normal, nu / 2) - 1, 1e-15);
  }
}

TEST(GaussianCurve, WeightIsTheInfimumOfTheFormula) {
  using Numbers = std::vector<double>;
  for (const double nu :
       test::whole_or_sanitized<Numbers>({0.001, 0.05, 0.5, 1.0, 2.0, 4.0}, {0.5})) {
    for (const double least_mass : {0.5, 0.25, 0.01, 1e-6}) {
      const double expected = weight_by_grid(nu, least_mass);
      const double weight = gaussian_curve_weight_down(nu, least_mass);
      EXPECT_LE(weight, expected) << "nu " << nu << " least mass " << least_mass;
      EXPECT_NEAR(weight, expected, 3e-9 * expected) << "nu " << nu << " least mass " << least_mass;
    }
  }
}

// Two outcomes alike: binary randomized response, whose only relevant order is B = 0, so the
// weight is the total variation between the Gaussians.
TEST(GaussianCurve, KnownLimits) {
  for (const double nu : {0.001, 1.0, 6.0}) {
    EXPECT_NEAR(gaussian_curve_weight_down(nu, 0.5), gaussian_curve(nu, 0),
                2e-9 * gaussian_curve(nu, 0));
  }
  EXPECT_GT(gaussian_curve_weight_down(20, 0.5), 1 - 2e-9);
  EXPECT_LT(gaussian_curve_weight_down(1, 1e-12), 1e-8);
  double before = 0;
  for (double nu = 0.001; nu <= 20; nu *= 1.3) {
    const double weight = gaussian_curve_weight_down(nu, 0.01);
    EXPECT_GT(weight, before);
    before = weight;
  }
}

/// A part of a budget that is rounded down is as good as the least mu, and keeps no more.
TEST(GaussianCurve, TakesTheLeastMuAsAPartOfABudget) {
  const double part = mu_per_draw_down(0.01, 100);
  ASSERT_LT(part, 0.001);
  EXPECT_LE(gaussian_curve_weight_down(part, 0.5), gaussian_curve_weight_down(0.001, 0.5));
  EXPECT_THROW(static_cast<void>(gaussian_curve_weight_down(0.000999, 0.5)), InvalidInput);
}

TEST(GaussianCurve, ChannelIsPrivateAndALittleMoreIsNot) {
  std::mt19937_64 random(1);
  for (const double nu : {0.001, 0.03, 0.5, 1.0, 5.0, 20.0}) {
    for (const std::size_t k : {2U, 3U, 20U, 300U}) {
      for (const double spread : {0.0, 4.0, 40.0, 690.0}) {
        SCOPED_TRACE(::testing::Message() << "nu " << nu << " k " << k << " spread " << spread);
        const auto h = test::uneven_masses(k, spread, random);
        const MixtureChannel channel = gaussian_curve_channel(h, nu);
        EXPECT_TRUE(is_gaussian_private(channel, nu));
        const double weight = static_cast<double>(channel.keep()) / 0x1p62;
        const double more = weight * (1 + 1e-6);
        // With weights so near to one or so small that doubles or the 2^62 parts cannot show
        // a millionth more, there is nothing to refuse.
        if (more < 1 && weight > 1e-11) {
          EXPECT_FALSE(is_gaussian_private(MixtureChannel::with_weight(h, more), nu));
        }
      }
    }
  }
  EXPECT_TRUE(is_gaussian_private(MixtureChannel::with_weight(std::vector<double>{1}, 1), 0.001));
}

// The rows themselves, not the derivation: hockey sticks of every pair, at orders around the
// tightest and beyond.
TEST(GaussianCurve, HockeySticksOfRowsStayUnderTheCurve) {
  std::mt19937_64 random(2);
  double closest = 1;
  for (const double nu : {0.1, 1.0, 3.0}) {
    const auto h = test::normalised_masses(test::uneven_masses(6, 3, random));
    const MixtureChannel channel = gaussian_curve_channel(h, nu);
    for (int step = 0; step <= 1000; ++step) {
      const double b = 6 * nu * step / 1000;
      for (std::size_t x = 0; x < 6; ++x) {
        for (std::size_t y = 0; y < 6; ++y) {
          double stick = 0;
          for (std::size_t j = 0; j < 6; ++j) {
            stick += std::max(0.0, test::probability(channel, x, j) -
                                       std::exp(b) * test::probability(channel, y, j));
          }
          EXPECT_LE(stick, gaussian_curve(nu, b) + 1e-15);
          if (stick > 0) closest = std::min(closest, gaussian_curve(nu, b) / stick - 1);
        }
      }
    }
  }
  EXPECT_LT(closest, 1e-4) << "the curve is touched";
}

TEST(GaussianCurve, RefusesOtherMu) {
  for (const double nu : {0.0, -1.0, 1e-4, 21.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW((void)gaussian_curve_weight_down(nu, 0.1), InvalidInput);
  }
  try {
    static_cast<void>(gaussian_curve_weight_down(21, 0.1));
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(), "mu must be from 0.001 to 20, but is 21");
  }
}

}  // namespace

}  // namespace mollify
