// Plans of the local and the integral model.
#include "release/plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "columns.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "domain/words.h"
#include "methods/local/mechanism.h"
#include "methods/local/release.h"
#include "refusal.h"
#include "scores/public_models.h"

namespace mollify {
namespace {

/// Four colours.
GivenInputs colours() {
  return GivenInputs(
      Domain::make({test::without_nulls("colour", Categories::make({"a", "b", "c", "d"}))}, 0));
}

PlanReport planned(const std::string& question, const PublicInputs& inputs = colours()) {
  return plan(parse_plan_question(question, "q.json"), inputs);
}

Json answer_to(const std::string& question, const PublicInputs& inputs = colours()) {
  return plan_answer(std::array{planned(question, inputs)}).json;
}

double minimax_alpha(double k, double epsilon) { return (k - 1) / (std::exp(epsilon) + k - 1); }

TEST(LocalPlan, TellsWhatChangesWouldBuy) {
  const Json answer = answer_to(R"({"method": "local", "k": 10, "privacy": {"epsilon": 1}})");
  const auto lift = [](double k, double epsilon) {
    return k * std::exp(epsilon) / (std::exp(epsilon) + k - 1.0);
  };
  EXPECT_EQ(answer["method"], "local");
  EXPECT_EQ(answer["unknown"], "alpha");
  EXPECT_EQ(answer["mechanism"], "minimax");
  EXPECT_EQ(answer["k"], 10);
  EXPECT_NEAR(answer["alpha"], minimax_alpha(10, 1), 1e-15);
  const Json& table = answer["table"];
  ASSERT_EQ(table.size(), 4U);
  EXPECT_EQ(table[0]["change"], "as asked");
  EXPECT_NEAR(table[0]["largest_lift"], lift(10, 1), 1e-14);
  EXPECT_EQ(table[0]["tv"], answer["alpha"]);
  EXPECT_EQ(table[1]["change"], "epsilon doubled");
  EXPECT_EQ(table[1]["epsilon_per_draw"], 2);
  EXPECT_NEAR(table[1]["tv"], minimax_alpha(10, 2), 1e-15);
  EXPECT_EQ(table[2]["change"], "half the outcomes");
  EXPECT_EQ(table[2]["k"], 5);
  EXPECT_NEAR(table[2]["largest_lift"], lift(5, 1), 1e-14);
  EXPECT_NEAR(table[2]["tv"], minimax_alpha(5, 1), 1e-15);
  EXPECT_EQ(table[3]["change"], "a perfect reference");
  EXPECT_EQ(table[3]["tv"], 0);
}

// -----------------------------------------------------------------------------------------------
// Nulls that noise makes.

/// A column that is null or one value, and one of three values.
Domain nullable() {
  return Domain::make({Column::make("seen", Categories::make({"yes"}), {.null_is_category = true}),
                       test::without_nulls("size", Categories::make({"s", "m", "l"}))},
                      0);
}

double stated_nulls(const std::string& question, const Domain& domain) {
  const Json answer = answer_to(question, GivenInputs(domain));
  return answer.contains("nulls_of_noise") ? answer["nulls_of_noise"].value("seen", 0.0) : 0.0;
}

/// The share of nulls that a draw from this distribution without nulls has.
double drawn_nulls(const MechanismParameters& parameters, const Domain& domain,
                   std::span<const double> masses) {
  std::vector<std::uint32_t> outcomes;
  for (std::uint32_t outcome = 0; outcome < domain.size(); ++outcome) outcomes.push_back(outcome);
  const Law law = make_sampler(parameters)->law({outcomes, masses});
  double nulls = 0;
  for (const std::uint32_t outcome : outcomes) {
    if (domain.digit(outcome, 0) == 1) nulls += law.probabilities[outcome];
  }
  return nulls;
}

TEST(LocalPlan, StatesTheNullsThatEveryDrawMakes) {
  const Domain domain = nullable();
  for (const Mechanism mechanism : {Mechanism::kMinimax, Mechanism::kRelative,
                                    Mechanism::kRandomizedResponse, Mechanism::kMixture}) {
    for (const double epsilon : {0.25, 1.0, 4.0, 8.0, 12.0}) {
      const double stated = stated_nulls(
          fmt::format(
              R"({{"method": "local", "domain": {{"file": "d.yaml"}}, "mechanism": "{}", "privacy": {{"epsilon": {}}}}})",
              name_of(mechanism), epsilon),
          domain);
      const std::vector<double> masses{1, 5, 30, 0, 0, 0};
      const double drawn = drawn_nulls(
          {.mechanism = mechanism, .outcome_count = 6, .epsilon = epsilon}, domain, masses);
      if (drawn < 0.001) {
        EXPECT_EQ(stated, 0) << name_of(mechanism) << ' ' << epsilon;
      } else {
        EXPECT_NEAR(stated, drawn, 1e-6 * drawn) << name_of(mechanism) << ' ' << epsilon;
      }
    }
  }
}

// Few records lie on few of many outcomes, which a narrow band cannot lift to all that is left.
TEST(LocalPlan, StatesTheNullsOfFewRecordsOnManyOutcomes) {
  constexpr std::uint32_t kSizes = 2000;
  std::vector<std::string> sizes;
  for (std::uint32_t i = 0; i < kSizes; ++i) sizes.push_back(std::to_string(i));
  const Domain domain =
      Domain::make({Column::make("seen", Categories::make({"yes"}), {.null_is_category = true}),
                    test::without_nulls("size", Categories::make(sizes))},
                   0);
  for (const double epsilon : {0.5, 2.0, 8.0, 12.0}) {
    const double stated = stated_nulls(fmt::format(R"({{"method": "local",
                                                        "domain": {{"file": "d.yaml"}},
                                                        "mechanism": "relative",
                                                        "privacy": {{"epsilon": {}}}}})",
                                                   epsilon),
                                       domain);
    // 64 records lie on a little more than 63 outcomes.
    const auto drawn = [&](std::uint32_t records) {
      std::vector<double> masses(domain.size());
      std::fill_n(masses.begin(), records, 1.0);
      return drawn_nulls(
          {.mechanism = Mechanism::kRelative, .outcome_count = domain.size(), .epsilon = epsilon},
          domain, masses);
    };
    EXPECT_GE(stated, drawn(64) * (1 - 1e-6)) << epsilon;
    EXPECT_LE(stated, drawn(63) * (1 + 1e-6)) << epsilon;
  }
}

