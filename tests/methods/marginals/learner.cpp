#include "methods/marginals/learner.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "methods/marginals/triples.h"
#include "refusal.h"

namespace mollify {

namespace {

MarginalRequest request_of(std::vector<MarginalColumn> columns, const Privacy& budget,
                           std::optional<std::uint64_t> records) {
  return {std::move(columns),
          budget,
          {1, records ? Neighbours::kReplace : Neighbours::kAddRemove},
          records};
}

const std::vector<MarginalColumn> kColumns = {{4, true}, {4, true}, {3, false}, {2, false}};

/// The second column is the first or one above it, the third depends on the second, the fourth on
/// nothing.
PairCounts chain(std::size_t rows) {
  PairCounts counts({4, 4, 3, 2}, {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}});
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto first = static_cast<std::uint32_t>(random() % 4);
    const auto second = std::min<std::uint32_t>(3, first + random() % 2);
    const auto third = static_cast<std::uint32_t>(random() % 5 == 0 ? random() % 3 : second / 2);
    const auto fourth = static_cast<std::uint32_t>(random() % 3 == 0);
    counts.add(std::vector<std::uint32_t>{first, second, third, fourth}, 1);
  }
  return counts;
}

double pair_distance(const MarginalModel& model, const PairCounts& counts, std::size_t i,
                     std::size_t j, double total) {
  // Every cell of these tables is frequent, so that groups are cells.
  const std::vector<double> expected = model.graph().marginal({i, j});
  const auto pair = counts.pair(i, j);
  double sum = 0;
  for (std::size_t cell = 0; cell < pair.size(); ++cell) {
    sum += std::abs(expected[cell] - static_cast<double>(pair[cell]) / total);
  }
  return sum / 2;
}

TEST(MarginalLearner, FindsWhatDependsOnWhat) {
  constexpr std::size_t kRows = 20000;
  const PairCounts counts = chain(kRows);
  SecureRandom random;
  for (const Privacy& budget :
       {Privacy::concentrated(1), Privacy::approximate(3, 1e-6), Privacy::pure(5)}) {
    for (const bool public_count : {true, false}) {
      const MarginalRequest request = request_of(
          kColumns, budget, public_count ? std::optional<std::uint64_t>(kRows) : std::nullopt);
      const MarginalDesign design = design_marginals(request);
      const MarginalBudget parts(budget, request.unit);
      PrivateMarginals answers(counts, parts, random);
      const MarginalModel model = learn_marginals(design, answers);
      // Of its parts nothing is left except for what rounding leaves.
      EXPECT_LE(answers.left(), MarginalBudget::kParts / 100);
      for (std::size_t i = 0; i < kColumns.size(); ++i) {
        for (std::size_t j = i + 1; j < kColumns.size(); ++j) {
          EXPECT_LT(pair_distance(model, counts, i, j, kRows), 0.03)
              << budget.text() << " " << i << " " << j;
        }
      }
      EXPECT_NEAR(model.graph().total(), kRows, public_count ? 0 : 500);
    }
  }
}

/// Of three fair coins the third says whether the others differ, so each pair is independent.
TEST(MarginalLearner, FindsWhatThreeColumnsHaveTogether) {
  constexpr std::size_t kRows = 20000;
  PairCounts counts({2, 2, 2, 4}, {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}});
  std::mt19937_64 random(4);
  for (std::size_t i = 0; i < kRows; ++i) {
    const auto word = static_cast<std::uint32_t>(random());
    const std::uint32_t one = word & 1U, other = word >> 1U & 1U;
    counts.add(std::array{one, other, one ^ other, word >> 2U & 3U}, 1);
  }
  SecureRandom words;
  for (const Privacy& budget : {Privacy::approximate(5, 1e-6), Privacy::approximate(1, 1e-6)}) {
    const MarginalDesign design = design_marginals(
        request_of({{2, false}, {2, false}, {2, false}, {4, true}}, budget, kRows));
    const MarginalBudget parts(budget, design.request.unit);
    PrivateMarginals answers(counts, parts, words);
    RecordedAnswers recorded(answers, parts);
    const std::vector<double> table = learn_marginals(design, recorded).graph().marginal({0, 1, 2});
    double odd = 0;
    for (std::size_t cell = 0; cell < 8; ++cell) {
      if (((cell >> 2U) ^ (cell >> 1U) ^ cell) & 1U) odd += table[cell];
    }
    const auto& measured = recorded.measured();
    EXPECT_TRUE(std::any_of(measured.begin(), measured.end(), [](const MeasuredTable& one) {
      return one.columns == std::vector<std::size_t>{0, 1, 2};
    }));
    // Without the triple half of all rows would be odd.
    EXPECT_LT(odd, 0.02);
  }
}

