// RatioScorer and BoostedScorer: Scorer's promises, and their learning.
#include <cmath>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "scores/boosting.h"
#include "scores/mixed_rows.h"
#include "scores/network.h"

namespace mollify {

namespace {

using test::clustered_points;
using test::hostile_points;
using test::survey_columns;
using test::uniform_points;

constexpr double kScorerEpsilon = 2;

/// Learns in a moment, and little.
std::shared_ptr<const WeakLearner> quick_learner() {
  NetworkOptions options;
  options.width = 4;
  options.depth = 1;
  options.optimiser = Optimiser::kAdam;
  options.epochs = 2;
  return std::make_shared<NetworkLearner>(options);
}

using MakeScorer = std::unique_ptr<Scorer> (*)(const MixedPoints&,
                                               std::shared_ptr<const WeakLearner>, std::size_t);

std::unique_ptr<Scorer> ratio(const MixedPoints& candidates,
                              std::shared_ptr<const WeakLearner> learner, std::size_t samples) {
  return std::make_unique<RatioScorer>(candidates, std::move(learner), samples);
}

std::unique_ptr<Scorer> boosted(const MixedPoints& candidates,
                                std::shared_ptr<const WeakLearner> learner, std::size_t samples) {
  return std::make_unique<BoostedScorer>(candidates, kScorerEpsilon, std::move(learner), samples);
}

class LearnedScorer : public ::testing::TestWithParam<MakeScorer> {
 protected:
  [[nodiscard]] static std::vector<float> quick_scores(const MixedPoints& candidates,
                                                       const MixedPoints& rows) {
    std::vector<float> scores(candidates.size(), -1.0F);
    GetParam()(candidates, quick_learner(), 50)->score(rows, scores);
    return scores;
  }

  static void expect_finite(std::span<const float> scores) {
    for (const float score : scores) {
      ASSERT_TRUE(std::isfinite(score));
      ASSERT_GE(score, 0);
    }
  }
};

TEST_P(LearnedScorer, IsTotal) {
  for (const std::vector<MixedColumn>& columns :
       {survey_columns(), std::vector<MixedColumn>{}, std::vector<MixedColumn>{{Scale::kNumber, 0}},
        std::vector<MixedColumn>{{Scale::kCategory, 1}, {Scale::kOrdered, 1}},
        std::vector<MixedColumn>{{Scale::kOrdered, 1U << 24U}, {Scale::kCategory, 1U << 24U}}}) {
    for (const std::size_t size : {1U, 2U, 300U}) {
      expect_finite(
          quick_scores(uniform_points(columns, 150, 3), hostile_points(columns, size, 5)));
      expect_finite(quick_scores(hostile_points(columns, 20, 4), uniform_points(columns, size, 6)));
    }
  }
}

TEST_P(LearnedScorer, ScoresAreRatiosAndZeroWithoutRows) {
  const MixedPoints candidates = uniform_points(survey_columns(), 50, 6);
  EXPECT_TRUE(GetParam()(candidates, quick_learner(), 50)->scores_are_ratios());
  EXPECT_THAT(quick_scores(candidates, MixedPoints(survey_columns(), 0)), testing::Each(0.0F));
  EXPECT_TRUE(quick_scores(MixedPoints(survey_columns(), 0), candidates).empty());
}

TEST_P(LearnedScorer, IsTheSameForTheSameRows) {
  const MixedPoints candidates = uniform_points(survey_columns(), 100, 6);
  const MixedPoints rows = clustered_points(survey_columns(), 40, 2, 0.05, 7);
  EXPECT_EQ(quick_scores(candidates, rows), quick_scores(candidates, rows));
}

// Rows of density 2x on [0, 1] in one column and always level 1 in another of three.
TEST_P(LearnedScorer, LearnsARatio) {
  const std::vector<MixedColumn> columns = {{Scale::kNumber, 0}, {Scale::kCategory, 3}};
  constexpr std::size_t kCount = 2000;
  const MixedPoints candidates = uniform_points(columns, kCount, 8);
  MixedPoints rows = uniform_points(columns, kCount, 9);
  for (std::size_t i = 0; i < kCount; ++i) {
    rows.values(0)[i] = std::sqrt(rows.values(0)[i]);
    rows.values(1)[i] = 1;
  }
  NetworkOptions options;
  options.optimiser = Optimiser::kAdam;
  options.width = 8;
  options.depth = 1;
  options.epochs = 30;
  options.minibatches = 20;
  std::vector<float> scores(kCount);
  GetParam()(candidates, std::make_shared<NetworkLearner>(options), kCount)->score(rows, scores);
  double inside = 0;
  double outside = 0;
  double slope = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto score = static_cast<double>(scores[i]);
    const bool is_level = candidates.values(1)[i] == 1.0F;
    (is_level ? inside : outside) += score;
    if (is_level) slope += score * (static_cast<double>(candidates.values(0)[i]) - 0.5);
  }
  std::printf("score mass inside %.1f, outside %.1f, slope %.1f\n", inside, outside, slope);
  // A third of the candidates is inside. The ratios that boosting keeps are at least e of each
  // other there, of which it learns most.
  EXPECT_GT(2 * inside, 1.8 * outside);
  EXPECT_GT(slope, 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, LearnedScorer, ::testing::Values(&ratio, &boosted),
                         [](const ::testing::TestParamInfo<MakeScorer>& kind) {
                           return kind.param == &ratio ? "ratio" : "boosted";
                         });

TEST(BoostedScorer, StaysInsideAQuarterOfEpsilon) {
  const MixedPoints candidates = uniform_points(survey_columns(), 500, 1);
  const MixedPoints rows = clustered_points(survey_columns(), 300, 1, 0.01, 2);
  std::vector<float> scores(500);
  BoostedScorer(candidates, kScorerEpsilon, quick_learner(), 200).score(rows, scores);
  for (const float score : scores) {
    EXPECT_LE(std::abs(std::log(static_cast<double>(score))), kScorerEpsilon / 4 + 1e-6);
  }
}

TEST(BoostedScorer, RefusesAnImpossibleEpsilonBeforeRowsAreSeen) {
  const MixedPoints candidates = uniform_points(survey_columns(), 5, 1);
  EXPECT_THROW(BoostedScorer(candidates, -1), InvalidInput);
}

}  // namespace

}  // namespace mollify
