#include "accounting/shuffling.h"

#include <mpfr.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>

#include <gtest/gtest.h>

#include "accounting/in_digits.h"
#include "core/invalid_input.h"
#include "not_finite.h"

namespace mollify {

namespace {

double total_variation(double k, double epsilon0) {
  return (k - 1.0) / (std::exp(epsilon0) + k - 1.0);
}

// n = 10^4, k = 20 and n = 10^5, k = 1000 at epsilon = 1, delta = 10^-6; m = n, or about n/10.
TEST(ShuffleAmplification, TotalVariationsOfTheTable) {
  struct Row {
    std::uint64_t n;
    std::uint64_t k;
    double all;
    double tenth;
    double closed;
  };
  for (const Row& row :
       {Row{10'000, 20, .069, .0060, .316}, Row{100'000, 1000, .2345, .030, .708}}) {
    const double k = static_cast<double>(row.k);
    const double all = total_variation(k, shuffle_epsilon0_down(row.n, row.k, 1, 1e-6));
    const double tenth = total_variation(k, shuffle_epsilon0_down(row.n, row.k, 1, 1e-6, 0.1));
    const double subset =
        total_variation(k, subset_epsilon0_down(row.n, row.n / 10, row.k, 1, 1e-6));
    std::printf("n %llu k %llu: all %.4f, Poisson %.5f, subset %.5f\n",
                static_cast<unsigned long long>(row.n), static_cast<unsigned long long>(row.k), all,
                tenth, subset);
    EXPECT_LE(all, row.all);
    EXPECT_LE(tenth, row.tenth);
    EXPECT_LE(subset, row.tenth);
    // The closed form's mechanism at epsilon 1 has this total variation, to within 5e-4.
    const auto closed_form = [&](double alpha) {
      return shuffle_closed_form_epsilon(row.n, row.k, std::log((k - 1) * (1 / alpha - 1)), 1e-6);
    };
    EXPECT_LE(closed_form(row.closed + 5e-4).value(), 1);
    EXPECT_GT(closed_form(row.closed - 5e-4).value_or(2), 1);
  }
}

TEST(ShuffleAmplification, BoundsMeetInLargeDataSets) {
  for (const ShuffledResponse& response :
       {ShuffledResponse{100'000, 20, 6.0}, ShuffledResponse{1'000'000'000, 20, 12.0},
        ShuffledResponse{1'000'000'000, 1'000'000, 14.0},
        ShuffledResponse{100'000, 20, 8.0, 0.1}}) {
    const double epsilon = shuffle_epsilon_up(response, 1e-6);
    const DeltaBounds delta = shuffle_delta(response, epsilon);
    const DeltaBounds blanket = privacy_blanket(response, epsilon);
    EXPECT_LE(delta.upper, 1e-6);
    EXPECT_GT(delta.lower, 0.99e-6) << response.records;
    EXPECT_LE(blanket.upper - blanket.lower, 1.1e-4 * blanket.upper);
    const double attained = shuffle_epsilon_down(response, 1e-6);
    EXPECT_LE(attained, epsilon);
    EXPECT_GT(attained, 0.999 * epsilon);
  }
}

TEST(ShuffleAmplification, InversionsAreOnTheSafeSide) {
  const ShuffledResponse response{1000, 5, 2.0};
  const double epsilon = shuffle_epsilon_up(response, 1e-8);
  EXPECT_LE(shuffle_delta(response, epsilon).upper, 1e-8);
  EXPECT_GT(shuffle_delta(response, epsilon * (1.0 - 1e-8)).upper, 1e-8);
  const double epsilon0 = shuffle_epsilon0_down(1000, 5, epsilon, 1e-8);
  EXPECT_NEAR(epsilon0, 2.0, 1e-7);
  EXPECT_LE(shuffle_delta({1000, 5, epsilon0}, epsilon).upper, 1e-8);
  const auto records = shuffle_records_up(5, 2.0, epsilon, 1e-8);
  ASSERT_TRUE(records.has_value());
  EXPECT_EQ(*records, 1000U);
  EXPECT_EQ(shuffle_records_up(5, 2.0, 0.0, 1e-12), std::nullopt);
  const ShuffledSubset subset{1000, 300, 5, 2.0};
  const double subset_epsilon = subset_epsilon_up(subset, 1e-8);
  EXPECT_LE(subset_delta(subset, subset_epsilon).upper, 1e-8);
  EXPECT_LE(subset_epsilon_down(subset, 1e-8), subset_epsilon);
  EXPECT_NEAR(subset_epsilon0_down(1000, 300, 5, subset_epsilon, 1e-8), 2.0, 1e-7);
}

// One report alone has (E0 − E)/(E0 + k − 1), of which little is left where epsilon is next to
// epsilon0: the blanket is not below it.
TEST(ShuffleAmplification, TheBlanketTakesOddsRoundedOutward) {
  for (const double epsilon0 : {0.3, 0.7, 1.0, 1.9, 2.3, 3.1, 4.7, 6.0}) {
    for (const double gap : {0x1p-30, 0x1p-43, 0x1p-46}) {
      const double epsilon = epsilon0 * (1 - gap);
      const test::HundredDigits e0 = exp(test::HundredDigits(epsilon0));
      const test::HundredDigits exact = (e0 - exp(test::HundredDigits(epsilon))) / (e0 + 2);
      EXPECT_GE(privacy_blanket({1, 3, epsilon0}, epsilon).upper, exact) << epsilon0 << ' ' << gap;
    }
  }
}

// 1 + (m/n)(E − 1) is e^epsilon or on the named side of it, exactly.
TEST(ShuffleAmplification, OddsOfASubsetAreOnTheirSides) {
  std::mt19937_64 random(20260131);
  mpfr_t left;
  mpfr_t right;
  mpfr_inits2(400, left, right, nullptr);
  const auto side = [&](double odds, std::uint64_t m, std::uint64_t n, double epsilon) {
    mpfr_set_d(left, odds, MPFR_RNDN);
    mpfr_sub_ui(left, left, 1, MPFR_RNDN);
    mpfr_mul_ui(left, left, m, MPFR_RNDN);
    mpfr_set_d(right, epsilon, MPFR_RNDN);
    mpfr_expm1(right, right, MPFR_RNDN);
    mpfr_mul_ui(right, right, n, MPFR_RNDN);
    return mpfr_cmp(left, right);
  };
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t n = 1 + (random() & 0xffffffU);
    const std::uint64_t m = 1 + random() % n;
    const double epsilon = 8 * std::generate_canonical<double, 53>(random);
    const ShuffledSubset response{n, m, 4, 1.0};
    ASSERT_LE(side(subset_odds_down(response, epsilon), m, n, epsilon), 0) << n << ' ' << m;
    ASSERT_GE(side(subset_odds_up(response, epsilon), m, n, epsilon), 0) << n << ' ' << m;
  }
  mpfr_clears(left, right, nullptr);
}

TEST(ShuffleAmplification, NeverAboveTheLocalGuarantee) {
  EXPECT_EQ(shuffle_delta({50, 3, 1.0}, 1.0).upper, 0.0);
  EXPECT_LE(shuffle_epsilon_up({2, 3, 1.0}, 1e-9), 1.0);
  EXPECT_EQ(shuffle_epsilon_up({1000, 3, 1.0}, 0.5), 0.0);
  EXPECT_GE(shuffle_epsilon0_down(1, 3, 1.0, 1e-9), 1.0);
  EXPECT_EQ(shuffle_delta({50, 1, 1.0}, 0.1).upper, 0.0);
  // Hardly any record is kept.
  EXPECT_EQ(shuffle_epsilon0_down(1000, 3, 1.0, 1e-6, 1e-7), kGreatestReportEpsilon);
}

TEST(ShuffleAmplification, SubsetOfAllIsAll) {
  const DeltaBounds all = shuffle_delta({400, 4, 2.5}, 0.7);
  const DeltaBounds subset = subset_delta({400, 400, 4, 2.5}, 0.7);
  EXPECT_EQ(subset.upper, all.upper);
  EXPECT_NEAR(subset.lower, all.lower, 1e-3 * all.lower);
}

TEST(ShuffleClosedForm, IsNoneOutsideItsRegime) {
  const double edge = std::log(10'000 / (16.0 * std::log(4e6)));
  EXPECT_TRUE(shuffle_closed_form_epsilon(10'000, 20, edge * 0.999, 1e-6).has_value());
  EXPECT_FALSE(shuffle_closed_form_epsilon(10'000, 20, edge * 1.001, 1e-6).has_value());
  EXPECT_FALSE(shuffle_closed_form_epsilon(10, 20, 0.1, 1e-6).has_value());
  // Inside it stays above what is certified.
  for (const double epsilon0 : {0.5, 2.0, 3.5}) {
    EXPECT_GE(shuffle_closed_form_epsilon(10'000, 20, epsilon0, 1e-6).value(),
              shuffle_epsilon_up({10'000, 20, epsilon0}, 1e-6));
  }
}

TEST(ShuffleAmplification, RefusesTheImpossible) {
  using test::kInfinity;
  using test::kNan;
  EXPECT_THROW((void)shuffle_delta({0, 3, 1.0}, 1), InvalidInput);
  EXPECT_THROW((void)shuffle_delta({(std::uint64_t{1} << 40) + 1, 3, 1.0}, 1), InvalidInput);
  EXPECT_THROW((void)shuffle_delta({9, 0, 1.0}, 1), InvalidInput);
  EXPECT_THROW((void)shuffle_delta({9, (1U << 24) + 1, 1.0}, 1), InvalidInput);
  for (const double bad : {0.0, -1.0, kNan, kInfinity, 101.0}) {
    EXPECT_THROW((void)shuffle_delta({9, 3, bad}, 1), InvalidInput);
    EXPECT_THROW((void)shuffle_epsilon0_down(9, 3, bad, 1e-6), InvalidInput);
    EXPECT_THROW((void)shuffle_delta({9, 3, 1.0, bad}, 1), InvalidInput);
    EXPECT_THROW((void)shuffle_epsilon_up({9, 3, 1.0}, bad), InvalidInput);
    EXPECT_THROW((void)shuffle_closed_form_epsilon(9, 3, 1.0, bad), InvalidInput);
  }
  for (const double bad : {-1.0, kNan, kInfinity}) {
    EXPECT_THROW((void)shuffle_delta({9, 3, 1.0}, bad), InvalidInput);
    EXPECT_THROW((void)subset_delta({9, 2, 3, 1.0}, bad), InvalidInput);
    EXPECT_THROW((void)shuffle_records_up(3, 1.0, bad, 1e-6), InvalidInput);
  }
  EXPECT_THROW((void)subset_delta({9, 0, 3, 1.0}, 1), InvalidInput);
  EXPECT_THROW((void)subset_delta({9, 10, 3, 1.0}, 1), InvalidInput);
}

TEST(ShuffleDelta, BoundsKeepTheirOrderWhereReportsHideNearlyNothing) {
  for (const double epsilon0 : {30.0, 43.24306202954105, 93.44}) {
    for (const std::uint64_t records : {2U, 3U, 4U}) {
      for (const double epsilon : {5.0, epsilon0 * (1 - 1e-6)}) {
        const DeltaBounds delta = shuffle_delta({records, 2, epsilon0}, epsilon);
        EXPECT_GE(delta.lower, 0);
        EXPECT_LE(delta.lower, delta.upper) << epsilon0 << ' ' << records << ' ' << epsilon;
        EXPECT_LE(delta.upper, 1);
      }
    }
  }
}

}  // namespace

}  // namespace mollify
