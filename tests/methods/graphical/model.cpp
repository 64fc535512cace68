#include "methods/graphical/model.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "chi_square.h"
#include "domain/candidates.h"
#include "refusal.h"
#include "sanitized.h"
#include "small_models.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Marginals and sums along the tree are those over all records.

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
    const GraphicalModel model = small.model();
    const auto pairs = model.pair_marginals();
    std::vector<Clique> some;
    std::size_t place = 0;
    for (std::size_t a = 0; a < small.sizes.size(); ++a) {
      for (std::size_t b = a + 1; b < small.sizes.size(); ++b, ++place) {
        ASSERT_EQ(pairs[place].clique, (Clique{a, b}));
        expect_near(pairs[place].probabilities, small.marginal({a, b}));
        if (random() % 3 == 0) some.push_back({a, b});
      }
    }
    const auto tables = model.pair_marginals(some);
    ASSERT_EQ(tables.size(), some.size());
    for (std::size_t i = 0; i < some.size(); ++i) expect_near(tables[i], small.marginal(some[i]));
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
  EXPECT_EQ(
      test::refusal_of([] {
        const auto all =
            GraphicalModel::uniform(ColumnSizes(9, 1U << 10), 1).marginal({0, 1, 2, 3});
      }),
      "a marginal must be found within 134217728 cells, but the one of these columns needs more");
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// A model's file.

namespace {

TEST(GraphicalModelJson, ComesBackToTheLastBit) {
  std::mt19937_64 random(14);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const GraphicalModel model = test::random_model(random, 3).model(123.456);
    const std::string text = graphical_model_json(model).dump();
    const GraphicalModel back =
        graphical_model_from_json(nlohmann::ordered_json::parse(text), "M.json");
    EXPECT_EQ(back.total(), model.total());
    EXPECT_EQ(back.sizes(), model.sizes());
    ASSERT_EQ(back.potentials().size(), model.potentials().size());
    const auto a = model.pair_marginals();
    const auto b = back.pair_marginals();
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].probabilities, b[i].probabilities);
    EXPECT_EQ(graphical_model_json(back).dump(), text);
  }
}

TEST(GraphicalModelJson, SaysWhatIsWrong) {
  const auto refusal = [](const char* text) {
    return test::refusal_of(
        [&] { (void)graphical_model_from_json(nlohmann::ordered_json::parse(text), "M.json"); });
  };
  EXPECT_EQ(refusal(R"({"version":1,"sizes":[2],"total":3,"potentials":[]})"), "accepted");
  EXPECT_EQ(refusal("[]"), "M.json: the model must be an object, but is not");
  EXPECT_EQ(refusal(R"({"version":1,"sizes":[2],"total":3})"),
            "M.json: the model must have \"potentials\"");
  EXPECT_EQ(refusal(R"({"version":1,"sizes":[2],"total":3,"potentials":[],"more":1})"),
            "M.json: the model must have 4 members, but has 5");
  EXPECT_EQ(refusal(R"({"version":2,"sizes":[2],"total":3,"potentials":[]})"),
            "M.json: version must be 1, but is not");
  EXPECT_EQ(refusal(R"({"version":1,"sizes":2,"total":3,"potentials":[]})"),
            "M.json: sizes must be a list, but is not");
  for (const char* size : {"-2", "2.5", "\"2\"", "4294967296", "null", "[2]"}) {
    const std::string text =
        std::string(R"({"version":1,"total":3,"potentials":[],"sizes":[)") + size + "]}";
    EXPECT_EQ(
        refusal(text.c_str()),
        "M.json: each of sizes must be an integer that is not negative and not too great, but "
        "is not");
  }
  EXPECT_EQ(refusal(R"({"version":1,"sizes":[0],"total":3,"potentials":[]})"),
            "M.json: column 0 of a model must have at least one value, but has none");
  EXPECT_EQ(refusal(R"({"version":1,"sizes":[2],"total":-3,"potentials":[]})"),
            "M.json: the total of a model must be finite and positive, but is -3");
  EXPECT_EQ(refusal(R"({"version":1,"sizes":[2],"total":"3","potentials":[]})"),
            "M.json: total must be a number, but is not");
  EXPECT_EQ(refusal(R"({"version":1,"sizes":[4294967295],"total":3,"potentials":[]})"),
            "M.json: the junction tree of a model must have at most 134217728 cells, but has "
            "4294967295");
  const auto potential = [&](const char* json) {
    const std::string text =
        std::string(R"({"version":1,"sizes":[2,2],"total":3,"potentials":[)") + json + "]}";
    return refusal(text.c_str());
  };
  EXPECT_EQ(potential("1"), "M.json: potential 1 must be an object, but is not");
  EXPECT_EQ(potential(R"({"columns":[0]})"), "M.json: potential 1 must have \"values\"");
  EXPECT_EQ(potential(R"({"columns":[0],"values":[1]})"),
            "M.json: the potential of columns 0 must have 2 values, but has 1");
  EXPECT_EQ(potential(R"({"columns":[2],"values":[1,1]})"),
            "M.json: a clique of a model of 2 columns must name columns below that, but names 2");
  EXPECT_EQ(potential(R"({"columns":[1,0],"values":[1,1,1,1]})"),
            "M.json: the columns of a clique must ascend, but 0 follows 1");
  EXPECT_EQ(potential(R"({"columns":[0],"values":[1,null]})"),
            "M.json: each of the values of potential 1 must be a number, but is not");
  EXPECT_EQ(potential(R"({"columns":[0],"values":[1,1e300]})"),
            "M.json: the potential of columns 0 must lie within 1e+06 of zero, but has 1e+300");
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Rows have the model's law, and rounded ones its counts.

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
