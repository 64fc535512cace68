#include "methods/divergence/f_divergence.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "arbitrary_distribution.h"
#include "core/invalid_input.h"
#include "laboratory/law/law.h"
#include "methods/divergence/generator.h"
#include "not_finite.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// F divergence.

namespace {

using test::distribution_with_zeros;
using test::kInfinity;
using test::positive_distribution;
using Masses = std::vector<double>;

TEST(CompensatedSum, KeepsWhatAPlainLoopLoses) {
  CompensatedSum sum;
  for (const double term : {1.0, 1e100, 1.0, -1e100}) sum += term;
  EXPECT_EQ(sum.value(), 2.0);
  sum += kInfinity;
  EXPECT_EQ(sum.value(), kInfinity);
}

TEST(FDivergence, KnownValues) {
  const Masses p{0.5, 0.5, 0.0};
  const Masses q{0.25, 0.25, 0.5};
  const DivergenceReport report = divergence_report(p, q);
  EXPECT_NEAR(report.kl, std::log(2.0), 1e-15);
  EXPECT_NEAR(report.tv, 0.5, 1e-15);
  EXPECT_NEAR(report.hellinger2, 1.0 - std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(report.chi2, 1.0, 1e-15);
}

TEST(FDivergence, ZerosAndMutuallySingular) {
  const Masses p{1.0, 0.0, 0.0};
  const Masses q{0.0, 1.0, 0.0};
  const DivergenceReport report = divergence_report(p, q);
  EXPECT_EQ(report.kl, kInfinity);
  EXPECT_EQ(report.tv, 1.0);
  EXPECT_EQ(report.hellinger2, 1.0);
  EXPECT_EQ(report.chi2, kInfinity);
  EXPECT_EQ(test::f_divergence(test::kullback_leibler_generator(), p, q), kInfinity);
  EXPECT_EQ(test::f_divergence(test::total_variation_generator(), p, q), 1.0);
  EXPECT_EQ(test::f_divergence(test::squared_hellinger_generator(), p, q), 1.0);
  EXPECT_EQ(test::f_divergence(test::chi_squared_generator(), p, q), kInfinity);
  EXPECT_EQ(test::f_divergence(test::hockey_stick_generator(3.0), p, q), 1.0);
  EXPECT_EQ(divergence_report(p, p), DivergenceReport{});
}

// P and Q one part in 10^12 apart: a plain Σ P ln(P/Q) would return rounding error, of either sign.
TEST(FDivergence, NearlyEqualKeepsItsDigits) {
  constexpr double kStep = 0x1p-40;
  const Masses p{0.5 + kStep, 0.5 - kStep};
  const Masses q{0.5, 0.5};
  const double s = 2.0 * kStep;  // KL = s²/2 + s⁴/12 + …
  EXPECT_NEAR(kullback_leibler(p, q) / (0.5 * s * s), 1.0, 1e-14);
  EXPECT_NEAR(squared_hellinger(p, q) / (0.125 * s * s), 1.0, 1e-12);
  EXPECT_NEAR(chi_squared(p, q) / (s * s), 1.0, 1e-14);
  EXPECT_NEAR(total_variation(p, q) / kStep, 1.0, 1e-15);
  EXPECT_NEAR(renyi(2.0, p, q) / (s * s), 1.0, 1e-12);
  EXPECT_NEAR(renyi(kInfinity, p, q) / s, 1.0, 1e-11);
}

// The series of the KL term meets the logarithm without a seam: both against long double.
TEST(FDivergence, KullbackLeiblerTermAcrossTheSeam) {
  for (int i = -900; i <= 3000; ++i) {
    const double p = 0.25 * (1.0 + 0.001 * i);
    const Masses left{p};
    const Masses right{0.25};
    const long double x = static_cast<long double>(p) / 0.25L;
    // Near x = 1 the long double subtraction itself loses up to 2 log2(1/|x−1|) bits.
    const long double truth = 0.25L * (x * std::log(x) - x + 1.0L);
    const double lost = 1e-19 / std::max(1e-8, static_cast<double>((x - 1) * (x - 1)));
    EXPECT_NEAR(kullback_leibler(left, right), static_cast<double>(truth),
                (2e-15 + lost) * static_cast<double>(truth))
        << "x = " << static_cast<double>(x);
  }
}

TEST(FDivergence, ExtremeRatiosDoNotOverflow) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const Masses p{1.0, 0.0};
  const Masses q{tiny, 1.0};
  EXPECT_NEAR(kullback_leibler(p, q), 1074.0 * std::log(2.0), 1e-9);
  EXPECT_NEAR(renyi(kInfinity, p, q), 1074.0 * std::log(2.0), 1e-9);
  EXPECT_NEAR(renyi(50.0, p, q), 1074.0 * std::log(2.0), 1e-9);
  EXPECT_NEAR(renyi(0.5, p, q), 1074.0 * std::log(2.0), 1e-9);
}

TEST(FDivergence, RefusesDifferentLengthsAndBadOrders) {
  const Masses p{1.0};
  const Masses q{0.5, 0.5};
  EXPECT_THROW((void)kullback_leibler(p, q), InvalidInput);
  EXPECT_THROW((void)divergence_report(p, q), InvalidInput);
  EXPECT_THROW((void)hockey_stick(1.0, p, q), InvalidInput);
  EXPECT_THROW((void)hockey_stick(-1.0, q, q), InvalidInput);
  EXPECT_THROW((void)hockey_stick(std::nan(""), q, q), InvalidInput);
  EXPECT_THROW((void)renyi(-0.5, q, q), InvalidInput);
  EXPECT_THROW((void)renyi(std::nan(""), q, q), InvalidInput);
}

std::size_t any_size() { return *rc::gen::inRange<std::size_t>(1, 20); }

RC_GTEST_PROP(FDivergenceProperty, NonnegativeSymmetricAndZeroOnEqual, ()) {
  const std::size_t k = any_size();
  const Masses p = *distribution_with_zeros(k, 20);
  const Masses q = *positive_distribution(k, 20);
  const DivergenceReport forward = divergence_report(p, q);
  const DivergenceReport back = divergence_report(q, p);
  RC_ASSERT(forward.kl >= 0.0);
  RC_ASSERT(forward.chi2 >= 0.0);
  RC_ASSERT(forward.tv == back.tv);
  RC_ASSERT(forward.hellinger2 == back.hellinger2);
  RC_ASSERT(divergence_report(p, p) == DivergenceReport{});
}

RC_GTEST_PROP(FDivergenceProperty, AgreesWithTheGenericDefinition, ()) {
  const std::size_t k = any_size();
  const Masses p = *distribution_with_zeros(k, 10);
  const Masses q = *positive_distribution(k, 10);
  const DivergenceReport report = divergence_report(p, q);
  const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-12 * (1.0 + b); };
  RC_ASSERT(near(test::f_divergence(test::kullback_leibler_generator(), p, q), report.kl));
  RC_ASSERT(near(test::f_divergence(test::total_variation_generator(), p, q), report.tv));
  RC_ASSERT(near(test::f_divergence(test::squared_hellinger_generator(), p, q), report.hellinger2));
  RC_ASSERT(near(test::f_divergence(test::chi_squared_generator(), p, q), report.chi2));
  RC_ASSERT(
      near(test::f_divergence(test::hockey_stick_generator(1.5), p, q), hockey_stick(1.5, p, q)));
}

