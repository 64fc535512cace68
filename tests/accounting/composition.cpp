#include "accounting/composition.h"

#include <mpfr.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/invalid_input.h"
#include "not_finite.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Composition.

namespace {

using test::kInfinity;
using test::kNan;

/// Sign of releases·epsilon − total in exact arithmetic.
int compare_product(double epsilon, std::uint64_t releases, double total) {
  mpfr_t product;
  mpfr_init2(product, 200);
  mpfr_set_d(product, epsilon, MPFR_RNDN);
  mpfr_mul_ui(product, product, releases, MPFR_RNDN);
  const int sign = mpfr_cmp_d(product, total);
  mpfr_clear(product);
  return sign;
}

/// delta(epsilon′) by its definition in 300-bit arithmetic, rounded to the nearest double.
double exact_delta(double epsilon, std::uint64_t k, double total) {
  mpfr_t sum, left, right, binomial, scale;
  mpfr_inits2(300, sum, left, right, binomial, scale, nullptr);
  mpfr_set_zero(sum, 1);
  mpfr_set_ui(binomial, 1, MPFR_RNDN);
  for (std::uint64_t l = 0; l <= k; ++l) {
    if (l > 0) {
      mpfr_mul_ui(binomial, binomial, k - l + 1, MPFR_RNDN);
      mpfr_div_ui(binomial, binomial, l, MPFR_RNDN);
    }
    mpfr_set_d(left, epsilon, MPFR_RNDN);
    mpfr_mul_ui(left, left, l, MPFR_RNDN);
    mpfr_set_d(right, epsilon, MPFR_RNDN);
    mpfr_mul_ui(right, right, k - l, MPFR_RNDN);
    mpfr_add_d(right, right, total, MPFR_RNDN);
    if (mpfr_lessequal_p(left, right) != 0) continue;
    mpfr_exp(left, left, MPFR_RNDN);
    mpfr_exp(right, right, MPFR_RNDN);
    mpfr_sub(left, left, right, MPFR_RNDN);
    mpfr_mul(left, left, binomial, MPFR_RNDN);
    mpfr_add(sum, sum, left, MPFR_RNDN);
  }
  mpfr_set_d(scale, epsilon, MPFR_RNDN);
  mpfr_exp(scale, scale, MPFR_RNDN);
  mpfr_add_ui(scale, scale, 1, MPFR_RNDN);
  mpfr_pow_ui(scale, scale, k, MPFR_RNDN);
  mpfr_div(sum, sum, scale, MPFR_RNDN);
  const double delta = mpfr_get_d(sum, MPFR_RNDN);
  mpfr_clears(sum, left, right, binomial, scale, nullptr);
  return delta;
}

TEST(BasicComposition, RoundsOnTheSafeSide) {
  EXPECT_EQ(basic_composition_epsilon_up(0.25, 4), 1.0);
  EXPECT_EQ(epsilon_per_draw_down(1.0, 4), 0.25);
  EXPECT_GE(compare_product(0.1, 3, 0.3), 1);  // 3·0.1 > 0.3 in doubles' exact values
  EXPECT_LE(compare_product(epsilon_per_draw_down(0.3, 3), 3, 0.3), 0);
}

RC_GTEST_PROP(BasicCompositionProperty, PerDrawIsTheLargestThatFits, ()) {
  const double total = std::exp(0.001 * *rc::gen::inRange(-14000, 4000));
  const std::uint64_t releases = *rc::gen::inRange<std::uint64_t>(1, 10'000'000);
  const double draw = epsilon_per_draw_down(total, releases);
  RC_ASSERT(compare_product(draw, releases, total) <= 0);
  RC_ASSERT(compare_product(std::nextafter(draw, kInfinity), releases, total) > 0);
  RC_ASSERT(compare_product(total, releases, basic_composition_epsilon_up(total, releases)) <= 0);
}

TEST(OptimalComposition, AgainstTheDefinition) {
  for (const double epsilon : {1e-6, 1e-3, 0.1, 1.0, 5.0, 30.0}) {
    for (const std::uint64_t k : {1U, 2U, 3U, 10U, 100U, 1000U}) {
      const OptimalComposition composition(epsilon, k);
      const double basic = static_cast<double>(k) * epsilon;
      for (const double fraction : {0.0, 1e-9, 0.1, 0.33, 0.5, 0.9, 0.999, 1.0 - 1e-12, 1.0}) {
        const double total = fraction * basic;
        const double exact = exact_delta(epsilon, k, total);
        const double upper = composition.delta_up(total);
        SCOPED_TRACE(::testing::Message() << "eps " << epsilon << " k " << k << " total " << total);
        EXPECT_GE(upper, exact);
        EXPECT_LE(upper, exact * (1.0 + 0x1p-47 * static_cast<double>(k + 4)) + 1e-297);
      }
    }
  }
}

// One release: delta(epsilon′) = (e^epsilon − e^epsilon′)/(1 + e^epsilon), and delta(0) is the
// total variation of randomized response.
TEST(OptimalComposition, OneRelease) {
  const OptimalComposition one(1.0, 1);
  const double e = std::exp(1.0);
  EXPECT_NEAR(one.delta_up(0.0), (e - 1.0) / (e + 1.0), 1e-14);
  EXPECT_NEAR(one.delta_up(0.5), (e - std::exp(0.5)) / (e + 1.0), 1e-14);
  EXPECT_EQ(one.delta_up(1.0), 0.0);
  EXPECT_EQ(one.epsilon_up(1.0), 0.0);
  EXPECT_EQ(one.epsilon_up(0.0), 1.0);
}

TEST(OptimalComposition, MillionReleases) {
  const OptimalComposition composition(1e-3, 1'000'000);
  const double total = composition.epsilon_up(1e-6);
  EXPECT_LT(total, 10.0);  // basic composition says 1000
  EXPECT_GT(total, 4.0);
  EXPECT_LE(composition.delta_up(total), 1e-6);
  EXPECT_GT(composition.delta_up(total * (1.0 - 1e-9)), 1e-6 * (1.0 - 1e-7));
}

RC_GTEST_PROP(OptimalCompositionProperty, MonotoneAndNeverAboveBasic, ()) {
  const double epsilon = std::exp(0.001 * *rc::gen::inRange(-14000, 3400));
  const std::uint64_t k = *rc::gen::inRange<std::uint64_t>(1, 300);
  const OptimalComposition composition(epsilon, k);
  const double basic = basic_composition_epsilon_up(epsilon, k);
  const double delta = std::exp(-0.01 * *rc::gen::inRange(0, 5000));
  const double total = composition.epsilon_up(delta);
  RC_ASSERT(total >= 0.0);
  RC_ASSERT(total <= basic);
  RC_ASSERT(composition.delta_up(total) <= delta);
  if (total > 0.0)
    RC_ASSERT(exact_delta(epsilon, k, total * (1.0 - 1e-6)) >= delta * (1.0 - 1e-6) ||
              total == basic);
  double before = 1.0;
  for (int i = 0; i <= 10; ++i) {
    const double here = composition.delta_up(0.1 * i * basic);
    RC_ASSERT(here <= before * (1.0 + 1e-12));
    before = here;
  }
  RC_ASSERT(composition.delta_up(basic) == 0.0);
}

// At the sum of all epsilon delta is 1 − (1−delta₀)^k alone, and never below it.
TEST(OptimalComposition, LeaksAreRoundedUp) {
  std::mt19937_64 random(20260131);
  mpfr_t exact;
  mpfr_init2(exact, 500);
  for (int i = 0; i < 5000; ++i) {
    const double delta0 = std::exp(-40 * std::generate_canonical<double, 53>(random));
    const std::uint64_t k = 1 + (random() & 0xfffffU) / (1U << (random() % 20));
    const OptimalComposition composition(0.5, k, delta0);
    const double leaked = composition.delta_up(0.5 * static_cast<double>(k));
    mpfr_set_d(exact, delta0, MPFR_RNDN);
    mpfr_ui_sub(exact, 1, exact, MPFR_RNDN);
    mpfr_pow_ui(exact, exact, k, MPFR_RNDN);
    mpfr_ui_sub(exact, 1, exact, MPFR_RNDN);
    ASSERT_LE(mpfr_cmp_d(exact, leaked), 0) << delta0 << " k " << k;
    ASSERT_GE(mpfr_cmp_d(exact, leaked * (1 - 0x1p-47)), 0) << delta0 << " k " << k;
  }
  mpfr_clear(exact);
}

// k releases that are (epsilon, delta₀)-DP: 1 − (1−delta₀)^k·(1 − delta(epsilon′)), in bits enough
// for 10^−300.
TEST(OptimalComposition, ApproximateReleasesAgainstTheDefinition) {
  for (const double delta0 : {1e-300, 1e-9, 1e-3, 0.5, 1.0}) {
    for (const std::uint64_t k : {1U, 7U, 1000U}) {
      const OptimalComposition composition(0.5, k, delta0);
      for (const double fraction : {0.0, 0.1, 0.5, 1.0}) {
        const double total = fraction * 0.5 * static_cast<double>(k);
        mpfr_t kept, pure;
        mpfr_inits2(1400, kept, pure, nullptr);
        mpfr_set_d(kept, delta0, MPFR_RNDN);
        mpfr_ui_sub(kept, 1, kept, MPFR_RNDN);
        mpfr_pow_ui(kept, kept, k, MPFR_RNDN);
        mpfr_set_d(pure, exact_delta(0.5, k, total), MPFR_RNDN);
        mpfr_ui_sub(pure, 1, pure, MPFR_RNDN);
        mpfr_mul(kept, kept, pure, MPFR_RNDN);
        mpfr_ui_sub(kept, 1, kept, MPFR_RNDN);
        const double exact = mpfr_get_d(kept, MPFR_RNDN);
        mpfr_clears(kept, pure, nullptr);
        SCOPED_TRACE(::testing::Message() << delta0 << " k " << k << " total " << total);
        EXPECT_GE(composition.delta_up(total), exact);
        EXPECT_LE(composition.delta_up(total), exact * (1.0 + 1e-11));
      }
    }
  }
  const OptimalComposition ten(0.1, 10, 1e-7);
  EXPECT_EQ(ten.epsilon_up(0.9e-6), kInfinity);
  EXPECT_LT(ten.epsilon_up(1e-5), 1.0);
  EXPECT_LE(ten.delta_up(ten.epsilon_up(1e-5)), 1e-5);
  EXPECT_LE(ten.epsilon_up(1e-6), basic_composition_epsilon_up(0.1, 10));
}

TEST(Composition, RefusesTheImpossible) {
  for (const double epsilon : {0.0, -1.0, kNan, kInfinity}) {
    EXPECT_THROW((void)basic_composition_epsilon_up(epsilon, 1), InvalidInput);
    EXPECT_THROW((void)epsilon_per_draw_down(epsilon, 1), InvalidInput);
    EXPECT_THROW(OptimalComposition(epsilon, 1), InvalidInput);
  }
  EXPECT_THROW((void)epsilon_per_draw_down(1.0, 0), InvalidInput);
  EXPECT_THROW((void)epsilon_per_draw_down(1.0, (std::uint64_t{1} << 53) + 1), InvalidInput);
  EXPECT_THROW(OptimalComposition(701.0, 1), InvalidInput);
  EXPECT_THROW(OptimalComposition(1.0, (std::uint64_t{1} << 20) + 1), InvalidInput);
  EXPECT_THROW(OptimalComposition(1.0, 1, -1e-9), InvalidInput);
  EXPECT_THROW(OptimalComposition(1.0, 1, kNan), InvalidInput);
  const OptimalComposition composition(1.0, 3);
  EXPECT_THROW((void)composition.delta_up(-0.1), InvalidInput);
  EXPECT_THROW((void)composition.delta_up(kNan), InvalidInput);
  EXPECT_THROW((void)composition.epsilon_up(-0.1), InvalidInput);
  EXPECT_THROW((void)composition.epsilon_up(1.1), InvalidInput);
  EXPECT_THROW((void)composition.epsilon_up(kNan), InvalidInput);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Concentrated.

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

// The promise of a rho-zCDP release holds for the Gaussian mechanism in particular, whose delta is
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

// -----------------------------------------------------------------------------------------------
// Record rounding.

namespace {

double rounding_normal_density(double x, double variance) {
  return std::exp(-x * x / (2 * variance)) / std::sqrt(2 * std::numbers::pi * variance);
}

/// The total variation that is bounded, for one coordinate and `records` weights of 1/records: all
/// points of the lattice, and a sum over a fine grid of x.
double exact_rounding_error(int records, double mean, double step, double deviation) {
  const int reach = static_cast<int>(12 / step);
  const auto at = [&](int k) { return static_cast<std::size_t>(k + reach); };
  std::vector<double> one(at(reach) + 1);
  for (int k = -reach; k <= reach; ++k) {
    const double low = (k - 0.5) * step - mean, high = (k + 0.5) * step - mean;
    one[at(k)] = (std::erfc(low / std::numbers::sqrt2) - std::erfc(high / std::numbers::sqrt2)) / 2;
  }
  std::vector<double> sum = one;  // of `records`, over their lattice
  for (int i = 1; i < records; ++i) {
    std::vector<double> next(sum.size() + one.size() - 1);
    for (std::size_t a = 0; a < sum.size(); ++a) {
      for (std::size_t b = 0; b < one.size(); ++b) next[a + b] += sum[a] * one[b];
    }
    sum = next;
  }
  const double squares = 1.0 / records;
  double total = 0;
  const double fine = 0.02 * std::fmin(deviation, 1);
  for (double x = mean - 9; x < mean + 9; x += fine) {
    double density = 0;
    for (std::size_t k = 0; k < sum.size(); ++k) {
      const double point =
          (static_cast<double>(k) - static_cast<double>(records * reach)) * step / records;
      if (std::abs(x - point) > 9 * deviation) continue;
      density += sum[k] * rounding_normal_density(x - point, deviation * deviation);
    }
    total +=
        std::abs(density - rounding_normal_density(x - mean, squares + deviation * deviation)) *
        fine / 2;
  }
  return total;
}

TEST(RecordRounding, ErrorIsBounded) {
  for (const int records : {1, 2, 3}) {
    for (const double step : {0.25, 0.5, 1., 1.5}) {
      for (const double deviation : {0.3, 0.7, 1.}) {
        for (const double mean : {0., 0.4}) {
          const double bound = record_rounding_error_up(1, 1.0 / records, step, deviation);
          const double exact = exact_rounding_error(records, mean, step, deviation);
          EXPECT_LE(exact, bound) << records << " records, step " << step << ", deviation "
                                  << deviation << ", mean " << mean;
        }
      }
    }
  }
}

/// Of second order in the step, and nothing is promised where the lattice is coarser than the
/// noise.
TEST(RecordRounding, FallsWithTheSquareOfTheStep) {
  EXPECT_NEAR(
      record_rounding_error_up(3, 0.01, 1e-4, 1) / record_rounding_error_up(3, 0.01, 1e-5, 1), 100,
      0.1);
  EXPECT_LT(record_rounding_error_up(100, 1e-6, 0x1p-8, 1), 1e-7);
  EXPECT_EQ(record_rounding_error_up(1, 1, 10, 1), 1);
}

}  // namespace

}  // namespace mollify
