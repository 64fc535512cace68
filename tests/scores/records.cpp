#include "scores/records.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "columns.h"
#include "random_domain.h"
#include "scores/mixed_rows.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Empirical points.

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

// -----------------------------------------------------------------------------------------------
// Record layout.

namespace {

using testing::ElementsAre;

Domain mixed_columns() {
  return Domain::make({Column::make("x", NumberCells::make(0, 1, 4), {.null_is_category = true}),
                       test::without_nulls("i", IntegerCells::make(0, 32)),
                       test::without_nulls("j", IntegerCells::make(1, 32)),
                       Column::make("w", Categories::make({"a", "b"}), {.null_is_category = true}),
                       Column::make("k", IntegerCells::make(1, 6), {.null_is_category = true})});
}

TEST(RecordLayout, GivesEachColumnItsScale) {
  const RecordLayout layout(mixed_columns());
  EXPECT_EQ(layout.digits(), 5U);
  EXPECT_THAT(layout.columns(),
              ElementsAre(MixedColumn{Scale::kNumber, 0}, MixedColumn{Scale::kCategory, 2},
                          MixedColumn{Scale::kNumber, 0}, MixedColumn{Scale::kOrdered, 32},
                          MixedColumn{Scale::kCategory, 3}, MixedColumn{Scale::kOrdered, 6},
                          MixedColumn{Scale::kCategory, 2}));
}

TEST(RecordLayout, PutsNullsInTheMiddleAndMarksThem) {
  const RecordLayout layout(mixed_columns());
  const std::vector<std::uint32_t> digits = {0, 32, 31, 2, 0, 4, 0, 0, 1, 6};
  const MixedPoints points = layout.points(digits);
  ASSERT_EQ(points.size(), 2U);
  const auto point = [&](std::size_t j) {
    std::vector<float> values;
    for (std::size_t i = 0; i < 7; ++i) values.push_back(points.values(i)[j]);
    return values;
  };
  EXPECT_THAT(point(0), ElementsAre(0.125F, 0, 32.5F / 33, 31, 2, 0, 0));
  EXPECT_THAT(point(1), ElementsAre(0.5F, 1, 0.5F / 33, 0, 1, 2, 1));
}

RC_GTEST_PROP(RecordLayout, FindsTheDigitsOfItsPoints, ()) {
  const Domain domain = *test::domain();
  const RecordLayout layout(domain);
  std::vector<std::uint32_t> digits;
  for (const Column& column : domain.columns()) {
    digits.push_back(*rc::gen::inRange<std::uint32_t>(0, column.size()));
  }
  const MixedPoints points = layout.points(digits);
  std::vector<float> point;
  for (std::size_t i = 0; i < points.columns().size(); ++i) point.push_back(points.values(i)[0]);
  std::vector<std::uint32_t> found(digits.size());
  layout.digits_of(point, found);
  RC_ASSERT(found == digits);
}

RC_GTEST_PROP(RecordLayout, BringsAnyPointIntoTheDomain, (std::vector<float> any)) {
  const Domain domain = *test::domain();
  const RecordLayout layout(domain);
  any.resize(layout.columns().size(), std::nanf(""));
  std::vector<std::uint32_t> digits(layout.digits());
  layout.digits_of(any, digits);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    RC_ASSERT(digits[i] < domain.columns()[i].size());
  }
}

// A cell's middle as a float is inside the cell as long as cells are wider than a float's step.
TEST(RecordLayout, TellsTheFinestCellsApart) {
  const Domain domain = Domain::make({test::without_nulls("x", NumberCells::make(0, 1))});
  const RecordLayout layout(domain);
  std::vector<std::uint32_t> found(1);
  for (std::uint32_t cell = 0; cell < NumberCells::kUndeclaredBins; cell += 77) {
    const std::vector<std::uint32_t> digits = {cell};
    layout.digits_of(layout.points(digits).values(0), found);
    ASSERT_EQ(found[0], cell);
  }
}

}  // namespace

}  // namespace mollify