/// Answers anything.
class WildAnswers final : public MarginalAnswers {
 public:
  WildAnswers(std::uint64_t seed, std::vector<Triple> triples)
      : triples_(std::move(triples)), random_(seed) {}

  [[nodiscard]] std::uint32_t left() const override { return parts_.left(); }
  [[nodiscard]] std::span<const Triple> triples() const override { return triples_; }
  std::vector<double> measure(const MarginalTable& table, std::uint32_t parts) override {
    parts_.take(parts);
    constexpr double kWild[] = {0, -1, 5, 1e18, -1e18, 30, 1e4, 0x1p63, -0x1p63};
    std::vector<double> counts(table.cells());
    for (double& count : counts) count = kWild[random_() % std::size(kWild)];
    return counts;
  }
  std::vector<double> products(const CellScores& scores, std::uint32_t parts) override {
    const std::size_t d = scores.columns.size();
    return measure({{}, {CellGroups{{}, static_cast<std::uint32_t>(d * (d - 1) / 2)}}}, parts);
  }
  std::size_t choose(std::span<const MarginalCandidate> candidates, std::uint32_t parts) override {
    parts_.take(parts);
    EXPECT_FALSE(candidates.empty());
    return random_() % candidates.size();
  }

 private:
  std::vector<Triple> triples_;
  PartsLeft parts_;
  std::mt19937_64 random_;
};

TEST(MarginalLearner, MakesAModelOfAnyAnswersAndNeverOverspends) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::vector<MarginalColumn> columns;
    std::mt19937_64 random(seed);
    const std::size_t count = 1 + random() % 5;
    for (std::size_t i = 0; i < count; ++i) {
      columns.push_back({static_cast<std::uint32_t>(1 + random() % 9), random() % 2 == 0});
      for (std::uint32_t cell = 0; cell < columns.back().size; ++cell) {
        if (random() % 3 == 0) columns.back().doubtful.push_back(cell);
      }
    }
    MarginalRequest request =
        request_of(columns, Privacy::pure(1),
                   seed % 2 == 0 ? std::optional<std::uint64_t>(100) : std::nullopt);
    request.copula = seed % 3 == 0;
    for (MarginalColumn& column : request.columns) column.ordered |= request.copula;
    for (std::size_t j = 1; j < count && !request.copula; ++j) {
      if (random() % 3 == 0) request.questions.push_back({random() % j, j});
    }
    const MarginalDesign design = design_marginals(request);
    WildAnswers answers(seed, counted_triples(request));
    const MarginalModel model = learn_marginals(design, answers);
    const ModelRows rows = model.rows(50, [&] { return random(); });
    ASSERT_EQ(rows.size(), columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      ASSERT_EQ(rows[i].size(), 50U);
      for (const std::uint32_t cell : rows[i]) EXPECT_LT(cell, columns[i].size);
    }
  }
}

