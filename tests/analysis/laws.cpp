#include "analysis/laws.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mollify {
namespace {

using ::testing::ElementsAre;

MixedPoints three_columns() {
  MixedPoints points({{Scale::kNumber, 0}, {Scale::kCategory, 3}, {Scale::kOrdered, 4}}, 4);
  const auto fill = [&](std::size_t column, std::array<float, 4> values) {
    std::copy(values.begin(), values.end(), points.values(column).begin());
  };
  fill(0, {0.0F, 0.25F, 0.5F, 1.0F});
  fill(1, {0, 2, 2, 2});
  fill(2, {0, 1, 2, 3});
  return points;
}

const std::vector<double> kEqual(4, 1.0);

TEST(LawsOfPoints, CutNumbersAtQuartilesOfTheFirstAndLevelsNowhere) {
  const MixedPoints points = three_columns();
  MixedPoints others({{Scale::kNumber, 0}, {Scale::kCategory, 3}, {Scale::kOrdered, 4}}, 6);
  const std::array values = {-1.0F, 0.0F, 0.2F, 0.5F, 0.6F, NAN};
  std::copy(values.begin(), values.end(), others.values(0).begin());
  others.values(1)[0] = 9;
  const auto laws =
      laws_of_points({{"truth", &points, kEqual}, {"others", &others, {1, 2, 4, 8, 16, 32}}});
  EXPECT_THAT(laws[0].shares(0, 0), ElementsAre(.25, .25, .25, .25));
  EXPECT_THAT(laws[1].shares(0, 0), ElementsAre(35 / 63., 4 / 63., 8 / 63., 16 / 63.));
  EXPECT_THAT(laws[1].shares(1, 1), ElementsAre(62 / 63., 0, 1 / 63.));
}

TEST(LawsOfPoints, MakeOneCutOfEqualQuartiles) {
  const MixedPoints zeros({{Scale::kNumber, 0}}, 4);
  EXPECT_THAT(laws_of_points({{"truth", &zeros, kEqual}})[0].shares(0, 0), ElementsAre(1, 0));
}

TEST(LawsOfPoints, HaveMomentsAndShares) {
  const MixedPoints points = three_columns();
  const NamedLaw law = laws_of_points({{"truth", &points, kEqual}}).front();
  EXPECT_DOUBLE_EQ(law.moments.means[0], 0.4375);
  EXPECT_DOUBLE_EQ(law.moments.means[2], 1.5);
  EXPECT_DOUBLE_EQ(law.moments.deviations[2], std::sqrt(1.25));
  const double correlation = law.moments.correlations[1];
  EXPECT_NEAR(correlation, 0.40625 / std::sqrt(0.13671875 * 1.25), 1e-12);
  EXPECT_THAT(law.moments.correlation_matrix(),
              ElementsAre(1, 0, correlation, 0, 1, 0, correlation, 0, 1))
      << "three categories have no order";
  EXPECT_THAT(law.shares(1, 2), ElementsAre(.25, 0, 0, 0, 0, 0, 0, 0, 0, .25, .25, .25));
  EXPECT_THAT(law.shares(1, 1), ElementsAre(.25, 0, .75));
  const NamedLaw independent = law_of_independent_columns("independent", law, 3);
  EXPECT_THAT(independent.shares(1, 1), ElementsAre(.25, 0, .75));
  EXPECT_THAT(independent.shares(1, 2),
              ElementsAre(.0625, .0625, .0625, .0625, 0, 0, 0, 0, .1875, .1875, .1875, .1875));
}

TEST(LawsOfPoints, TakeWeightsAsMasses) {
  const MixedPoints points = three_columns();
  const NamedLaw last = laws_of_points({{"last", &points, {0, 0, 0, 7}}}).front();
  EXPECT_THAT(last.moments.means, ElementsAre(1, 2, 3));
  EXPECT_THAT(last.moments.deviations, ElementsAre(0, 0, 0));
  EXPECT_EQ(last.moments.correlations[1], 0);
  EXPECT_THAT(last.shares(2, 2), ElementsAre(0, 0, 0, 1));
}

TEST(ComparedLaws, AreAtZeroFromThemselvesAndCountDifferences) {
  const MixedPoints points = three_columns();
  const auto laws = laws_of_points(
      {{"truth", &points, kEqual}, {"same", &points, kEqual}, {"last", &points, {0, 0, 0, 1}}});
  const LawMoments& truth = laws.front().moments;
  const ComparedLaws found = compare_laws(3, laws);
  const LawDistances& none = found.others[0];
  EXPECT_EQ(none.worst_mean + none.worst_correlation + none.worst_pair, 0);
  EXPECT_THAT(none.pairs, ElementsAre(0, 0, 0));
  const LawDistances& last = found.others[1];
  EXPECT_NEAR(last.worst_mean, (1 - 0.4375) / truth.deviations[0], 1e-12);
  EXPECT_NEAR(last.worst_pair, 0.75, 1e-12);
  EXPECT_NEAR(last.mean_pair, 0.75, 1e-12);
  EXPECT_NEAR(last.worst_correlation, truth.correlations[1], 1e-12);
  EXPECT_NEAR(last.mean_correlation, truth.correlations[1] / 3, 1e-12);
  // Of each pair four cells of a quarter.
  EXPECT_NEAR(found.spread, 4 * std::sqrt(.25 * .75), 1e-12);
  EXPECT_NEAR(chance_of(found.spread, 50), found.spread / std::sqrt(100 * std::acos(-1.0)), 1e-12);
  EXPECT_NEAR(chance_of(found.spread, 100, 100), chance_of(found.spread, 50), 1e-12);
}

}  // namespace
}  // namespace mollify
