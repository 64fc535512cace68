#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "domain/candidates.h"
#include "laboratory/contender/contenders.h"
#include "laboratory/measure/measure.h"

namespace mollify {
namespace {

double normal_pdf(double y, double mean, double variance) {
  return std::exp(-(y - mean) * (y - mean) / (2 * variance)) /
         std::sqrt(2 * std::acos(-1.0) * variance);
}

/// What N(m1, v1) times share1 has beyond e^epsilon N(m2, v2) times share2, by sums of steps.
double excess_by_steps(double share1, double m1, double v1, double share2, double m2, double v2,
                       double epsilon) {
  const double reach = 12 * std::sqrt(std::max(v1, v2)) + std::abs(m1 - m2);
  const double low = std::min(m1, m2) - reach;
  constexpr int kSteps = 100'000;
  const double step = (std::abs(m1 - m2) + 2 * reach) / kSteps;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double y = low + (i + 0.5) * step;
    sum += std::max(
        0.0, share1 * normal_pdf(y, m1, v1) - std::exp(epsilon) * share2 * normal_pdf(y, m2, v2));
  }
  return sum * step;
}

TEST(TestedGaussian, ExcessIsTheIntegral) {
  for (const double shift : {0.0, 0.01, 0.3}) {
    for (const double spread : {0.05, 0.3, 1.0}) {
      for (const double epsilon : {0.01, 0.25, 1.0}) {
        const GaussianExcess excess = gaussian_excess(shift, spread, epsilon);
        const double wider = 1 + spread * spread;
        EXPECT_NEAR(excess.of_wider, excess_by_steps(1, shift, wider, 1, 0, 1, epsilon), 1e-8);
        EXPECT_NEAR(excess.of_standard, excess_by_steps(1, 0, 1, 1, shift, wider, epsilon), 1e-8);
        // The channel of the proof: what is nearer is closer.
        const GaussianExcess half = gaussian_excess(shift / 2, spread / 2, epsilon);
        EXPECT_LE(half.of_wider, excess.of_wider);
        EXPECT_LE(half.of_standard, excess.of_standard);
      }
    }
  }
}

/// Mean, variance and the probability to pass, in one dimension.
struct LawOnLine {
  double mean;
  double variance;
  double pass;
};

LawOnLine law_on_line(const TestedGaussian& sampler, const std::vector<double>& records) {
  const auto n = static_cast<double>(records.size());
  double mean = 0;
  for (const double x : records) mean += x / n;
  double variance = 0;
  for (const double x : records) variance += (x - mean) * (x - mean) / n;
  const double z = (variance - sampler.threshold()) / sampler.test_scale();
  return {mean, variance, z < 0 ? std::exp(z) / 2 : 1 - std::exp(-z) / 2};
}

// In one dimension the law is known: no pair of neighbours has more than delta beyond e^epsilon.
// Records at both ends of the ball, with variances around the test's threshold, are the worst.
TEST(TestedGaussian, KeepsItsPromiseOnTheLine) {
  const double radius = 2;
  const double epsilon = 2;
  const double delta = 1e-3;
  std::size_t n = 4;
  const auto of = [&](std::size_t records) {
    return TestedGaussian({.dimension = 1,
                           .records = records,
                           .epsilon = epsilon,
                           .delta = delta,
                           .clip_radius = radius});
  };
  while (!of(n).is_private()) ++n;
  EXPECT_FALSE(of(n / 2).is_private());
  const TestedGaussian sampler = of(n);
  double most = 0;
  int pairs = 0;
  // `at` records at either end, one that goes from `from` to `to`, the rest at 0.
  for (std::size_t at = 0; 2 * at + 1 <= n; at = at * 5 / 4 + 1) {
    std::vector<double> records(n);
    for (std::size_t i = 0; i < at; ++i) {
      records[2 * i] = radius;
      records[2 * i + 1] = -radius;
    }
    for (const auto& [from, to] : {std::pair{radius, 0.0}, std::pair{radius, -radius},
                                   std::pair{0.0, radius}, std::pair{0.0, -radius}}) {
      records.back() = from;
      const LawOnLine before = law_on_line(sampler, records);
      records.back() = to;
      const LawOnLine after = law_on_line(sampler, records);
      if (before.variance == 0 || after.variance == 0) continue;
      const double passed = excess_by_steps(before.pass, before.mean, before.variance, after.pass,
                                            after.mean, after.variance, epsilon);
      const double failed = std::max(0.0, 1 - before.pass - std::exp(epsilon) * (1 - after.pass));
      ASSERT_LE(passed + failed, delta * (1 + 1e-6));
      most = std::max(most, passed + failed);
      ++pairs;
    }
  }
  std::printf("n = %zu, %d pairs of neighbours: delta up to %.3g of %g\n", n, pairs, most, delta);
  EXPECT_GT(pairs, 30);
}

// Records from a Gaussian of unknown covariance: the draw has its mean and its covariance.
// 800 draws: a mean deviates by less than 6/sqrt(800) = .212 deviations, a variance by 6
// sqrt(2/800) = .3 of itself, the covariance by 6 sqrt(6/800) = .52, but for 1e-8.
TEST(TestedGaussian, DrawsFromTheGaussianOfTheRecords) {
  constexpr std::size_t kDraws = 800;
  constexpr std::size_t kRecords = 2000;
  constexpr double kUnit = 3;
  const TestedGaussian sampler({.dimension = 2,
                                .records = kRecords,
                                .epsilon = 50,
                                .delta = 1e-3,
                                .clip_radius = 14 * kUnit});
  SeededRandom random(14);
  WordStream words(random);
  double mean[2] = {0, 0};
  double squares[3] = {0, 0, 0};
  std::size_t released = 0;
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    std::vector<double> rows;
    for (std::size_t i = 0; i < kRecords; ++i) {
      const double a = words.normal();
      rows.push_back(kUnit * (1 + a));
      rows.push_back(kUnit * (-2 + a + 2 * words.normal()));
    }
    const auto sample = sampler.simulate(rows, random);
    if (!sample) continue;
    ++released;
    const double x = (*sample)[0] / kUnit - 1;
    const double y = (*sample)[1] / kUnit + 2;
    mean[0] += x / kDraws;
    mean[1] += y / kDraws;
    squares[0] += x * x / kDraws;
    squares[1] += x * y / kDraws;
    squares[2] += y * y / kDraws;
  }
  std::printf("%zu released; mean %.3f %.3f, covariance %.3f %.3f %.3f\n", released, mean[0],
              mean[1], squares[0], squares[1], squares[2]);
  EXPECT_EQ(released, kDraws);
  EXPECT_NEAR(mean[0], 0, 0.212);
  EXPECT_NEAR(mean[1], 0, 0.212 * std::sqrt(5));
  EXPECT_NEAR(squares[0], 1, 0.3);
  EXPECT_NEAR(squares[1], 1, 0.52);
  EXPECT_NEAR(squares[2], 5, 0.3 * 5);
}

