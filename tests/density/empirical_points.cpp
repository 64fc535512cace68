#include "density/empirical_points.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "density/mixed_rows.h"

namespace mollify {
namespace {

using test::clustered_points;
using test::survey_columns;
using test::uniform_points;
using ::testing::ElementsAre;

TEST(EmpiricalPoints, GiveRowsToTheNearestCandidate) {
  const std::vector<MixedColumn> columns = survey_columns();
  const MixedPoints candidates = uniform_points(columns, 1000, 1);
  const MixedPoints rows = clustered_points(columns, 300, 10, 0.1, 2);
  std::vector<float> expected(candidates.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<float> distances(candidates.size());
    for (std::size_t j = 0; j < candidates.size(); ++j) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        float d = candidates.values(c)[j] - rows.values(c)[i];
        if (columns[c].scale == Scale::kOrdered) d /= 9;
        if (columns[c].scale == Scale::kCategory) d = d != 0 ? 1 : 0;
        distances[j] += d * d;
      }
    }
    const auto nearest = std::min_element(distances.begin(), distances.end()) - distances.begin();
    expected[static_cast<std::size_t>(nearest)] += 1000.0F / 300;
  }
  std::vector<float> scores(candidates.size());
  const EmpiricalScorer scorer(candidates);
  EXPECT_TRUE(scorer.scores_are_ratios());
  scorer.score(rows, scores);
  for (std::size_t j = 0; j < scores.size(); ++j) {
    ASSERT_NEAR(scores[j], expected[j], 1e-5F) << j;
  }
}

TEST(EmpiricalPoints, EqualCandidatesShare) {
  MixedPoints candidates({{Scale::kCategory, 3}}, 4);
  std::ranges::copy(std::vector<float>{1, 0, 1, 2}, candidates.values(0).begin());
  MixedPoints rows({{Scale::kCategory, 3}}, 8);
  std::ranges::copy(std::vector<float>{1, 1, 0, 1, 1, 0, 1, 1}, rows.values(0).begin());
  std::vector<float> scores(4);
  EmpiricalScorer(candidates).score(rows, scores);
  EXPECT_THAT(scores, ElementsAre(1.5F, 1.0F, 1.5F, 0.0F));
}

}  // namespace
}  // namespace mollify