/// A pair that nobody would choose is measured first, in all of its cells, and comes into the model.
TEST(MarginalLearner, MeasuresQuestionsFirst) {
  constexpr std::size_t kRows = 20000;
  const PairCounts counts = chain(kRows);
  SecureRandom random;
  MarginalRequest request = request_of(kColumns, Privacy::approximate(1, 1e-6), kRows);
  request.questions = {{0, 3}, {1, 2, 3}};
  const MarginalDesign design = design_marginals(request);
  const MarginalBudget parts(request.budget, request.unit);
  PrivateMarginals answers(counts, parts, random);
  RecordedAnswers recorded(answers, parts);
  const MarginalModel model = learn_marginals(design, recorded);
  std::vector<MeasuredTable> pairs;
  std::uint32_t of_columns = 0;
  for (const MeasuredTable& table : recorded.measured()) {
    if (table.columns.size() > 1) pairs.push_back(table);
    if (table.columns.size() == 1 && pairs.empty()) of_columns += table.parts;
  }
  ASSERT_GE(pairs.size(), 3U);
  std::uint32_t of_questions = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(pairs[i].columns, request.questions[i]);
    EXPECT_EQ(pairs[i].counts.size(), i == 0 ? 8U : 24U);
    const auto& potentials = model.graph().potentials();
    EXPECT_TRUE(std::any_of(potentials.begin(), potentials.end(),
                            [&](const auto& one) { return one.clique == pairs[i].columns; }));
    of_questions += pairs[i].parts;
  }
  // A third of what the columns leave.
  const std::uint32_t wanted = parts_of_questions(request, MarginalBudget::kParts - of_columns);
  EXPECT_LE(of_questions, wanted);
  EXPECT_GE(of_questions + 2, wanted);
  EXPECT_NEAR(wanted, (MarginalBudget::kParts - of_columns) / 3.0, 3);
  EXPECT_LE(answers.left(), MarginalBudget::kParts / 100);
}

/// Weights share the parts of questions, and a single column of great weight is measured again. Only
/// these parts can have been measured.
TEST(MarginalLearner, SharesTheBudgetOfQuestionsByTheirWeights) {
  constexpr std::size_t kRows = 20000;
  const PairCounts counts = chain(kRows);
  SecureRandom random;
  MarginalRequest request = request_of(kColumns, Privacy::approximate(1, 1e-6), kRows);
  request.questions = {{0, 3}, {1}, {1, 3}};
  request.question_weights = {4, 2, 1};
  const MarginalDesign design = design_marginals(request);
  const MarginalBudget parts(request.budget, request.unit);
  PrivateMarginals answers(counts, parts, random);
  RecordedAnswers recorded(answers, parts);
  static_cast<void>(learn_marginals(design, recorded));
  std::size_t first = request.columns.size();
  if (recorded.measured()[first].columns == std::vector<std::size_t>{0} &&
      recorded.measured()[first + 1].columns == std::vector<std::size_t>{1}) {
    first += request.columns.size();  // each once more
  }
  std::vector<double> for_each_cell;
  for (std::size_t i = 0; i < 3; ++i) {
    const MeasuredTable& table = recorded.measured()[first + i];
    EXPECT_EQ(table.columns, request.questions[i]);
    const double cells = static_cast<double>(table.counts.size());
    for_each_cell.push_back(table.parts / std::cbrt(cells * cells));
  }
  EXPECT_NEAR(for_each_cell[0] / for_each_cell[2], 4, .01);
  EXPECT_NEAR(for_each_cell[1] / for_each_cell[2], 2, .01);
}

/// The share of the model's rows that are in doubtful cells.
double share_of_doubtful(const MarginalModel& model, const MarginalColumn& column) {
  const std::vector<double> values = model.graph().marginal({0});
  const MarginalModel::ColumnModel& cells = model.columns()[0];
  const std::vector<double> sums = grouped(cells.shares, cells.groups);
  double share = 0;
  for (const std::uint32_t cell : column.doubtful) {
    const std::uint32_t value = cells.groups.of[cell];
    share += values[value] * cells.shares[cell] / sums[value];
  }
  return share;
}