// A point mass is the worst case of scale-and-shift, and a reference has nulls of its own.
TEST(LocalPlan, StatesTheNullsOfOtherSamplers) {
  const Domain domain = nullable();
  const std::vector<double> alone{1, 0, 0, 0, 0, 0};
  EXPECT_NEAR(
      stated_nulls(
          R"({"method": "local", "domain": {"file": "d.yaml"}, "mechanism": "scale-and-shift", "privacy": {"epsilon": 3}})",
          domain),
      drawn_nulls({.mechanism = Mechanism::kScaleAndShift, .outcome_count = 6, .epsilon = 3.0},
                  domain, alone),
      1e-9);
  GivenInputs inputs(domain);
  // One of two records is null: (records + 1) / (all + outcomes).
  inputs.reference = {0, 0, 1, 2};  // digits of two records
  const Json answer =
      answer_to(R"({"method": "local", "domain": {"file": "d.yaml"}, "reference": {"file": "r.csv"},
                                    "privacy": {"epsilon": 4}})",
                inputs);
  EXPECT_NEAR(answer["nulls_of_noise"]["seen"], std::exp(-2) * 4 / 8, 1e-9);
}

// What a release of one of 2000 models makes of tables without nulls: as other models are.
TEST(LocalPlan, StatesTheNullsOfAModel) {
  constexpr std::uint64_t kModels = 2000, kTables = 40;
  for (const double epsilon : {1.0, 4.0, 8.0}) {
    const Domain domain = nullable();
    const double stated = stated_nulls(
        fmt::format(
            R"({{"method": "integral-model", "domain": {{"file": "d.yaml"}}, "space": {{"candidates": {}}},
                         "privacy": {{"epsilon": {}}}}})",
            kModels, epsilon),
        domain);
    const PublicModels models(domain, kModels);
    const auto sampler = make_sampler(
        {.mechanism = Mechanism::kRelative, .outcome_count = kModels, .epsilon = epsilon});
    const Domain elsewhere = Domain::make(domain.columns(), 1);
    double nulls = 0;
    PublicModels(elsewhere, kTables).visit([&](std::uint64_t, const PublicModels::Model& table) {
      // Likelihoods of 256 records, of which none is null.
      std::vector<std::uint32_t> indices;
      std::vector<double> logarithms, of_null;
      models.visit([&](std::uint64_t index, const PublicModels::Model& model) {
        double sum = std::log(model.shares[0]);
        for (std::size_t cell = 2; cell < 5; ++cell) {
          sum += table.shares[cell] * std::log(model.shares[cell]);
        }
        indices.push_back(static_cast<std::uint32_t>(index));
        logarithms.push_back(sum);
        of_null.push_back(model.shares[1]);
      });
      const double most = *std::max_element(logarithms.begin(), logarithms.end());
      for (double& one : logarithms) one = std::exp(256 * (one - most));
      const Law law = sampler->law({indices, logarithms});
      nulls += std::inner_product(of_null.begin(), of_null.end(), law.probabilities.begin(), 0.0) /
               kTables;
    });
    EXPECT_NEAR(stated, nulls, 0.1 * nulls) << epsilon;
  }
}

