#include "scores/kernels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chi_square.h"
#include "core/invalid_input.h"
#include "domain/candidates.h"
#include "not_finite.h"
#include "sanitized.h"
#include "scores/mixed_rows.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Bandwidths.

namespace {

using ::testing::FloatNear;

MixedPoints one_column(MixedColumn column, const std::vector<float>& values) {
  MixedPoints points({column}, values.size());
  std::copy(values.begin(), values.end(), points.values(0).begin());
  return points;
}

float bandwidth(MixedColumn column, const std::vector<float>& values) {
  return rule_of_thumb(one_column(column, values)).of_column.at(0);
}

TEST(RuleOfThumb, WithoutRowsIsTheUniformLaws) {
  const auto uniform_deviation = static_cast<float>(std::sqrt(1.0 / 12));
  EXPECT_THAT(bandwidth({Scale::kNumber, 0}, {}), FloatNear(uniform_deviation, 1e-6F));
  EXPECT_THAT(bandwidth({Scale::kCategory, 4}, {}), FloatNear(0.75F, 1e-6F));
  EXPECT_EQ(bandwidth({Scale::kCategory, 1}, {}), 0);
}

TEST(RuleOfThumb, IsScottsForManyNumbers) {
  const MixedPoints rows = test::uniform_points({{Scale::kNumber, 0}}, 100000, 5);
  const double expected = std::sqrt(1.0 / 12) * std::pow(1e5, -0.2);
  EXPECT_NEAR(static_cast<double>(rule_of_thumb(rows).of_column[0]), expected, 0.01 * expected);
}

TEST(RuleOfThumb, IsFienbergAndHollandsForCategories) {
  // Shares .7, .2, .1 of a million: K = (1 - .54) / (.54 - 1/3), weight K / (n + K) of uniform.
  std::vector<float> values(1000000, 0);
  std::fill(values.begin() + 700000, values.begin() + 900000, 1.0F);
  std::fill(values.begin() + 900000, values.end(), 2.0F);
  const double k = (1 - 0.54) / (0.54 - 1.0 / 3);
  const double expected = k / (1e6 + k) * 2 / 3;
  EXPECT_NEAR(static_cast<double>(bandwidth({Scale::kCategory, 3}, values)), expected,
              1e-3 * expected);
}

TEST(RuleOfThumb, SmoothsOrderedValuesThatLieSmoothly) {
  std::vector<float> smooth, jagged;
  for (int i = 0; i < 1000; ++i) {
    smooth.push_back(static_cast<float>(i % 20));
    jagged.push_back(static_cast<float>(i % 10 * 2));
  }
  EXPECT_GT(bandwidth({Scale::kOrdered, 20}, smooth), 0.1F);
  EXPECT_LT(bandwidth({Scale::kOrdered, 20}, jagged), 0.02F);
}

TEST(RuleOfThumb, IsFiniteAndInRangeForConstantsOneRowAndAnyFloats) {
  const std::vector<MixedColumn> columns = test::survey_columns();
  std::vector<MixedPoints> inputs = {MixedPoints(columns, 0), MixedPoints(columns, 1),
                                     MixedPoints(columns, 1000)};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    inputs.push_back(test::hostile_points(columns, 1 + seed, seed));
  }
  for (const MixedPoints& rows : inputs) {
    const Bandwidths bandwidths = rule_of_thumb(rows);
    ASSERT_EQ(bandwidths.of_column.size(), columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const float value = bandwidths.of_column[c];
      const bool is_number = columns[c].scale == Scale::kNumber;
      EXPECT_GE(value, is_number ? 1e-4F : 0.0F);
      EXPECT_LE(value, 1.0F);
    }
  }
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Column kernel.

namespace {

using test::kNanFloat;

double normal_mass(double low, double high, double mean, double deviation) {
  const double unit = deviation * std::sqrt(2.0);
  return 0.5 * (std::erf((high - mean) / unit) - std::erf((low - mean) / unit));
}

TEST(ColumnKernel, NumbersAreNormalOnTheUnitInterval) {
  for (const double h : {0.01, 0.2, 3.0}) {
    const ColumnKernel kernel({Scale::kNumber, 0}, static_cast<float>(h));
    for (const float origin : {0.0F, 0.125F, 1.0F}) {
      for (const float x : {0.0F, 0.09375F, 0.5F, 1.0F}) {
        const double u = static_cast<double>(x - origin) / kernel.bandwidth();
        const double expected = std::exp(-0.5 * u * u) /
                                (kernel.bandwidth() * std::sqrt(2 * std::acos(-1.0))) /
                                normal_mass(0, 1, static_cast<double>(origin), kernel.bandwidth());
        EXPECT_NEAR(kernel.density(x, origin), expected, 1e-11 * expected) << x << ' ' << origin;
      }
    }
  }
}

TEST(ColumnKernel, LevelsAreTheKernelsOfTheirPapers) {
  const ColumnKernel category({Scale::kCategory, 4}, 0.375F);
  EXPECT_NEAR(category.density(2, 2), 0.625, 1e-14);
  EXPECT_NEAR(category.density(1, 2), 0.125, 1e-14);
  const ColumnKernel ordered({Scale::kOrdered, 4}, 0.5F);
  const double sum = 1 + 0.25 + 0.25 + 0.125;  // around level 1 of 0, 1, 2, 3
  EXPECT_NEAR(ordered.density(1, 1), 1 / sum, 1e-14);
  EXPECT_NEAR(ordered.density(0, 1), 0.25 / sum, 1e-14);
  EXPECT_NEAR(ordered.density(3, 1), 0.125 / sum, 1e-14);
}

TEST(ColumnKernel, LevelsSumToOne) {
  for (const Scale scale : {Scale::kCategory, Scale::kOrdered}) {
    for (const std::uint32_t levels : {1U, 2U, 7U, 300U}) {
      for (const float lambda : {0.0F, 1e-30F, 0.3F, 0.999F, 1.0F, 5.0F, -1.0F, kNanFloat}) {
        const ColumnKernel kernel({scale, levels}, lambda);
        for (const std::uint32_t origin : {0U, levels / 2, levels - 1}) {
          double sum = 0;
          for (std::uint32_t x = 0; x < levels; ++x) {
            sum += kernel.density(static_cast<float>(x), static_cast<float>(origin));
          }
          EXPECT_NEAR(sum, 1, 1e-12) << levels << " levels, lambda " << lambda;
        }
      }
    }
  }
}

TEST(ColumnKernel, AtItsWidestACategoryIsUniform) {
  const ColumnKernel kernel({Scale::kCategory, 3}, 1.0F);
  EXPECT_NEAR(kernel.density(0, 1), 1.0 / 3, 1e-7);
  EXPECT_NEAR(kernel.density(1, 1), 1.0 / 3, 1e-7);
}

/// 20000 draws around an origin follow the kernel; false alarms 1e-6 each.
void expect_draws_follow(const ColumnKernel& kernel, float origin, std::size_t bins) {
  SeededRandom random(2024);
  std::vector<std::uint64_t> seen(bins);
  std::vector<double> expected(bins);
  const bool is_number = kernel.column().scale == Scale::kNumber;
  const auto count = static_cast<double>(bins);
  for (int i = 0; i < 20000; ++i) {
    const float x = kernel.draw(origin, random);
    const double position = static_cast<double>(x) * (is_number ? count : 1);
    ++seen.at(std::min(static_cast<std::size_t>(position), bins - 1));
  }
  for (std::size_t b = 0; b < bins; ++b) {
    const auto bin = static_cast<double>(b);
    const auto mean = static_cast<double>(origin);
    const double h = kernel.bandwidth();
    expected[b] = is_number ? normal_mass(bin / count, (bin + 1) / count, mean, h) /
                                  normal_mass(0, 1, mean, h)
                            : kernel.density(static_cast<float>(b), origin);
  }
  EXPECT_TRUE(test::follows(expected, seen))
      << "seed 2024, bandwidth " << kernel.bandwidth() << ", origin " << origin;
}

TEST(ColumnKernel, DrawsFollowTheDensity) {
  expect_draws_follow({{Scale::kNumber, 0}, 0.1F}, 0.3F, 50);
  expect_draws_follow({{Scale::kNumber, 0}, 0.1F}, 1.0F, 50);
  expect_draws_follow({{Scale::kNumber, 0}, 700.0F}, 0.0F, 50);
  expect_draws_follow({{Scale::kCategory, 6}, 0.4F}, 2, 6);
  expect_draws_follow({{Scale::kCategory, 1}, 0.4F}, 0, 1);
  expect_draws_follow({{Scale::kOrdered, 12}, 0.8F}, 3, 12);
  expect_draws_follow({{Scale::kOrdered, 12}, 1.0F}, 11, 12);
  expect_draws_follow({{Scale::kOrdered, 12}, 0.0F}, 0, 12);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Product kernel.

namespace {

using test::clustered_points;
using test::hostile_points;
using test::survey_columns;
using test::uniform_points;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// The definition, in doubles.
std::vector<double> brute_force(const MixedPoints& candidates, const MixedPoints& rows,
                                const Bandwidths& bandwidths) {
  std::vector<ColumnKernel> kernels;
  for (std::size_t c = 0; c < rows.columns().size(); ++c) {
    kernels.emplace_back(rows.columns()[c], bandwidths.of_column[c]);
  }
  std::vector<double> scores(candidates.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double peak = 1;
    for (std::size_t c = 0; c < kernels.size(); ++c) {
      peak *= kernels[c].density(rows.values(c)[i], rows.values(c)[i]);
    }
    for (std::size_t j = 0; j < candidates.size(); ++j) {
      double loss = 0;
      for (std::size_t c = 0; c < kernels.size(); ++c) {
        loss += kernels[c].loss(candidates.values(c)[j], rows.values(c)[i]);
      }
      scores[j] += peak * std::exp2(-loss) / static_cast<double>(rows.size());
    }
  }
  return scores;
}

/// The stated accuracy: 1e-4 where the estimate exceeds 1e-30.
void expect_agree(const MixedPoints& candidates, const MixedPoints& rows,
                  const Bandwidths& bandwidths, const char* what, double tolerance = 1e-4) {
  const ProductKernelScorer scorer(candidates);
  std::vector<float> scores(candidates.size(), -1.0F);
  scorer.score(rows, bandwidths, scores);
  const std::vector<double> expected = brute_force(candidates, rows, bandwidths);
  double worst = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const auto score = static_cast<double>(scores[j]);
    ASSERT_TRUE(std::isfinite(score)) << what;
    ASSERT_GE(score, 0) << what;
    if (expected[j] > 1e-30) {
      worst = std::max(worst, std::abs(score / expected[j] - 1));
    } else {
      ASSERT_LE(score, 1.1e-30) << what;
    }
  }
  std::printf("%s: greatest relative error %.2g\n", what, worst);
  EXPECT_LE(worst, tolerance) << what;
}

TEST(ProductKernel, IsItsDefinition) {
  const std::vector<MixedColumn> columns = survey_columns();
  const MixedPoints candidates = uniform_points(columns, 1000, 1);
  const MixedPoints smooth = uniform_points(columns, 300, 2);
  const MixedPoints clustered = clustered_points(columns, 300, 5, 0.05, 3);
  expect_agree(candidates, smooth, rule_of_thumb(smooth), "smooth");
  expect_agree(candidates, clustered, rule_of_thumb(clustered), "clustered");
  expect_agree(clustered, candidates, rule_of_thumb(candidates), "candidates in clusters");
  const MixedPoints one = uniform_points(columns, 1, 4);
  expect_agree(candidates, one, rule_of_thumb(one), "one row");
}

TEST(ProductKernel, IsItsDefinitionInOneColumnOfEachScale) {
  for (const MixedColumn column : {MixedColumn{Scale::kNumber, 0}, MixedColumn{Scale::kCategory, 9},
                                   MixedColumn{Scale::kOrdered, 9}}) {
    const MixedPoints candidates = uniform_points({column}, 500, 5);
    const MixedPoints rows = uniform_points({column}, 1000, 6);
    for (const float bandwidth : {0.0F, 1e-3F, 0.02F, 0.5F, 1.0F, 50.0F}) {
      // Kernels of the least width lose digits in their tails.
      const double tolerance = bandwidth == 0 && column.scale == Scale::kNumber ? 0.01 : 1e-4;
      expect_agree(candidates, rows, {{bandwidth}}, "one column", tolerance);
    }
  }
}

TEST(ProductKernel, IsItsDefinitionForExtremeBandwidths) {
  const std::vector<MixedColumn> columns = survey_columns();
  const MixedPoints candidates = uniform_points(columns, 300, 7);
  const MixedPoints rows = clustered_points(columns, 200, 3, 0.1, 8);
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  for (const float value : {0.0F, 1e-3F, 0.05F, 1.0F, 1e30F, nan}) {
    expect_agree(candidates, rows, {std::vector<float>(columns.size(), value)}, "same bandwidths");
  }
}

TEST(ProductKernel, SkippingRowsIsNotSeen) {
  // Many rows, of which each block of candidates needs few.
  const std::vector<MixedColumn> columns = {
      {Scale::kNumber, 0}, {Scale::kNumber, 0}, {Scale::kCategory, 3}};
  const MixedPoints candidates = uniform_points(columns, test::whole_or_sanitized(2000, 600), 9);
  const MixedPoints rows =
      clustered_points(columns, test::whole_or_sanitized(3000, 900), 20, 0.02, 10);
  expect_agree(candidates, rows, rule_of_thumb(rows), "many rows");
  expect_agree(candidates, rows, {{0.01F, 0.01F, 0.001F}}, "many rows, narrow kernels");
}

TEST(ProductKernel, EqualRowsCountTogether) {
  const std::vector<MixedColumn> columns = {{Scale::kCategory, 3}, {Scale::kNumber, 0}};
  const MixedPoints candidates = uniform_points(columns, 100, 11);
  MixedPoints rows(columns, 1000);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows.values(0)[i] = static_cast<float>(i % 7 % 3);
    rows.values(1)[i] = static_cast<float>(i % 4) / 4;
  }
  expect_agree(candidates, rows, {{0.2F, 0.1F}}, "equal rows");
}

TEST(ProductKernel, IntegratesToOne) {
  // A grid of midpoints in two numbers and all levels.
  const std::vector<MixedColumn> columns = {
      {Scale::kNumber, 0}, {Scale::kOrdered, 3}, {Scale::kNumber, 0}};
  constexpr std::size_t kCells = 64;
  MixedPoints candidates(columns, kCells * kCells * 3);
  for (std::size_t j = 0; j < candidates.size(); ++j) {
    candidates.values(0)[j] = (static_cast<float>(j % kCells) + 0.5F) / kCells;
    candidates.values(2)[j] = (static_cast<float>(j / kCells % kCells) + 0.5F) / kCells;
    candidates.values(1)[j] = static_cast<float>(j / kCells / kCells);
  }
  const ProductKernelScorer scorer(candidates);
  std::vector<float> scores(candidates.size());
  const MixedPoints rows = uniform_points(columns, 50, 12);
  scorer.score(rows, {{0.1F, 0.3F, 0.15F}}, scores);
  double sum = 0;
  for (const float score : scores) sum += static_cast<double>(score);
  // The midpoint rule's own error at edges is h^-2 / (24 cells^2), 1e-3.
  EXPECT_NEAR(sum / (kCells * kCells), 1, 2e-3);
}

TEST(ProductKernel, IsTotalForAnyRows) {
  const std::vector<MixedColumn> columns = survey_columns();
  const MixedPoints candidates = uniform_points(columns, 300, 13);
  const MixedPoints hostile_candidates = hostile_points(columns, 300, 14);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const MixedPoints rows = hostile_points(columns, 1 + 7 * seed, seed);
    expect_agree(candidates, rows, rule_of_thumb(rows), "hostile rows");
    expect_agree(hostile_candidates, rows, rule_of_thumb(rows), "hostile rows and candidates");
  }
}

TEST(ProductKernel, WithoutRowsScoresAreZero) {
  const MixedPoints candidates = uniform_points(survey_columns(), 100, 15);
  const ProductKernelScorer scorer(candidates);
  std::vector<float> scores(100, 7.0F);
  scorer.score(MixedPoints(survey_columns(), 0), scores);
  EXPECT_THAT(scores, Each(0.0F));
  ProductKernelScorer(MixedPoints(survey_columns(), 0)).score(candidates, std::span<float>());
}

TEST(ProductKernel, RefusesOtherShapes) {
  const MixedPoints candidates = uniform_points(survey_columns(), 10, 16);
  const ProductKernelScorer scorer(candidates);
  std::vector<float> scores(10);
  std::vector<float> few(9);
  const MixedPoints other({{Scale::kNumber, 0}}, 3);
  EXPECT_THAT([&] { scorer.score(other, scores); },
              ThrowsMessage<InvalidInput>(HasSubstr("the 8 columns of the candidates")));
  EXPECT_THAT([&] { scorer.score(candidates, few); },
              ThrowsMessage<InvalidInput>(HasSubstr("each of 10 candidates, but there are 9")));
  EXPECT_THAT([&] { scorer.score(candidates, {{1.0F}}, scores); },
              ThrowsMessage<InvalidInput>(HasSubstr("each of 8 columns, but there are 1")));
}

}  // namespace

}  // namespace mollify