/// A table without nulls and missing codes is released with at most one row of them in a thousand
/// in the mean, also where the noise of a count is a fiftieth of the rows; and a fiftieth of nulls
/// keeps its share within a fifth if noise is five rows. These means of 4000 models pass their bounds
/// less than once in 10^6 runs.
TEST(MarginalLearner, NoiseMakesNoNulls) {
  constexpr std::size_t kRows = 2000;
  constexpr int kModels = 4000;
  SecureRandom random;
  const MarginalColumn column{12, false, false, {}, {4, 5, 6, 7, 8, 9, 10, 11}};
  for (const bool is_pure : {true, false}) {
    for (const double deviation : {5.0, 40.0}) {
      const Privacy budget = is_pure ? Privacy::pure(2 * std::sqrt(2.0) / deviation)
                                     : Privacy::concentrated(1 / (deviation * deviation));
      const MarginalDesign design = design_marginals(request_of({column}, budget, kRows));
      EXPECT_NEAR(design.column_deviation, deviation, 0.1 * deviation);
      const MarginalBudget parts(budget, design.request.unit);
      for (const std::uint64_t nulls : {std::uint64_t{0}, std::uint64_t{40}}) {
        if (nulls > 0 && deviation > 5) continue;
        PairCounts counts({12});
        for (std::uint32_t cell = 0; cell < 4; ++cell) {
          counts.add(std::array{cell}, (kRows - nulls) / 4);
        }
        counts.add(std::array{11U}, nulls);
        double mean = 0;
        for (int i = 0; i < kModels; ++i) {
          PrivateMarginals answers(counts, parts, random);
          mean += share_of_doubtful(learn_marginals(design, answers), column) / kModels;
        }
        std::printf("%s, %llu nulls: share %.5f\n", budget.text().c_str(),
                    static_cast<unsigned long long>(nulls), mean);
        if (nulls == 0) {
          EXPECT_LE(mean, 0.001);
        } else {
          EXPECT_NEAR(mean, 0.02, 0.004);
        }
      }
    }
  }
}

/// Public records of the same kind are nearer to the table than answers at a small budget, and at
/// a large one they do no harm, whatever they are. Of ten models each, whose distances are far
/// apart.
TEST(MarginalLearner, BeginsAtPublicRecords) {
  constexpr std::size_t kRows = 2000;
  const PairCounts counts = chain(kRows);
  const PairCounts alike = chain(500);
  PairCounts others({4, 4, 3, 2});
  for (std::uint32_t i = 0; i < 500; ++i) {
    others.add(std::vector<std::uint32_t>{i % 2, 3 - i % 2, 2, 1}, 1);
  }
  SecureRandom random;
  const auto distance = [&](const Privacy& budget, const PairCounts* reference) {
    const MarginalDesign design = design_marginals(request_of(kColumns, budget, kRows));
    const MarginalBudget parts(budget, design.request.unit);
    double sum = 0;
    for (int i = 0; i < 10; ++i) {
      PrivateMarginals answers(counts, parts, random);
      const ModelRows rows =
          learn_marginals(design, answers, reference).rows(4000, [&] { return random.word(); });
      std::vector<double> shares(16);
      for (std::size_t row = 0; row < 4000; ++row) {
        shares[4 * rows[0][row] + rows[1][row]] += 1.0 / 4000;
      }
      const auto pair = counts.pair(0, 1);
      for (std::size_t cell = 0; cell < 16; ++cell) {
        sum += std::abs(shares[cell] - static_cast<double>(pair[cell]) / kRows) / 20;
      }
    }
    return sum;
  };
  const Privacy small = Privacy::concentrated(0.0005);
  const double without = distance(small, nullptr);
  const double with = distance(small, &alike);
  std::printf("total variation of two columns: %.3f without public records, %.3f with\n", without,
              with);
  EXPECT_LT(with, without / 2);
  const double of_others = distance(Privacy::concentrated(2), &others);
  std::printf("of others, and little noise: %.3f\n", of_others);
  EXPECT_LT(of_others, 0.02);
  // No public records, and one.
  const PairCounts none({4, 4, 3, 2});
  PairCounts one({4, 4, 3, 2});
  one.add(std::vector<std::uint32_t>{3, 3, 2, 1}, 1);
  for (const PairCounts* const reference : {&none, static_cast<const PairCounts*>(&one)})
    EXPECT_LE(distance(small, reference), 1);
}

