// Plans of the local and the integral model.
#include "release/plan.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "columns.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "domain/words.h"
#include "refusal.h"

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
