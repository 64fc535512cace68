#include "density/mixed_summary.h"

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

TEST(MarginalCuts, CutNumbersAtQuartilesAndLevelsNowhere) {
  const MarginalCuts cuts = MarginalCuts::quartiles_of(three_columns());
  EXPECT_THAT((std::array{cuts.cells(0), cuts.cells(1), cuts.cells(2)}), ElementsAre(4, 3, 4));
  EXPECT_THAT((std::array{cuts.cell(0, -1), cuts.cell(0, 0), cuts.cell(0, 0.2F), cuts.cell(0, 0.5F),
                          cuts.cell(0, 0.6F), cuts.cell(0, NAN)}),
              ElementsAre(0, 0, 1, 2, 3, 0));
  EXPECT_EQ(cuts.cell(1, 9), 2);
}

TEST(MarginalCuts, MakeOneCutOfEqualQuartiles) {
  const MixedPoints zeros({{Scale::kNumber, 0}}, 8);
  const MarginalCuts cuts = MarginalCuts::quartiles_of(zeros);
  EXPECT_EQ(cuts.cells(0), 2);
  EXPECT_EQ(cuts.cell(0, 0), 0);
  EXPECT_EQ(cuts.cell(0, 0.1F), 1);
}

TEST(MixedSummary, HasMomentsAndMarginals) {
  const MixedPoints points = three_columns();
  const MarginalCuts cuts = MarginalCuts::quartiles_of(points);
  const MixedSummary summary = summarise(points, cuts);
  EXPECT_DOUBLE_EQ(summary.means[0], 0.4375);
  EXPECT_DOUBLE_EQ(summary.means[2], 1.5);
  EXPECT_DOUBLE_EQ(summary.deviations[2], std::sqrt(1.25));

  EXPECT_NEAR(summary.correlations[0 * 3 + 2], 0.40625 / std::sqrt(0.13671875 * 1.25), 1e-12);
  EXPECT_EQ(summary.correlations[2 * 3 + 0], summary.correlations[0 * 3 + 2]);
  EXPECT_EQ(summary.correlations[0 * 3 + 1], 0) << "three categories have no order";
  ASSERT_EQ(summary.pair_marginals.size(), 3);
  EXPECT_THAT(summary.pair_marginals[2], ElementsAre(.25, 0, 0, 0, 0, 0, 0, 0, 0, .25, .25, .25));
}

TEST(MixedSummary, TakesWeightsAsMasses) {
  const MixedPoints points = three_columns();
  const MarginalCuts cuts = MarginalCuts::quartiles_of(points);
  const MixedSummary last = summarise(points, cuts, std::array{0.0, 0.0, 0.0, 7.0});
  EXPECT_THAT(last.means, ElementsAre(1, 2, 3));
  EXPECT_THAT(last.deviations, ElementsAre(0, 0, 0));
  EXPECT_EQ(last.correlations[2], 0);
}

TEST(SummaryDistance, IsZeroToItselfAndCountsDifferences) {
  const MixedPoints points = three_columns();
  const MarginalCuts cuts = MarginalCuts::quartiles_of(points);
  const MixedSummary truth = summarise(points, cuts);
  const SummaryDistance none = summary_distance(truth, truth);
  EXPECT_EQ(none.worst_mean + none.worst_correlation + none.worst_pair, 0);
  const MixedSummary last = summarise(points, cuts, std::array{0.0, 0.0, 0.0, 1.0});
  const SummaryDistance found = summary_distance(truth, last);
  EXPECT_NEAR(found.worst_mean, (1 - 0.4375) / truth.deviations[0], 1e-12);
  EXPECT_NEAR(found.worst_pair, 0.75, 1e-12);
  EXPECT_NEAR(found.mean_pair, 0.75, 1e-12);
}

}  // namespace
}  // namespace mollify