TEST(LocalPlan, LeavesOutWhatCannotChange) {
  EXPECT_EQ(answer_to(R"({"method": "local", "k": 1, "privacy": {"epsilon": 1}})")["table"].size(),
            3U);
  EXPECT_EQ(answer_to(R"({"method": "local", "k": 2, "privacy": {"epsilon": 20}})")["table"].size(),
            3U);
}

TEST(LocalPlan, QuotesTheExactWorstCaseWhereTheBoundIsNotAttained) {
  const Json answer =
      answer_to(R"({"method": "local", "k": 3, "c1": 0, "c2": 2, "privacy": {"epsilon": 1}})");
  EXPECT_EQ(answer["mechanism"], "class");
  EXPECT_EQ(answer["attained"], false);
  EXPECT_NEAR(answer["alpha"], 0.1792942809133301, 1e-15);
}

TEST(LocalPlan, CountsTheReference) {
  GivenInputs inputs = colours();
  // 1, 2, 3 and 4 of 10, and one more of each (smoothed_histogram): 2, 3, 4 and 5 of 14.
  inputs.reference = {0, 1, 1, 2, 2, 2, 3, 3, 3, 3};
  const Json answer = answer_to(
      R"({"method": "local", "domain": {"file": "d.yaml"}, "reference": {"file": "r.csv"}, "privacy": {"epsilon": 1},
          "region": ["colour=a,b"]})",
      inputs);
  EXPECT_EQ(answer["mechanism"], "relative");
  EXPECT_NEAR(answer["largest_lift"], std::exp(0.5), 1e-15);
  const double least = answer["region"]["reference_mass"];
  EXPECT_GT(least, 0.3);
  EXPECT_LT(least, 0.4);
  EXPECT_GT(answer["alpha"], answer["table"][2]["tv"]);
  EXPECT_EQ(answer["table"][2]["k"], 2);
}