// Pinsker, the order of the four, and TV = E_1.
RC_GTEST_PROP(FDivergenceProperty, JointInequalities, ()) {
  const std::size_t k = any_size();
  const Masses p = *distribution_with_zeros(k, 10);
  const Masses q = *distribution_with_zeros(k, 10);
  const DivergenceReport d = divergence_report(p, q);
  const double slack = 1e-14;
  RC_ASSERT(2.0 * d.tv * d.tv <= d.kl + slack);
  RC_ASSERT(d.kl <= std::log1p(d.chi2) * (1.0 + 1e-12) + slack);
  RC_ASSERT(d.hellinger2 <= d.tv + slack);
  RC_ASSERT(d.tv * d.tv <= d.hellinger2 * (2.0 - d.hellinger2) + slack);
  RC_ASSERT(std::abs(hockey_stick(1.0, p, q) - d.tv) <= slack);
  RC_ASSERT(hockey_stick(0.0, p, q) <= 1.0 + slack);
}

// Pushing both through the same channel brings them closer: here, a random merge of outcomes
// followed by a noisy channel.
RC_GTEST_PROP(FDivergenceProperty, DataProcessing, ()) {
  const std::size_t k = *rc::gen::inRange<std::size_t>(2, 12);
  const std::size_t outputs = *rc::gen::inRange<std::size_t>(1, 8);
  const Masses p = *distribution_with_zeros(k, 10);
  const Masses q = *distribution_with_zeros(k, 10);
  Masses pushed_p(outputs, 0.0);
  Masses pushed_q(outputs, 0.0);
  for (std::size_t i = 0; i < k; ++i) {
    const Masses row = *distribution_with_zeros(outputs, 5);
    for (std::size_t j = 0; j < outputs; ++j) {
      pushed_p[j] += p[i] * row[j];
      pushed_q[j] += q[i] * row[j];
    }
  }
  const auto closer = [](double after, double before) {
    return after <= before * (1.0 + 1e-12) + 1e-14;
  };
  const DivergenceReport before = divergence_report(p, q);
  const DivergenceReport after = divergence_report(pushed_p, pushed_q);
  RC_ASSERT(closer(after.kl, before.kl));
  RC_ASSERT(closer(after.tv, before.tv));
  RC_ASSERT(closer(after.hellinger2, before.hellinger2));
  RC_ASSERT(closer(after.chi2, before.chi2));
  RC_ASSERT(closer(hockey_stick(2.0, pushed_p, pushed_q), hockey_stick(2.0, p, q)));
  for (const double alpha : {0.0, 0.3, 0.999, 1.0, 1.001, 3.0, 40.0, kInfinity}) {
    RC_ASSERT(closer(renyi(alpha, pushed_p, pushed_q), renyi(alpha, p, q)));
  }
}

