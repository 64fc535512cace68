#include "central/moment_sampler.h"

#include <cmath>
#include <cstdio>
#include <random>

#include <gtest/gtest.h>

#include "central/gaussian_distance.h"
#include "kernel/core/invalid_input.h"
#include "not_finite.h"

namespace mollify {
namespace {

/// n rows of two columns, of means 3 and -20, deviations 1 and 5 and correlation -.6.
std::vector<double> correlated_rows(std::size_t n) {
  std::mt19937_64 generator(7);
  std::normal_distribution<double> normal;
  std::vector<double> rows;
  for (std::size_t i = 0; i < n; ++i) {
    const double first = normal(generator);
    rows.push_back(3 + first);
    rows.push_back(-20 + 5 * (-0.6 * first + 0.8 * normal(generator)));
  }
  return rows;
}

struct TwoColumns {
  double mean[2] = {};
  double covariance[3] = {};  // 00, 01, 11
};

TwoColumns two_columns(const std::vector<double>& rows) {
  TwoColumns found;
  const auto n = static_cast<double>(rows.size()) / 2;
  for (std::size_t i = 0; i < rows.size(); ++i) found.mean[i % 2] += rows[i] / n;
  for (std::size_t i = 0; i < rows.size(); i += 2) {
    const double x = rows[i] - found.mean[0];
    const double y = rows[i + 1] - found.mean[1];
    found.covariance[0] += x * x / n;
    found.covariance[1] += x * y / n;
    found.covariance[2] += y * y / n;
  }
  return found;
}

/// The errors of means and of the covariance are those that are expected, whatever the notion and
/// however wide the ranges are: 300 and 150 errors, whose mean square is chi-square. What is
/// expected is the error of the narrowest direction, and of a covariance others have .7 times that.
/// Clipping and what the ranges hide add a little. Limits: noise alone is beyond them with
/// probability below 1e-6.
TEST(MomentSampler, ErrsAsItsDesignStates) {
  constexpr std::size_t kRuns = 150;
  const std::vector<double> rows = correlated_rows(4000);
  const MemoryTable table(2, rows);
  const TwoColumns truth = two_columns(rows);
  SecureRandom random;
  for (const Privacy& budget :
       {Privacy::concentrated(0.2), Privacy::approximate(3, 1e-6), Privacy::pure(10)}) {
    const MomentDesign made = design_moments({4000, 2, budget});
    for (const double in_half : {10 / 3., kStatedDeviations.back()}) {
      const ModelError expected = expected_error(made, in_half);
      // The means are off the ranges' middle by a third of a half.
      const double half[] = {in_half, 5 * in_half};
      const MomentSampler sampler(made, {3 - half[0] * 4 / 3, -20 - half[1] * 2 / 3},
                                  {3 + half[0] * 2 / 3, -20 + half[1] * 4 / 3});
      double of_means = 0;
      double of_covariances = 0;
      for (std::size_t run = 0; run < kRuns; ++run) {
        const SharedGaussian model = sampler.measure(table, random);
        const double deviations[] = {std::sqrt(truth.covariance[0]),
                                     std::sqrt(truth.covariance[2])};
        for (const std::size_t i : {0U, 1U}) {
          of_means += std::pow((model.mean[i] - truth.mean[i]) / deviations[i], 2);
        }
        of_covariances += std::pow(
            (model.covariance[1] - truth.covariance[1]) / (deviations[0] * deviations[1]), 2);
      }
      const double mean_share = std::sqrt(of_means / (2 * kRuns)) / expected.mean;
      const double covariance_share = std::sqrt(of_covariances / kRuns) / expected.covariance;
      std::printf(
          "%s, %g deviations: mean error %.4g, %.3f times as expected; covariance %.4g, %.3f "
          "times\n",
          budget.text().c_str(), in_half, expected.mean, mean_share, expected.covariance,
          covariance_share);
      EXPECT_GT(mean_share, 0.7);
      EXPECT_LT(mean_share, 1.6);
      EXPECT_GT(covariance_share, 0.5);
      EXPECT_LT(covariance_share, 2.0);
    }
  }
}

/// Ten columns of variance 1, any two of correlation 1/2.
std::vector<double> ten_columns(std::size_t count) {
  std::mt19937_64 random(23);
  std::normal_distribution<double> normal(0, std::sqrt(kStatedCorrelation));
  std::vector<double> rows;
  for (std::size_t row = 0; row < count; ++row) {
    const double common = normal(random);
    for (int column = 0; column < 10; ++column) rows.push_back(common + normal(random));
  }
  return rows;
}

SharedGaussian own_gaussian(const std::vector<double>& rows, std::size_t width) {
  SharedGaussian own{std::vector<double>(width), std::vector<double>(width * width)};
  const auto count = static_cast<double>(rows.size() / width);
  for (std::size_t at = 0; at < rows.size(); ++at) own.mean[at % width] += rows[at] / count;
  for (std::size_t row = 0; row < rows.size(); row += width) {
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        own.covariance[i * width + j] +=
            (rows[row + i] - own.mean[i]) * (rows[row + j] - own.mean[j]) / count;
      }
    }
  }
  return own;
}

