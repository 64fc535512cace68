#include "accounting/composition.h"

#include <mpfr.h>

#include <cmath>
#include <cstdint>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kernel/core/invalid_input.h"
#include "not_finite.h"

namespace mollify {
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
}  // namespace mollify
