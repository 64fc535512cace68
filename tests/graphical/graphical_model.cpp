// Marginals and sums along the tree are those over all records.
#include "graphical/graphical_model.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "refusal.h"
#include "sanitized.h"
#include "small_models.h"

namespace mollify {
namespace {

void expect_near(const std::vector<double>& seen, const std::vector<double>& expected) {
  ASSERT_EQ(seen.size(), expected.size());
  for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_NEAR(seen[i], expected[i], 1e-11);
}

TEST(GraphicalModel, HasTheMarginalsOfTheFullJoint) {
  std::mt19937_64 random(3);
  int outside = 0;
  for (int repeat = 0; repeat < test::whole_or_sanitized(120, 30); ++repeat) {
    // A deviation of 300 puts separators' cells further apart than doubles reach.
    const double deviation = repeat % 3 == 0 ? 300 : repeat % 3 == 1 ? 1 : 0.01;
    const test::SmallModel small = test::random_model(random, deviation);
    const GraphicalModel model = small.model();
    for (const Clique& clique : test::all_cliques(small.sizes.size())) {
      outside += model.tree().home(clique) == JunctionTree::kNone ? 1 : 0;
      expect_near(model.marginal(clique), small.marginal(clique));
    }
  }
  std::printf("%d cliques outside of trees\n", outside);
  EXPECT_GT(outside, test::whole_or_sanitized(100, 25));
}

TEST(GraphicalModel, HasAllPairsAtOnce) {
  std::mt19937_64 random(4);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const test::SmallModel small = test::random_model(random, repeat % 2 == 0 ? 1 : 200);
    const auto pairs = small.model().pair_marginals();
    std::size_t place = 0;
    for (std::size_t a = 0; a < small.sizes.size(); ++a) {
      for (std::size_t b = a + 1; b < small.sizes.size(); ++b, ++place) {
        ASSERT_EQ(pairs[place].clique, (Clique{a, b}));
        expect_near(pairs[place].probabilities, small.marginal({a, b}));
      }
    }
    EXPECT_EQ(place, pairs.size());
  }
}

TEST(GraphicalModel, SumsOverAllRecords) {
  std::mt19937_64 random(5);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const test::SmallModel small = test::random_model(random, repeat % 2 == 0 ? 1 : 300);
    std::vector<Clique> cliques;
    NodeTables values;
    NodeTables tables;
    for (const auto& potential : small.potentials) {
      cliques.push_back(potential.clique);
      values.push_back(potential.values);
    }
    const JunctionTree tree(small.sizes, cliques);
    PotentialLayout(small.sizes, tree, cliques).gather(values, tables);
    const auto expected = static_cast<double>(small.log_sum());
    EXPECT_NEAR(BeliefPropagation(small.sizes, tree).run(tables), expected,
                1e-12 * std::max(1.0, std::abs(expected)));
  }
}

TEST(GraphicalModel, OfNoPotentialsIsUniform) {
  const GraphicalModel model = GraphicalModel::uniform({2, 5}, 10);
  expect_near(model.marginal({0, 1}), std::vector<double>(10, 0.1));
  expect_near(model.marginal({}), {1});
}

TEST(GraphicalModel, RefusesWhatIsNone) {
  const auto refusal = [](double total, std::vector<GraphicalModel::Potential> potentials) {
    return test::refusal_of([&] { GraphicalModel({2, 2}, total, potentials); });
  };
  EXPECT_EQ(refusal(0, {}), "the total of a model must be finite and positive, but is 0");
  EXPECT_EQ(refusal(1, {{{0}, {1}}}), "the potential of columns 0 must have 2 values, but has 1");
  EXPECT_EQ(refusal(1, {{{0}, {1, NAN}}}),
            "the potential of columns 0 must lie within 1e+06 of zero, but has nan");
  EXPECT_EQ(refusal(1, {{{0}, {1, 2e6}}}),
            "the potential of columns 0 must lie within 1e+06 of zero, but has 2e+06");
  EXPECT_EQ(refusal(1, {{{0}, {1, 1}}, {{0}, {1, 1}}}),
            "a model must have one potential for each clique, but has two for columns 0");
  EXPECT_EQ(test::refusal_of([] { GraphicalModel({1U << 31}, 1, {}); }),
            "the junction tree of a model must have at most 134217728 cells, but has 2147483648");
  EXPECT_EQ(test::refusal_of([] {
              const auto all =
                  GraphicalModel::uniform(ColumnSizes(9, 1U << 10), 1).marginal({0, 1, 2, 3});
            }),
            "a marginal must be found within 134217728 cells, but that of these columns is not");
}

}  // namespace
}  // namespace mollify