/// The stated error is at least what releases show, for the ranges and correlations that it is
/// stated for, from budgets that tell much to budgets that tell nothing. The mean of 16 models'
/// distances has a standard error of at most .125 whatever they are, of some .01 where it is below
/// .5; five of .01 are allowed.
TEST(MomentSampler, ErrsNoMoreThanIsStated) {
  constexpr std::size_t kModels = 16;
  constexpr std::size_t kWidth = 10;
  const std::vector<double> rows = ten_columns(2000);
  const MemoryTable table(kWidth, rows);
  const SharedGaussian own = own_gaussian(rows, kWidth);
  SecureRandom random;
  for (const double epsilon : {1, 4, 16}) {
    const MomentDesign design = design_moments({2000, kWidth, Privacy::approximate(epsilon, 1e-6)});
    for (const double deviations : kStatedDeviations) {
      const MomentSampler sampler(design, std::vector<double>(kWidth, -deviations),
                                  std::vector<double>(kWidth, deviations));
      double measured = 0;
      for (std::size_t i = 0; i < kModels; ++i) {
        measured +=
            simulated_total_variation(own, sampler.measure(table, random), 500, random) / kModels;
      }
      const double stated = expected_error(design, deviations).total_variation;
      std::printf("epsilon %g, %g deviations: stated %.3f, measured %.3f\n", epsilon, deviations,
                  stated, measured);
      EXPECT_LE(measured, stated + 0.05);
      EXPECT_LE(stated, design.expected_total_variation);
    }
  }
}

TEST(MomentSampler, RowsHaveTheModelsMomentsWithinTheRanges) {
  const SharedGaussian model{{1, 2}, {4, -1, -1, 1}};
  const double low[] = {-6, -100};
  const double high[] = {100, 3};
  SecureRandom random;
  constexpr std::uint64_t kRows = 40000;
  std::vector<double> rows;
  model.draw(kRows, low, high, random,
             [&](std::span<const double> row) { rows.insert(rows.end(), row.begin(), row.end()); });
  ASSERT_EQ(rows.size(), 2 * kRows);
  std::size_t at_high = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_GE(rows[i], low[i % 2]);
    EXPECT_LE(rows[i], high[i % 2]);
    at_high += i % 2 == 1 && rows[i] == 3 ? 1U : 0U;
  }
  const TwoColumns found = two_columns(rows);
  // Each within 5 standard errors; the second is cut at one standard deviation above its mean.
  EXPECT_NEAR(found.mean[0], 1, 5 * 2 / std::sqrt(kRows));
  EXPECT_NEAR(found.covariance[0], 4, 5 * 4 * std::sqrt(2.0 / kRows));
  EXPECT_NEAR(static_cast<double>(at_high) / kRows, 0.158655, 5 * 0.3654 / std::sqrt(kRows));
}

/// Whatever the rows are, and however many: finite numbers, within the ranges.
TEST(MomentSampler, IsTotal) {
  constexpr double kNo = test::kNan;
  constexpr double kInf = test::kInfinity;
  const std::vector<std::vector<double>> tables = {
      {},
      {kNo, kNo, kNo, kInf, -kInf, 1e308},
      {1e308, -1e308, 1e308, -1e308, 5e-324, 0},
      std::vector<double>(2000, 5),
      correlated_rows(1000),
  };
  SecureRandom random;
  for (const auto& rows : tables) {
    for (const Privacy& budget : {Privacy::concentrated(1e-6), Privacy::concentrated(50),
                                  Privacy::pure(1), Privacy::approximate(1, 1e-6)}) {
      for (const std::uint64_t records : {1U, 10U, 1000U}) {
        // A column of one value, and ranges beyond all rows.
        const MomentSampler sampler(design_moments({records, 2, budget}), {5, -1e9}, {5, 1e9});
        const SharedGaussian model = sampler.measure(MemoryTable(2, rows), random);
        for (const double number : model.mean) EXPECT_TRUE(std::isfinite(number));
        for (const double number : model.covariance) EXPECT_TRUE(std::isfinite(number));
        std::size_t drawn = 0;
        model.draw(20, sampler.low(), sampler.high(), random, [&](std::span<const double> row) {
          ++drawn;
          EXPECT_EQ(row[0], 5);
          EXPECT_LE(std::abs(row[1]), 1e9);
        });
        EXPECT_EQ(drawn, 20U);
      }
    }
  }
}

TEST(MomentSampler, RefusesOtherDimensionsAndADesignThatDoesNotKeepItsGuarantee) {
  MomentDesign design = design_moments({10, 2, Privacy::concentrated(1)});
  EXPECT_THROW(MomentSampler(design, {0}, {1}), InvalidInput);
  SecureRandom random;
  EXPECT_THROW(static_cast<void>(
                   MomentSampler(design, {0, 0}, {1, 1}).measure(MemoryTable(1, {1, 2}), random)),
               InvalidInput);
  design.rounds.back().noise.numerator /= 2;
  EXPECT_THROW(MomentSampler(design, {0, 0}, {1, 1}), InvalidInput);
}

}  // namespace
}  // namespace mollify
