#include "central/private_median.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "central/median_laws.h"
#include "chi_square.h"
#include "kernel/core/invalid_input.h"
#include "refusal.h"

namespace mollify {
namespace {

using MedianWide = boost::multiprecision::cpp_bin_float_50;

std::uint64_t distance_by_definition(const std::vector<std::int64_t>& values, std::int64_t y) {
  const auto half = static_cast<std::int64_t>(values.size() / 2);
  std::int64_t less = 0, greater = 0;
  for (const std::int64_t value : values) {
    less += value < y ? 1 : 0;
    greater += value > y ? 1 : 0;
  }
  return static_cast<std::uint64_t>(std::max({std::int64_t{0}, less - half, greater - half}));
}

TEST(PrivateMedian, WeighsEveryIntegerByItsDistance) {
  constexpr std::int64_t kFirst = -2, kLast = 3;
  const PrivateMedian median(kFirst, kLast, {1, 1});
  for (std::size_t n = 0; n <= 4; ++n) {
    for (const std::vector<std::int64_t>& values :
         test::data_sets<std::int64_t>({-9, -2, -1, 1, 3, 4}, n)) {
      std::vector<std::int64_t> moved = values;
      for (std::int64_t& value : moved) value = std::clamp(value, kFirst, kLast);
      std::int64_t y = kFirst;
      std::uint64_t least = ~std::uint64_t{0};
      for (const PrivateMedian::Interval& interval : median.intervals(values)) {
        ASSERT_EQ(interval.first, y);
        for (std::uint64_t i = 0; i < interval.term.count; ++i, ++y) {
          ASSERT_EQ(interval.term.distance, distance_by_definition(moved, y));
          least = std::min(least, interval.term.distance);
        }
      }
      ASSERT_EQ(y, kLast + 1);
      ASSERT_EQ(least, 0u);
    }
  }
}

TEST(PrivateMedian, KeepsItsPromiseOnAllSmallDataSets) {
  double worst_share = 0;
  for (const Ratio rate : {Ratio{1, 20}, {1, 2}, {3, 2}}) {
    const double eta = static_cast<double>(rate.numerator) / static_cast<double>(rate.denominator);
    for (const std::int64_t last : {3, 200}) {  // few outcomes, and many of them on one side
      const PrivateMedian median(0, last, rate);
      for (std::size_t n = 1; n <= 4; ++n) {
        const auto sets = test::data_sets<std::int64_t>({-1, 2, 500}, n);
        std::vector<std::vector<double>> laws;
        for (const auto& set : sets) laws.push_back(test::median_law(median, eta, set));
        for (std::size_t a = 0; a < sets.size(); ++a) {
          for (std::size_t b = 0; b < sets.size(); ++b) {
            if (!test::are_neighbours(sets[a], sets[b])) continue;
            const test::LogRatios ratios = test::log_ratios(laws[a], laws[b]);
            EXPECT_LE(ratios.greatest, 2 * eta + 1e-12);
            EXPECT_LE(ratios.greatest - ratios.least, 2 * eta + 1e-12);
            for (const double order : {1.01, 3.0, 50.0}) {
              EXPECT_LE(test::renyi_divergence(laws[a], laws[b], order),
                        order * eta * eta / 2 + 1e-12);
            }
            worst_share = std::max(worst_share, ratios.greatest / (2 * eta));
          }
        }
      }
    }
  }
  std::printf("the worst ratio takes %.4f of the promised 2 eta\n", worst_share);
  EXPECT_GT(worst_share, 0.9);  // so eta for an epsilon of 2 eta is not more noise than needed
}

TEST(PrivateMedian, FollowsTheLawByChiSquare) {
  SecureRandom random;
  const PrivateMedian median(-3, 12, {2, 3});
  const std::vector<std::int64_t> values = {4, 1, -8, 4, 9, 30};
  const std::vector<double> law = test::median_law(median, 2.0 / 3, values);
  std::vector<std::uint64_t> counts(law.size());
  for (int i = 0; i < 100'000; ++i) {
    ++counts[static_cast<std::size_t>(median.draw(values, random) + 3)];
  }
  EXPECT_TRUE(test::follows(law, counts));
  std::vector<std::uint64_t> of_none(law.size());
  for (int i = 0; i < 10'000; ++i) {
    ++of_none[static_cast<std::size_t>(median.draw({}, random) + 3)];
  }
  EXPECT_TRUE(test::follows(std::vector<double>(law.size(), 1.0 / 16), of_none));
}

/// 2 E min(1, c e^(-eta (N - h))), c half of the outcomes, term by term.
MedianWide beyond_by_sum(std::uint64_t n, double outcomes, Ratio rate, double beyond) {
  const MedianWide eta = MedianWide(rate.numerator) / rate.denominator, q = beyond, p = 1 - q;
  const MedianWide odds = p / q, step = exp(-eta);
  MedianWide mass = pow(q, n), sum = 0;
  MedianWide weight = MedianWide(outcomes) / 2 * exp(eta * (n / 2));
  for (std::uint64_t k = 0; k <= n; ++k) {
    sum += mass * (weight < 1 ? weight : MedianWide(1));
    mass *= odds * (n - k) / (k + 1);
    weight *= step;
  }
  return 2 * sum;
}

TEST(PrivateMedian, BoundsHowFarItIsOff) {
  double widest = 1;
  for (const std::uint64_t n : {1ULL, 2ULL, 9ULL, 301ULL, 1200ULL}) {
    for (const double outcomes : {1.0, 1e4, 0x1p52}) {
      if (n == 1200 && outcomes != 1e4) continue;
      for (const Ratio rate : {Ratio{1, 50}, {1, 2}, {4, 1}}) {
        for (const double beyond : {0.5, 0.4, 0.1, 1e-9}) {
          const double bound = median_beyond_up(n, outcomes, rate, beyond);
          const MedianWide truth =
              std::min(MedianWide(1), beyond_by_sum(n, outcomes, rate, beyond));
          EXPECT_GE(MedianWide(bound), truth * (1 - 1e-9))
              << n << ", " << outcomes << ", " << rate.numerator << "/" << rate.denominator << ", "
              << beyond;
          if (truth > 1e-200 && bound < 1) {
            widest = std::max(widest, static_cast<double>(MedianWide(bound) / truth));
          }
        }
      }
    }
  }
  std::printf("the bound is at most %.4f times the expectation\n", widest);
  EXPECT_LT(widest, 1.5);
}

TEST(PrivateMedian, RefusesInOneSentence) {
  EXPECT_EQ(test::refusal_of([] {
              static_cast<void>(PrivateMedian(3, 2, {1, 1}));
            }),
            "a median needs -2^61 <= first <= last < 2^61, but the range is from 3 to 2");
}

}  // namespace
}  // namespace mollify