TEST(MarginalLearner, JoinsColumnsByRankCorrelations) {
  constexpr std::size_t kRows = 20000;
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  // Two skewed columns of logarithms of correlation .8, and one of two values that depends on them.
  PairCounts counts({12, 12, 2});
  for (std::size_t row = 0; row < kRows; ++row) {
    const double first = normal(random);
    const double second = 0.8 * first + 0.6 * normal(random);
    const auto cell = [](double z) {
      return static_cast<std::uint32_t>(std::min(11.0, std::exp(z)));
    };
    const auto third = static_cast<std::uint32_t>(0.5 * second + normal(random) > 0.5);
    counts.add(std::vector<std::uint32_t>{cell(first), cell(second), third}, 1);
  }
  SecureRandom words;
  for (const Neighbours neighbours : {Neighbours::kReplace, Neighbours::kAddRemove}) {
    MarginalRequest request = request_of({{12, true}, {12, true}, {2, false}},
                                         Privacy::approximate(1, 1e-6), std::nullopt);
    request.unit.neighbours = neighbours;
    if (neighbours == Neighbours::kReplace) request.records = kRows;
    request.copula = true;
    const MarginalDesign design = design_marginals(request);
    const MarginalBudget parts(request.budget, request.unit);
    PrivateMarginals answers(counts, parts, words);
    const MarginalModel model = learn_marginals(design, answers);
    ASSERT_EQ(model.correlations().size(), 9U);
    std::printf("correlations %.3f %.3f %.3f\n", model.correlations()[1], model.correlations()[2],
                model.correlations()[5]);
    EXPECT_NEAR(model.correlations()[1], 0.8, 0.05);
    EXPECT_NEAR(model.correlations()[2], 0.4 / std::sqrt(1.25), 0.07);
    EXPECT_NEAR(model.correlations()[5], 0.5 / std::sqrt(1.25), 0.07);
    const auto json = marginal_model_json(model);
    EXPECT_EQ(marginal_model_json(marginal_model_from_json(json, "M.json")), json);
    EXPECT_EQ(test::refusal_of([&] {
                (void)model.rows(1, [&] { return random(); }, {{0, 1}});
              }),
              "rows of a copula are drawn whole, so no value of a column can be given, but one is");
  }
  MarginalRequest unordered = request_of({{3, false}, {2, true}}, Privacy::pure(1), 10);
  unordered.copula = true;
  EXPECT_EQ(test::refusal_of([&] { (void)design_marginals(unordered); }),
            "a copula takes numbers, ordered columns and columns of two values, but column 1 of "
            "the domain has 3 values in no order");
}

