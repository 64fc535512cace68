// Rows have the model's law, and rounded ones its counts.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "graphical/graphical_model.h"
#include "refusal.h"
#include "small_models.h"
#include "space/seeded_random.h"

namespace mollify {
namespace {

/// How often each record is among the rows.
std::vector<std::uint64_t> record_counts(const test::SmallModel& small, const ModelRows& rows) {
  std::vector<std::uint64_t> counts(small.cells());
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    std::size_t record = 0;
    for (std::size_t c = 0; c < rows.size(); ++c) record = record * small.sizes[c] + rows[c][i];
    ++counts.at(record);
  }
  return counts;
}

TEST(ModelRows, IndependentRowsFollowTheJoint) {
  std::mt19937_64 random(6);
  SeededRandom source(6);
  const RandomWords words = [&] { return source.word(); };
  for (int repeat = 0; repeat < 10; ++repeat) {
    const test::SmallModel small = test::random_model(random, 0.7);
    const ModelRows rows = small.model().sample(100'000, words, RowSampling::kIndependent);
    EXPECT_TRUE(test::follows(small.joint(), record_counts(small, rows)));
  }
}

// Rounding ties rows to each other, so each release gives one row: its last, or the first.
TEST(ModelRows, EachRoundedRowFollowsTheJoint) {
  std::mt19937_64 random(7);
  SeededRandom source(7);
  const RandomWords words = [&] { return source.word(); };
  for (int repeat = 0; repeat < 4; ++repeat) {
    test::SmallModel small = test::random_model(random, 0.7);
    const GraphicalModel model = small.model();
    std::vector<std::uint64_t> counts(small.cells());
    for (int draw = 0; draw < 20'000; ++draw) {
      const std::size_t size = 1 + static_cast<std::size_t>(draw % 7);
      const ModelRows rows = model.sample(size, words, RowSampling::kRounded);
      const std::size_t row = draw % 2 == 0 ? 0 : size - 1;
      std::size_t record = 0;
      for (std::size_t c = 0; c < rows.size(); ++c) record = record * small.sizes[c] + rows[c][row];
      ++counts[record];
    }
    EXPECT_TRUE(test::follows(small.joint(), counts));
  }
}

TEST(ModelRows, RoundedCountsAreThoseExpected) {
  std::mt19937_64 random(8);
  SeededRandom source(8);
  const RandomWords words = [&] { return source.word(); };
  for (int repeat = 0; repeat < 30; ++repeat) {
    const test::SmallModel small = test::random_model(random, 1);
    const GraphicalModel model = small.model();
    const std::size_t count = 1 + random() % 5000;
    const ModelRows rows = model.sample(count, words, RowSampling::kRounded);
    const auto tally = [&](const Clique& clique) {
      std::vector<double> counts(cell_count(small.sizes, clique));
      for (std::size_t i = 0; i < count; ++i) {
        std::size_t cell = 0;
        for (const std::size_t c : clique) cell = cell * small.sizes[c] + rows[c][i];
        ++counts[cell];
      }
      return counts;
    };
    for (const JunctionTree::Node& node : model.tree().nodes()) {
      const std::vector<double> counts = tally(node.clique);
      const std::vector<double> given = tally(node.separator);
      const std::vector<double> p = model.marginal(node.clique);
      const std::vector<double> p_given = model.marginal(node.separator);
      const auto cells = Projection(small.sizes, node.clique, node.separator).targets();
      for (std::size_t i = 0; i < counts.size(); ++i) {
        const double expected = given[cells[i]] * p[i] / p_given[cells[i]];
        ASSERT_LT(std::abs(counts[i] - expected), 1 + 1e-6);
      }
    }
  }
}

// The mean square of count - expected over the cells of all pairs, against independent rows'.
TEST(ModelRows, MatchedPairsAreNearTheModels) {
  std::mt19937_64 random(15);
  SeededRandom source(15);
  const RandomWords words = [&] { return source.word(); };
  const std::size_t count = 2000;
  double matched = 0;
  double independent = 0;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const test::SmallModel small = test::random_model(random, 1);
    const GraphicalModel model = small.model();
    const auto pairs = model.pair_marginals();
    const auto squares = [&](const ModelRows& rows) {
      double sum = 0;
      for (const auto& pair : pairs) {
        const std::size_t a = pair.clique[0];
        const std::size_t b = pair.clique[1];
        std::vector<double> excess;
        for (const double p : pair.probabilities) excess.push_back(-static_cast<double>(count) * p);
        for (std::size_t i = 0; i < count; ++i) {
          excess[rows[a][i] * small.sizes[b] + rows[b][i]] += 1;
        }
        for (const double value : excess) sum += value * value;
      }
      return sum;
    };
    matched += squares(model.sample(count, words, RowSampling::kMatched));
    independent += squares(model.sample(count, words, RowSampling::kIndependent));
  }
  std::printf("squares: matched %g, independent %g\n", matched, independent);
  EXPECT_LT(matched, independent / 50);
}

TEST(ModelRows, GivenColumnsFollowTheConditional) {
  std::mt19937_64 random(9);
  SeededRandom source(9);
  const RandomWords words = [&] { return source.word(); };
  for (int repeat = 0; repeat < 10; ++repeat) {
    const test::SmallModel small = test::random_model(random, 0.7);
    std::vector<Evidence> evidence;
    for (std::size_t c = 0; c < small.sizes.size(); ++c) {
      if (random() % 2 == 0) {
        evidence.push_back({c, static_cast<std::uint32_t>(random() % small.sizes[c])});
      }
    }
    std::vector<double> p = small.joint();
    double whole = 0;
    for (std::size_t record = 0; record < p.size(); ++record) {
      for (const Evidence& fixed : evidence) {
        if (small.cell(record, {fixed.column}) != fixed.value) p[record] = 0;
      }
      whole += p[record];
    }
    for (double& mass : p) mass /= whole;
    const ModelRows rows =
        small.model().sample_given(evidence, 100'000, words, RowSampling::kIndependent);
    EXPECT_TRUE(test::follows(p, record_counts(small, rows)));
  }
}

TEST(ModelRows, AreAsManyAsAsked) {
  SeededRandom source(10);
  const RandomWords words = [&] { return source.word(); };
  // Columns that no clique joins, of one value, and conditionals that are nearly certain.
  const GraphicalModel model({3, 1, 4, 2}, 5, {{{0, 3}, {1e6, -1e6, -1e6, 1e6, 0, 0}}});
  for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
    for (const RowSampling sampling :
         {RowSampling::kIndependent, RowSampling::kRounded, RowSampling::kMatched}) {
      const ModelRows rows = model.sample(count, words, sampling);
      ASSERT_EQ(rows.size(), 4U);
      for (std::size_t c = 0; c < rows.size(); ++c) {
        ASSERT_EQ(rows[c].size(), count);
        for (const std::uint32_t value : rows[c]) ASSERT_LT(value, model.sizes()[c]);
      }
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(rows[0][i], rows[3][i]);
    }
  }
}

TEST(ModelRows, RefuseEvidenceThatThereIsNot) {
  const GraphicalModel model = GraphicalModel::uniform({2, 3}, 1);
  const RandomWords words = [] { return std::uint64_t{1}; };
  const auto refusal = [&](const std::vector<Evidence>& evidence) {
    return test::refusal_of([&] { (void)model.sample_given(evidence, 1, words); });
  };
  EXPECT_EQ(refusal({{1, 3}}), "column 1 has 3 values, but is given as value 3");
  EXPECT_EQ(refusal({{1, 0}, {1, 0}}), "a column must be given once, but column 1 is twice");
  EXPECT_EQ(refusal({{2, 0}}),
            "a clique of a model of 2 columns must name columns below that, but names 2");
}

}  // namespace
}  // namespace mollify