// Straight from the definition, zeros on either side included.
RC_GTEST_PROP(RenyiProperty, AgreesWithTheDefinition, ()) {
  const std::size_t k = any_size();
  const Masses p = *distribution_with_zeros(k, 3);
  const Masses q = *distribution_with_zeros(k, 3);
  for (const double alpha : {0.1, 0.5, 0.9, 1.5, 4.0}) {
    double sum = 0.0;
    bool infinite = false;
    for (std::size_t i = 0; i < k; ++i) {
      if (p[i] > 0.0 && q[i] > 0.0) sum += std::pow(p[i], alpha) * std::pow(q[i], 1.0 - alpha);
      infinite = infinite || (p[i] > 0.0 && q[i] == 0.0 && alpha > 1.0);
    }
    const double expected = infinite || sum == 0.0 ? kInfinity : std::log(sum) / (alpha - 1.0);
    const double found = renyi(alpha, p, q);
    if (std::isinf(expected)) {
      RC_ASSERT(found == expected);
    } else {
      RC_ASSERT(std::abs(found - expected) <= 1e-13 * (1.0 + expected));
    }
  }
}

RC_GTEST_PROP(RenyiProperty, IncreasesInTheOrderThroughItsLimits, ()) {
  const std::size_t k = any_size();
  const Masses p = *distribution_with_zeros(k, 30);
  const Masses q = *positive_distribution(k, 30);
  double before = 0.0;
  for (const double alpha : {0.0, 1e-9, 0.1, 0.5, 0.9, 0.999999, 1.0 - 1e-12, 1.0, 1.0 + 1e-12,
                             1.000001, 1.5, 2.0, 10.0, 100.0, 1e4, 1e9, kInfinity}) {
    const double here = renyi(alpha, p, q);
    RC_ASSERT(here >= before - 1e-12 * (1.0 + before));
    before = here;
  }
  const double kl = kullback_leibler(p, q);
  RC_ASSERT(std::abs(renyi(1.0 + 1e-12, p, q) - kl) <= 1e-9 * (1.0 + kl));
  RC_ASSERT(std::abs(renyi(1.0 - 1e-12, p, q) - kl) <= 1e-9 * (1.0 + kl));
  const double chi2 = chi_squared(p, q);
  RC_ASSERT(std::abs(renyi(2.0, p, q) - std::log1p(chi2)) <= 1e-12 * (1.0 + std::log1p(chi2)));
  const double half = -2.0 * std::log1p(-squared_hellinger(p, q));
  RC_ASSERT(std::abs(renyi(0.5, p, q) - half) <= 1e-12 * (1.0 + half) ||
            squared_hellinger(p, q) > 0.999);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Joint total variation.

namespace {

TEST(JointTotalVariation, OfOneDrawIsItself) {
  for (const double alpha : {0.0, 0.01, 0.3, 1.0}) {
    EXPECT_NEAR(joint_total_variation_least(1, alpha), alpha, 1e-9);
    EXPECT_NEAR(single_total_variation_most(1, alpha), alpha, 1e-6);
  }
}

TEST(JointTotalVariation, OfCoinsIsTheirCounts) {
  // Two coins of bias 1/2 and 3/4: counts (1, 2, 1)/4 and (1, 6, 9)/16.
  EXPECT_NEAR(binomial_total_variation(2, 0.75, 0.5), 5.0 / 16, 1e-12);
  EXPECT_NEAR(binomial_total_variation(5, 0, 1), 1, 1e-12);
  EXPECT_EQ(binomial_total_variation(7, 0.3, 0.3), 0);
}

// About sqrt(2 m / pi) alpha = .79 sqrt(m) alpha while that is small.
TEST(JointTotalVariation, GrowsAsTheRootOfTheDraws) {
  for (const std::uint64_t m : {10U, 100U, 1000U}) {
    const double alpha = 0.01 / std::sqrt(static_cast<double>(m));
    const double factor =
        joint_total_variation_least(m, alpha) / (std::sqrt(static_cast<double>(m)) * alpha);
    std::printf("m %g: %.4f sqrt(m) alpha\n", static_cast<double>(m), factor);
    EXPECT_NEAR(factor, 0.798, 0.025);
    EXPECT_NEAR(single_total_variation_most(m, joint_total_variation_least(m, alpha)), alpha,
                1e-4 * alpha);
  }
}

// The theorem, by exact sums: m draws of any two distributions are at least that far apart.
TEST(JointTotalVariation, IsAtMostThatOfAnyTwoDistributions) {
  std::mt19937_64 random(20261122);
  double tightest = 1;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> p(3);
    std::vector<double> q(3);
    double whole_p = 0;
    double whole_q = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      whole_p += p[i] = std::uniform_real_distribution<>(0, 1)(random);
      whole_q += q[i] = std::uniform_real_distribution<>(0, 1)(random);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      p[i] /= whole_p;
      q[i] /= whole_q;
    }
    const std::uint64_t m = 1 + random() % 4;
    std::vector<double> joint_p{1};
    std::vector<double> joint_q{1};
    for (std::uint64_t draw = 0; draw < m; ++draw) {
      std::vector<double> next_p;
      std::vector<double> next_q;
      for (std::size_t i = 0; i < joint_p.size(); ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
          next_p.push_back(joint_p[i] * p[j]);
          next_q.push_back(joint_q[i] * q[j]);
        }
      }
      joint_p = std::move(next_p);
      joint_q = std::move(next_q);
    }
    const double joint = total_variation(joint_p, joint_q);
    const double least = joint_total_variation_least(m, total_variation(p, q));
    ASSERT_LE(least, joint + 1e-9) << trial;
    tightest = std::min(tightest, joint - least);
  }
  std::printf("300 pairs, seed 20261122: least slack %.2e\n", tightest);
}

TEST(JointTotalVariation, RefusesWhatIsNoProbability) {
  EXPECT_THROW((void)binomial_total_variation(0, 0.1, 0.2), InvalidInput);
  EXPECT_THROW((void)binomial_total_variation(3, -0.1, 0.2), InvalidInput);
  EXPECT_THROW((void)joint_total_variation_least(3, 1.5), InvalidInput);
  EXPECT_THROW((void)single_total_variation_most(3, std::nan("")), InvalidInput);
}

}  // namespace

}  // namespace mollify