TEST(MarginalModel, IsReadBackAndConditions) {
  const GraphicalModel::Potential potential{{0, 1}, {0, -50, -50, 0}};
  const MarginalModel::ColumnModel first{{{0, 0, 1}, 2}, {1, 3, 2}};
  const MarginalModel::ColumnModel second{{{0, 1}, 2}, {1, 1}};
  const MarginalModel model(std::vector{first, second},
                            GraphicalModel(ColumnSizes{2, 2}, 10, std::vector{potential}));
  const auto json = marginal_model_json(model);
  const MarginalModel back = marginal_model_from_json(json, "M.json");
  EXPECT_EQ(marginal_model_json(back), json);
  std::mt19937_64 random(3);
  const auto words = [&] { return random(); };
  const ModelRows rows = back.rows(4000, words, {{1, 0}});
  std::size_t upper = 0;
  for (std::size_t i = 0; i < 4000; ++i) {
    EXPECT_EQ(rows[1][i], 0U);
    EXPECT_LT(rows[0][i], 2U);
    upper += rows[0][i];
  }
  // Three quarters of 4000, of deviation 27.4: more than 150 off has probability below 1e-6.
  EXPECT_NEAR(static_cast<double>(upper), 3000, 150);
  const ModelRows fixed = back.rows(100, words, {{0, 1}});
  for (const std::uint32_t cell : fixed[0]) EXPECT_EQ(cell, 1U);
  EXPECT_EQ(test::refusal_of([&] {
              static_cast<void>(back.rows(1, words, {{0, 3}}));
            }),
            "a row's column 0 has no cell 3");
  auto broken = json;
  broken["columns"][0]["groups"][0] = 7;
  EXPECT_NE(test::refusal_of([&] { static_cast<void>(marginal_model_from_json(broken, "M")); }),
            "accepted");
  broken = json;
  broken["columns"] = 3;
  EXPECT_EQ(test::refusal_of([&] { static_cast<void>(marginal_model_from_json(broken, "M")); }),
            "M must hold a model as mollify writes it, but does not");
}

TEST(MarginalDesign, RefusesWhatCannotBeCounted) {
  const Privacy budget = Privacy::pure(1);
  const auto refused = [&](std::vector<MarginalColumn> columns) {
    return test::refusal_of(
        [&] { static_cast<void>(design_marginals(request_of(columns, budget, 100))); });
  };
  EXPECT_EQ(refused({{2, false}, {1U << 20U, true}}),
            "method marginals takes columns of at most 65536 values, bins and nulls counted, but "
            "column 2 of the domain has 1048576: declare bins or edges there");
  EXPECT_EQ(refused({{60000, true}, {60000, true}}),
            "method marginals takes at most 33554432 cells of all pairs of columns together, but "
            "there are 3600000000: give columns fewer values");
  EXPECT_EQ(refused({{2, false}, {3, true}}), "accepted");
  EXPECT_EQ(refused(std::vector<MarginalColumn>(400, {10, true})), "accepted");
  EXPECT_EQ(refused(std::vector<MarginalColumn>(401, {10, true})),
            "method marginals takes from 1 to 400 columns, but there are 401");
  // Also of the fewest parts that columns, edges and rounds can have.
  check_marginal_design(design_marginals(request_of(std::vector<MarginalColumn>(400, {10, true}),
                                                    Privacy::approximate(1, 1e-8), 1000)));
}

TEST(MarginalDesign, SaysWhereNoiseOutweighsTheRecords) {
  const auto why = [](std::optional<std::uint64_t> records) {
    return design_marginals(request_of(kColumns, Privacy::approximate(1, 1e-6), records)).why;
  };
  EXPECT_THAT(why(20), testing::EndsWith("; beside 20 in all that is mostly noise"));
  EXPECT_THAT(why(1'000'000), testing::EndsWith("share its noise"));
  EXPECT_THAT(why(std::nullopt), testing::EndsWith("share its noise"));
}

TEST(MarginalDesign, IsCheckedByItsNumbers) {
  const MarginalDesign design =
      design_marginals(request_of(kColumns, Privacy::approximate(1, 1e-6), 100));
  EXPECT_NO_THROW(check_marginal_design(design));
  MarginalDesign altered = design;
  altered.amount *= 1.01;
  EXPECT_THROW(check_marginal_design(altered), InvalidInput);
  altered = design;
  altered.tree_parts = MarginalBudget::kParts;
  EXPECT_THROW(check_marginal_design(altered), InvalidInput);
  altered = design;
  altered.column_noise.numerator /= 2;
  EXPECT_THROW(check_marginal_design(altered), InvalidInput);
  altered = design;
  altered.guarantee = Privacy::approximate(0.9, 1e-6);
  EXPECT_THROW(check_marginal_design(altered), InvalidInput);
}

}  // namespace

}  // namespace mollify
