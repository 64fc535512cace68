#include "mollify/plan.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "formats/public_files.h"
#include "mollify/watch.h"
#include "refusal.h"
#include "release/plan.h"

namespace mollify::front {

namespace inside = ::mollify;

namespace {

const nlohmann::json kAsked = {{"method", "central"},
                               {"n", 100000},
                               {"k", 100},
                               {"count", 10},
                               {"privacy", {{"epsilon", 1}, {"delta", 1e-9}}},
                               {"alpha", 0.1}};

TEST(FrontPlan, FindsWhateverIsLeftOut) {
  nlohmann::json question = kAsked;
  question.erase("n");
  const Plan records = plan(question.dump());
  ASSERT_EQ(records.answers.size(), 1U);
  const PlanAnswer& answer = records.answers[0];
  EXPECT_EQ(answer.unknown, "n");
  ASSERT_TRUE(answer.best);
  const PlanWay& best = answer.ways.at(*answer.best);
  ASSERT_TRUE(best.value);
  EXPECT_LE(best.alpha, 0.1);
  EXPECT_TRUE(best.independent_outputs);
  EXPECT_NE(best.why, "");
  // With as many records, alpha is what was asked for.
  question["n"] = static_cast<std::uint64_t>(*best.value);
  question.erase("alpha");
  question["curve"] = true;
  const Plan accuracy = plan(question.dump());
  EXPECT_EQ(accuracy.answers[0].unknown, "alpha");
  EXPECT_LE(*accuracy.answers[0].ways.at(*accuracy.answers[0].best).value, 0.1);
  std::vector<std::optional<double>> alphas;
  for (const PlanWay& way : accuracy.answers[0].ways) alphas.push_back(way.value);
  EXPECT_EQ(accuracy.answers[0].curve.at(5).alphas, alphas);
  for (const char* unknown : {"k", "count"}) {
    question = kAsked;
    question.erase(unknown);
    EXPECT_EQ(plan(question.dump()).answers[0].unknown, unknown);
  }
}

TEST(FrontPlan, TakesEveryMethod) {
  const Domain domain = Domain::make({Column::categorical("colour", {"a", "b", "c"})});
  for (const char* method : {"local", "integral"}) {
    const nlohmann::json question = {{"method", method}, {"privacy", {{"epsilon", 2}}}};
    const Plan found = plan(question.dump(), domain);
    EXPECT_EQ(found.answers[0].unknown, "alpha");
    EXPECT_EQ(found.answers[0].ways[0].mechanism, "minimax");
    EXPECT_EQ(nlohmann::json::parse(found.json)["outcomes"], 3);
    EXPECT_NE(found.text.find("promised: "), std::string::npos);
  }
  const Plan budgets = plan(
      R"({"method": "gaussian", "dimension": 3, "mean_bound": 5, "n": 500,
          "alpha": 0.05})");
  ASSERT_EQ(budgets.answers.size(), 2U);
  EXPECT_EQ(budgets.answers[0].unknown, "epsilon");
  EXPECT_EQ(budgets.answers[1].unknown, "rho");
  const Plan one = plan(
      R"({"method": "gaussian", "dimension": 3, "mean_bound": 5, "n": 500,
          "alpha": 0.05, "unknown": "rho"})");
  ASSERT_EQ(one.answers.size(), 1U);
  EXPECT_EQ(one.answers[0].ways[0].value, budgets.answers[1].ways[0].value);
}

TEST(FrontPlan, SaysWhatTheInsideFinds) {
  nlohmann::json question = kAsked;
  question.erase("alpha");
  const Plan found = plan(question.dump());
  const auto report =
      inside::plan(inside::parse_plan_question(question.dump(), "q"), inside::PublicFiles());
  EXPECT_EQ(found.json, inside::plan_json(report));
  EXPECT_EQ(found.text, inside::plan_text(report));
}

TEST(FrontPlan, RefusesInOneSentence) {
  EXPECT_EQ(test::refusal_of([] { (void)plan(kAsked.dump()); }),
            "one of n, k, epsilon, alpha, delta and count must be left to be found, but all are "
            "given");
  EXPECT_EQ(test::refusal_of([] { (void)plan(R"({"method": "central"})"); }),
            "one of n, k, epsilon and alpha can be found, but n, k, epsilon, alpha are missing");
  EXPECT_EQ(test::refusal_of([] { (void)plan("{", "q.json"); }),
            "q.json must be JSON, but ends too early");
  nlohmann::json wrong = kAsked;
  wrong.erase("n");
  wrong["alpha"] = 2;
  EXPECT_EQ(test::refusal_of([&] { (void)plan(wrong.dump()); }),
            "alpha must be above 0 and below 1, but is 2");
  const Domain domain = Domain::make({Column::categorical("colour", {"a", "b", "c"})});
  EXPECT_EQ(test::refusal_of([&] { (void)plan(R"({"domain": {"file": "d.yaml"}})", domain); }),
            "the question must name no domain where one is given, but it names one");
}

TEST(FrontPlan, OfSeveralBudgetsIsOneTable) {
  nlohmann::json question = kAsked;
  question.erase("alpha");
  std::vector<std::string> questions;
  for (const double epsilon : {0.5, 1.0}) {
    question["privacy"]["epsilon"] = epsilon;
    questions.push_back(question.dump());
  }
  const Plan found = plans(questions);
  ASSERT_EQ(found.answers.size(), 2U);
  EXPECT_GT(found.answers[0].ways[0].alpha, found.answers[1].ways[0].alpha);
  EXPECT_EQ(found.answers[1].ways[0].alpha, plan(questions[1]).answers[0].ways[0].alpha);
  EXPECT_EQ(nlohmann::json::parse(found.json)["plans"].size(), 2U) << found.json;
}

TEST(FrontPlan, TellsItsPartsAndTheirMethods) {
  for (const SpecPart& part : plan_parts()) EXPECT_FALSE(part.methods.empty()) << part.name;
  EXPECT_EQ(test::refusal_of([] { (void)plan(R"({"method": "central", "n": 5})", ""); }),
            "one of --n, --k, --epsilon and --alpha can be found, but --k, --epsilon, --alpha are "
            "missing");
}

/// Wants to stop when it is asked that for the last time.
class Patience : public Watch {
 public:
  explicit Patience(int times) : left_(times) {}
  [[nodiscard]] bool wants_stop() override { return left_-- <= 0; }
  void reached(const std::string&, std::uint64_t, std::uint64_t) override {}
  [[nodiscard]] int left() const { return left_; }

 private:
  int left_;
};

TEST(FrontWatch, StopsWhatThisThreadComputes) {
  nlohmann::json question = kAsked;
  question.erase("n");
  Patience short_one(3);
  {
    const Watching watching(short_one);
    EXPECT_THROW((void)plan(question.dump()), std::exception);
  }
  EXPECT_EQ(short_one.left(), -1) << "it is asked no more";
  Patience long_one(1'000'000);
  const Watching watching(long_one);
  EXPECT_TRUE(plan(question.dump()).answers[0].best);
  EXPECT_LT(long_one.left(), 999'990) << "every step of the search asks";
}

}  // namespace
}  // namespace mollify::front
