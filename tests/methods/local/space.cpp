// What every scorer promises.
#include "methods/local/space.h"

#include <rapidcheck.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/invalid_input.h"
#include "printed.h"
#include "release/spec.h"
#include "scores/mixed_rows.h"
#include "scores/points.h"

namespace mollify {
namespace {

using test::clustered_points;
using test::hostile_points;
using test::survey_columns;
using test::uniform_points;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class EveryScorer : public ::testing::TestWithParam<ScorerKind> {
 protected:
  [[nodiscard]] static std::vector<float> scores(const MixedPoints& candidates,
                                                 const MixedPoints& rows) {
    const std::unique_ptr<Scorer> scorer = make_scorer(GetParam(), candidates, 1);
    std::vector<float> result(candidates.size(), -1.0F);
    scorer->score(rows, result);
    return result;
  }

  static void expect_finite(std::span<const float> scores) {
    for (const float score : scores) {
      ASSERT_TRUE(std::isfinite(score));
      ASSERT_GE(score, 0);
    }
  }
};

TEST_P(EveryScorer, IsTotal) {
  const std::vector<MixedColumn> columns = survey_columns();
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const MixedPoints rows = hostile_points(columns, 1 + seed * seed, seed);
    expect_finite(scores(uniform_points(columns, 200, seed), rows));
    expect_finite(scores(hostile_points(columns, 200, seed + 100), rows));
  }
}

TEST_P(EveryScorer, IsTotalInAnyColumns) {
  const auto candidates_of = [](const std::vector<MixedColumn>& columns) {
    return uniform_points(columns, 150, 3);
  };
  for (const std::vector<MixedColumn>& columns :
       {std::vector<MixedColumn>{}, std::vector<MixedColumn>{{Scale::kNumber, 0}},
        std::vector<MixedColumn>{{Scale::kCategory, 1}, {Scale::kOrdered, 1}},
        std::vector<MixedColumn>{{Scale::kOrdered, 1U << 24U}, {Scale::kCategory, 1U << 24U}},
        std::vector<MixedColumn>(40, {Scale::kNumber, 0})}) {
    for (const std::size_t size : {1U, 2U, 300U}) {
      expect_finite(scores(candidates_of(columns), MixedPoints(columns, size)));
      expect_finite(scores(candidates_of(columns), uniform_points(columns, size, 4)));
      expect_finite(scores(candidates_of(columns), hostile_points(columns, size, 5)));
    }
  }
}

TEST_P(EveryScorer, WithoutRowsScoresAreZero) {
  const MixedPoints candidates = uniform_points(survey_columns(), 50, 6);
  EXPECT_THAT(scores(candidates, MixedPoints(survey_columns(), 0)), Each(0.0F));
}

TEST_P(EveryScorer, NeedsNoCandidates) {
  EXPECT_TRUE(scores(MixedPoints(survey_columns(), 0), MixedPoints(survey_columns(), 9)).empty());
}

TEST_P(EveryScorer, RefusesOtherShapes) {
  const MixedPoints candidates = uniform_points(survey_columns(), 50, 7);
  const std::unique_ptr<Scorer> scorer = make_scorer(GetParam(), candidates, 1);
  std::vector<float> few(49);
  EXPECT_THAT([&] { scorer->score(candidates, few); },
              ThrowsMessage<InvalidInput>(HasSubstr("each of 50 candidates, but there are 49")));
  EXPECT_THAT([&] { (void)scores(candidates, MixedPoints({}, 3)); },
              ThrowsMessage<InvalidInput>(HasSubstr("the 8 columns of the candidates")));
}

TEST_P(EveryScorer, FollowsTheCandidatesOrder) {
  const std::vector<MixedColumn> columns = survey_columns();
  const MixedPoints candidates = uniform_points(columns, 500, 8);
  MixedPoints reversed(columns, 500);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (std::size_t j = 0; j < 500; ++j) reversed.values(c)[499 - j] = candidates.values(c)[j];
  }
  const MixedPoints rows = clustered_points(columns, 100, 3, 0.1, 9);
  const std::vector<float> forward = scores(candidates, rows);
  const std::vector<float> backward = scores(reversed, rows);
  for (std::size_t j = 0; j < 500; ++j) {
    EXPECT_NEAR(forward[j], backward[499 - j], 2e-4F * forward[j]) << j;
  }
}

TEST_P(EveryScorer, LiesWhereTheRowsAre) {
  // Candidates on an even grid, weighed by their scores, have the mean of the rows.
  const std::vector<MixedColumn> columns = {{Scale::kNumber, 0}, {Scale::kCategory, 3}};
  MixedPoints candidates(columns, 300);
  for (std::size_t j = 0; j < candidates.size(); ++j) {
    candidates.values(0)[j] = (static_cast<float>(j / 3) + 0.5F) / 100;
    candidates.values(1)[j] = static_cast<float>(j % 3);
  }
  const MixedPoints rows = clustered_points(columns, 200, 2, 0.03, 11);
  const std::vector<float> result = scores(candidates, rows);
  double sum = 0, mean = 0, row_mean = 0;
  for (std::size_t j = 0; j < result.size(); ++j) {
    sum += static_cast<double>(result[j]);
    mean += static_cast<double>(result[j] * candidates.values(0)[j]);
  }
  for (const float x : rows.values(0)) row_mean += static_cast<double>(x) / 200;
  ASSERT_GT(sum, 0);
  EXPECT_NEAR(mean / sum, row_mean, 0.02);
}

// Scorers that learn promise the same except for their order; their tests are tests/boosting.
INSTANTIATE_TEST_SUITE_P(Kinds, EveryScorer,
                         ::testing::Values(ScorerKind::kKernel, ScorerKind::kEmpirical,
                                           ScorerKind::kHistogram, ScorerKind::kGaussianMixture),
                         [](const ::testing::TestParamInfo<ScorerKind>& kind) {
                           std::string name(name_of(kind.param));
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace mollify