TEST(TestedGaussian, ReleasesNothingFromRecordsThatLieOnALine) {
  const TestedGaussian sampler(
      {.dimension = 2, .records = 1000, .epsilon = 1, .delta = 1e-9, .clip_radius = 3});
  std::vector<double> rows;
  for (int i = 0; i < 1000; ++i) {
    rows.push_back(i % 2 == 0 ? 3 : -3);
    rows.push_back(i == 7 ? std::nan("") : 0);
  }
  SeededRandom random(1);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(sampler.simulate(rows, random).has_value());
  EXPECT_THROW((void)sampler.simulate({}, random), InvalidInput);
}

// TV = Var(v)/4 E|(q - d)^2/4 + d/2 - q|, q ~ chi^2(d), to leading order.
TEST(TestedGaussian, ShapeIsItsLeadingTerm) {
  for (const std::size_t d : {1U, 5U, 20U}) {
    const double n = 1e5;
    SeededRandom random(d);
    WordStream words(random);
    double expected = 0;
    constexpr int kDraws = 20'000;
    for (int i = 0; i < kDraws; ++i) {
      double q = 0;
      for (std::size_t axis = 0; axis < d; ++axis) q += std::pow(words.normal(), 2);
      const auto dimension = static_cast<double>(d);
      expected += std::abs((q - dimension) * (q - dimension) / 4 + dimension / 2 - q) / kDraws;
    }
    expected *= 2 * (n - 1) / (n * n) / 4;
    const double shape = resampled_gaussian_total_variation(d, 100'000);
    std::printf("d = %zu: %.4g, leading term %.4g\n", d, shape, expected);
    EXPECT_NEAR(shape / expected, 1, 0.08);
  }
}

// Fewer records than the noise of Algorithm 3 needs, which grow with 1/epsilon^2.
TEST(TestedGaussian, NeedsRecordsInProportionToOneOverEpsilon) {
  const auto records = [](double epsilon) {
    return static_cast<double>(*tested_gaussian_records(5, 10, 4, epsilon, 1e-6, 0.1));
  };
  const double one = records(1);
  const double tenth = records(0.1);
  std::printf("records: %.0f at epsilon 1, %.0f at .1\n", one, tenth);
  EXPECT_GT(tenth / one, 7);
  EXPECT_LT(tenth / one, 14);
}

TEST(TestedGaussian, RefusesWhatItCannotDo) {
  EXPECT_THROW(TestedGaussian({.dimension = 0, .records = 10}), InvalidInput);
  EXPECT_THROW(TestedGaussian({.dimension = 1, .records = 2}), InvalidInput);
  EXPECT_THROW(TestedGaussian({.dimension = 1, .records = 10, .epsilon = -1}), InvalidInput);
  EXPECT_THROW(TestedGaussian({.dimension = 1, .records = 10, .delta = 0}), InvalidInput);
}

}  // namespace
}  // namespace mollify
