#include "density/product_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "density/column_kernel.h"
#include "density/mixed_rows.h"
#include "kernel/core/invalid_input.h"
#include "sanitized.h"

namespace mollify {
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