TEST(LocalPlan, FindsWhateverIsLeftOut) {
  // 9/(E + 9) = 0.5 where E = 9.
  const Json epsilon = answer_to(R"({"method": "local", "k": 10, "alpha": 0.5, "count": 3})");
  EXPECT_EQ(epsilon["unknown"], "epsilon");
  EXPECT_LE(epsilon["alpha"], 0.5);
  EXPECT_NEAR(epsilon["epsilon"], 3 * std::log(9.0), 1e-5);
  const Json outcomes =
      answer_to(R"({"method": "local", "alpha": 0.5, "privacy": {"epsilon": 3}})");
  EXPECT_EQ(outcomes["k"], 1 + static_cast<int>(std::exp(3.0)));
  const Json count =
      answer_to(R"({"method": "local", "k": 10, "alpha": 0.5, "privacy": {"epsilon": 10}})");
  EXPECT_EQ(count["count"], 4);  // 10/4 > ln 9 > 10/5
  const Json named = answer_to(
      R"({"method": "local", "unknown": "count", "k": 10, "alpha": 0.5, "privacy": {"epsilon": 10}})");
  EXPECT_EQ(named, count);
  const PlanReport none = planned(R"({"method": "local", "k": 10, "alpha": 1e-15})");
  EXPECT_FALSE(none.is_served());
  const std::string told = plan_answer({&none, 1}).text;
  EXPECT_NE(told.find("no epsilon up to 30"), std::string::npos) << told;
}

TEST(LocalPlan, RefusesInOneSentence) {
  const auto refused = [](const std::string& question) {
    return test::refusal_of([&] { static_cast<void>(planned(question)); });
  };
  EXPECT_EQ(refused("[]"), "q.json must be a plan's question, a JSON object, but is []");
  EXPECT_EQ(refused(R"({"method": "local", "k": 3, "m": 1})"),
            "m in q.json is no part of a plan's question");
  EXPECT_EQ(refused(R"({"method": "local", "k": 3})"),
            "the budget is missing: give privacy/epsilon in q.json (mollify finds alpha) or "
            "alpha in q.json (mollify finds epsilon)");
  EXPECT_EQ(refused(R"({"method": "local", "privacy": {"epsilon": 1}})"),
            "give domain in q.json or k in q.json, or alpha in q.json to find the greatest k");
  EXPECT_EQ(refused(R"({"method": "local", "k": 3, "n": 3, "privacy": {"epsilon": 1}})"),
            "n in q.json is for " + kRowMethods.text() + ", but the method is local");
  EXPECT_EQ(
      refused(
          R"({"method": "local", "k": 3, "alpha": 0.1, "count": 1, "privacy": {"epsilon": 1}})"),
      "one of k, epsilon, alpha and count must be left to be found, but all are given");
  EXPECT_EQ(refused(R"({"method": "local", "k": 3, "mechanism": "minimax", "privacy": {"mu": 1}})"),
            "mechanism minimax takes no --mu: give --epsilon instead");
  EXPECT_EQ(refused(R"({"method": "local", "alpha": 0.1})"),
            "plan finds one of k, epsilon and alpha: give all but one of k and epsilon");
  EXPECT_EQ(
      refused(
          R"({"method": "local", "unknown": "k", "k": 3, "alpha": 0.1, "privacy": {"epsilon": 1}})"),
      "k is what plan is asked to find, but it is given: leave it out");
  EXPECT_EQ(refused(R"({"method": "local", "unknown": "m", "alpha": 0.1})"),
            "unknown must be " + all_names<PlanUnknown>(" or ") + ", but is \"m\"");
  EXPECT_EQ(refused(R"({"method": "local", "unknown": "rho", "k": 3, "alpha": 0.1})"),
            "plan cannot find rho for method local");
  EXPECT_EQ(
      refused(
          R"({"method": "local", "k": 3, "space": {"kind": "grid"}, "privacy": {"epsilon": 1}})"),
      "domain in q.json is missing: space/kind in q.json needs it");
}

}  // namespace
}  // namespace mollify
