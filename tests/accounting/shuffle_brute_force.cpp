// Claims about shuffled reports against every pair of neighbouring data sets.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "accounting/report_laws.h"
#include "accounting/shuffling.h"
#include "laboratory/law/law.h"

namespace mollify::test {

namespace {

/// The greatest delta of all pairs, and of those whose other records are all equal.
struct Realised {
  double all = 0;
  double equal = 0;
};

Realised realised(const ReportLaws& laws, double epsilon, std::size_t chosen = 0) {
  Realised most;
  laws.for_each_pair(
      [&](const ReportLaws::Law& p, const ReportLaws::Law& q, bool equal) {
        const double delta = hockey_stick(std::exp(epsilon), p, q);
        most.all = std::max(most.all, delta);
        if (equal) most.equal = std::max(most.equal, delta);
      },
      chosen);
  return most;
}

struct Size {
  std::size_t n;
  std::size_t k;
};

constexpr Size kSizes[] = {{1, 2}, {1, 4}, {2, 2}, {3, 3}, {4, 4}, {5, 5},
                           {6, 4}, {7, 2}, {7, 3}, {7, 4}, {7, 5}};
constexpr double kReportEpsilons[] = {0.3, 1.5, 4.0};

/// The laws' own rounding.
constexpr double kRounding = 1e-12;

void expect_between(const DeltaBounds& claim, const Realised& truth) {
  EXPECT_GE(claim.upper, truth.all * (1.0 - kRounding));
  EXPECT_LE(claim.lower, truth.equal * (1.0 + kRounding));
}

double fraction(int cell) { return 0.05 + 0.13 * (cell % 7); }

TEST(ShuffleBruteForce, NoPairIsAboveTheClaim) {
  int cell = 0;
  double loosest = 0;
  for (const auto& [n, k] : kSizes) {
    for (const double epsilon0 : kReportEpsilons) {
      const ReportLaws laws(n, k, std::exp(epsilon0), 1.0, 0.0);
      for (int i = 0; i < 2; ++i) {
        const double epsilon = fraction(cell++) * epsilon0;
        SCOPED_TRACE(testing::Message() << "n " << n << " k " << k << " epsilon0 " << epsilon0
                                        << " epsilon " << epsilon);
        const DeltaBounds claim = shuffle_delta({n, k, epsilon0}, epsilon);
        const Realised truth = realised(laws, epsilon);
        expect_between(claim, truth);
        // Attained by equal other records.
        EXPECT_GE(claim.lower, truth.equal * (1.0 - 2e-4));
        loosest = std::max(loosest, claim.upper / truth.all);
      }
    }
  }
  std::printf("the upper bound is at most %.3f times what is realised in %d cells\n", loosest,
              cell);
}

TEST(ShuffleBruteForce, NorWithPoissonSampling) {
  int cell = 3;
  for (const auto& [n, k] : kSizes) {
    for (const double rate : {0.7, 0.1}) {
      const double epsilon0 = kReportEpsilons[cell % 3];
      const double epsilon = rate * fraction(cell++) * epsilon0;
      const ReportLaws laws(n, k, std::exp(epsilon0), rate, 1.0 - rate);
      SCOPED_TRACE(testing::Message() << "n " << n << " k " << k << " epsilon0 " << epsilon0
                                      << " epsilon " << epsilon << " rate " << rate);
      const DeltaBounds claim = shuffle_delta({n, k, epsilon0, rate}, epsilon);
      const Realised truth = realised(laws, epsilon);
      expect_between(claim, truth);
      EXPECT_GE(claim.lower, truth.equal * (1.0 - 2e-4));
    }
  }
}

TEST(ShuffleBruteForce, NorWithASubset) {
  int cell = 5;
  for (const auto& [n, k] : kSizes) {
    for (std::size_t m = 1; m <= n; m += 2) {
      for (const double part : {0.2, 0.8}) {
        const double epsilon0 = kReportEpsilons[cell++ % 3];
        const double q = static_cast<double>(m) / static_cast<double>(n);
        const double epsilon = std::log1p(q * std::expm1(part * epsilon0));
        const ReportLaws laws(n, k, std::exp(epsilon0), 1.0, 1.0);
        SCOPED_TRACE(testing::Message() << "n " << n << " m " << m << " k " << k << " epsilon0 "
                                        << epsilon0 << " epsilon " << epsilon);
        const DeltaBounds claim = subset_delta({n, m, k, epsilon0}, epsilon);
        const Realised truth = realised(laws, epsilon, m);
        expect_between(claim, truth);
        EXPECT_GE(claim.lower, truth.equal * (1.0 - 2e-4));
      }
    }
  }
}

// One record, or one of n: exactly the local mechanism, and both bounds agree.
TEST(ShuffleBruteForce, IsTightForSingleReports) {
  for (const std::size_t k : {2U, 5U}) {
    const DeltaBounds alone = shuffle_delta({1, k, 1.5}, 0.4);
    const double exact =
        (std::exp(1.5) - std::exp(0.4)) / (std::exp(1.5) + static_cast<double>(k) - 1);
    EXPECT_NEAR(alone.upper, exact, 1e-12);
    EXPECT_NEAR(alone.lower, exact, 1e-12);
  }
  // Two binary records: the blanket's pair is one of the data sets.
  const DeltaBounds two = shuffle_delta({2, 2, 2.0}, 0.6);
  EXPECT_NEAR(two.lower / two.upper, 1.0, 2e-4);
}

// The binary case: reports of one record and Bin(n - 1, 2/Z) fair coins, counted by kind. Its delta
// is the blanket's.
TEST(ShuffleBruteForce, BinaryBlanketIsItsPair) {
  for (const double epsilon0 : kReportEpsilons) {
    const double z = std::exp(epsilon0) + 1.0;
    constexpr int kOthers = 9;
    const double epsilon = 0.4 * epsilon0;
    double delta = 0;
    const auto binomial = [](int count, int of, double p) {
      return std::exp(std::lgamma(of + 1.0) - std::lgamma(count + 1.0) -
                      std::lgamma(of - count + 1.0)) *
             std::pow(p, count) * std::pow(1.0 - p, of - count);
    };
    for (int clones = 0; clones <= kOthers; ++clones) {
      const auto coins = [&](int ones) {
        return ones < 0 || ones > clones ? 0.0 : binomial(ones, clones, 0.5);
      };
      for (int ones = 0; ones <= clones + 1; ++ones) {
        const double p = (std::exp(epsilon0) * coins(ones - 1) + coins(ones)) / z;
        const double q = (coins(ones - 1) + std::exp(epsilon0) * coins(ones)) / z;
        delta += binomial(clones, kOthers, 2.0 / z) * std::max(0.0, p - std::exp(epsilon) * q);
      }
    }
    const DeltaBounds blanket = privacy_blanket({kOthers + 1, 2, epsilon0}, epsilon);
    EXPECT_LE(blanket.lower, delta * (1.0 + kRounding));
    EXPECT_GE(blanket.upper, delta * (1.0 - kRounding));
    EXPECT_LE(blanket.upper - blanket.lower, 2e-4 * delta);
  }
}

// The variation-ratio number for k-ary randomized response is below what a pair attains.
TEST(ShuffleBruteForce, VariationRatioUnderReports) {
  constexpr double kVariationRatio = 0.010136;  // at n = 6, k = 4, epsilon0 = 1, epsilon = .6
  const Realised truth = realised(ReportLaws(6, 4, std::exp(1.0), 1.0, 0.0), 0.6);
  const DeltaBounds ours = shuffle_delta({6, 4, 1.0}, 0.6);
  EXPECT_NEAR(truth.all, 0.012450, 5e-7);
  EXPECT_LT(kVariationRatio, truth.all);
  EXPECT_GE(ours.upper, truth.all);
  EXPECT_LE(ours.lower, truth.all);
  EXPECT_GT(ours.lower, kVariationRatio);
}

}  // namespace

}  // namespace mollify::test
