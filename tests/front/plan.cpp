#include "release/plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "formats/public_files.h"
#include "mollify/answers.h"
#include "mollify/program.h"
#include "refusal.h"
#include "sanitized.h"

namespace mollify::front {

namespace inside = ::mollify;

namespace {

const nlohmann::json kAsked = {{"method", "central"},
                               {"n", 100000},
                               {"k", 100},
                               {"count", 10},
                               {"privacy", {{"epsilon", 1}, {"delta", 1e-9}}},
                               {"alpha", 0.1}};

nlohmann::json facts(const Answer& found) { return nlohmann::json::parse(found.json); }

TEST(FrontPlan, FindsWhateverIsLeftOut) {
  nlohmann::json question = kAsked;
  question.erase("n");
  const auto records = facts(plan(question.dump()));
  EXPECT_EQ(records["unknown"], "n");
  nlohmann::json best;
  for (const auto& way : records["mechanisms"]) {
    if (way["best"]) best = way;
  }
  EXPECT_EQ(best["mechanism"], records["best"]);
  EXPECT_LE(best["alpha"], 0.1);
  EXPECT_EQ(best["independent_outputs"], true);
  EXPECT_NE(best["why"], "");
  // With as many records, alpha is what was asked for.
  question["n"] = best["n"];
  question.erase("alpha");
  question["curve"] = true;
  const Answer accuracy = plan(question.dump());
  EXPECT_LE(accuracy.number("/alpha"), 0.1);
  EXPECT_EQ(facts(accuracy)["unknown"], "alpha");
  EXPECT_EQ(facts(accuracy)["curve"].size(), 11U);
  for (const char* unknown : {"k", "count"}) {
    question = kAsked;
    question.erase(unknown);
    EXPECT_EQ(facts(plan(question.dump()))["unknown"], unknown);
  }
}

TEST(FrontPlan, TakesEveryMethod) {
  const Domain domain = Domain::make({Column::declare(
      "colour", {{"type", "categorical"}, {"values", {"a", "b", "c"}}, {"null", "a"}})});
  for (const char* method : {"local", "integral"}) {
    const nlohmann::json question = {{"method", method}, {"privacy", {{"epsilon", 2}}}};
    const Answer found = plan(question.dump(), domain);
    EXPECT_EQ(facts(found)["unknown"], "alpha");
    EXPECT_EQ(facts(found)["mechanism"], "minimax");
    EXPECT_EQ(found.number("/k"), 3);
    EXPECT_NE(found.text.find("promised: "), std::string::npos);
  }
  const Answer budgets = plan(
      R"({"method": "gaussian", "dimension": 3, "mean_bound": 5, "n": 500,
          "alpha": 0.05})");
  EXPECT_TRUE(budgets.number("/answers/0/epsilon"));
  const Answer one = plan(
      R"({"method": "gaussian", "dimension": 3, "mean_bound": 5, "n": 500,
          "alpha": 0.05, "unknown": "rho"})");
  EXPECT_FALSE(one.number("/answers/1/rho"));
  EXPECT_TRUE(one.number("/answers/0/rho"));
  EXPECT_EQ(one.number("/answers/0/rho"), budgets.number("/answers/1/rho"));
}

// Of k outcomes, one of them null, a randomized response releases each other one of them with
// probability 1/(e^epsilon + k - 1).
TEST(FrontPlan, TellsHowManyNullsNoiseMakes) {
  const auto nulls = [](const Setting& null, const char* mechanism) {
    const Domain domain = Domain::make({Column::declare(
        "colour", {{"type", "categorical"}, {"values", {"a", "b", "c"}}, {"null", null}})});
    const nlohmann::json question = {
        {"method", "local"}, {"mechanism", mechanism}, {"privacy", {{"epsilon", 2}}}};
    return plan(question.dump(), domain);
  };
  const Answer found = nulls("category", "randomized-response");
  EXPECT_NEAR(found.number("/nulls_of_noise/colour").value_or(0), 1 / (std::exp(2.0) + 3), 1e-9);
  EXPECT_NE(found.text.find("% of \"colour\" null: declare null: VALUE"), std::string::npos)
      << found.text;
  EXPECT_FALSE(nulls("a", "randomized-response").number("/nulls_of_noise/colour"));
  // A band releases what no record has with its least probability, whatever the data: the minimax
  // one with k/(E + k - 1) times 1/k.
  const Answer band = nulls("category", "minimax");
  EXPECT_NEAR(band.number("/nulls_of_noise/colour").value_or(0), 1 / (std::exp(2.0) + 3), 1e-9);
}

TEST(FrontPlan, TellsTheNullsOfTheMechanismThatIsNamed) {
  const Domain domain = Domain::make(
      {Column::declare("colour", {{"type", "categorical"}, {"values", {"a", "b", "c"}}})});
  const auto planned = [&](const char* mechanism) {
    return plan(nlohmann::json{{"method", "central"},
                               {"mechanism", mechanism},
                               {"n", 1000},
                               {"count", 10},
                               {"privacy", {{"epsilon", 1}, {"delta", 1e-5}}}}
                    .dump(),
                domain);
  };
  const Answer every = planned("auto");
  EXPECT_EQ(facts(every)["best"], "subset-rr");
  EXPECT_EQ(facts(every)["mechanisms"].size(), 6U);
  for (const char* mechanism :
       {"subsampled-rr", "ds-roo", "subset-rr", "poisson-rr", "histogram", "reveal-or-obscure"}) {
    const Answer one = planned(mechanism);
    EXPECT_EQ(facts(one)["mechanism"], mechanism);
    // Of four outcomes each other one is as likely.
    EXPECT_NEAR(one.number("/nulls_of_noise/colour").value_or(0),
                one.number("/alpha").value_or(1) / 3, 1e-9)
        << mechanism;
  }
  EXPECT_EQ(
      test::refusal_of([&] { (void)planned("product"); }),
      "plan knows nothing of columns, which mechanism product needs: leave out mechanism in the "
      "question");
}

TEST(FrontPlan, SaysWhatTheInsideFinds) {
  nlohmann::json question = kAsked;
  question.erase("alpha");
  const Answer found = plan(question.dump());
  const auto report =
      inside::plan(inside::parse_plan_question(question.dump(), "q"), inside::PublicFiles());
  EXPECT_EQ(found.json, inside::plan_answer({&report, 1}).facts());
  EXPECT_EQ(found.text, inside::plan_answer({&report, 1}).text);
}

TEST(FrontPlan, RefusesInOneSentence) {
  EXPECT_EQ(test::refusal_of([] { (void)plan(kAsked.dump()); }),
            "one of n, k, epsilon, alpha, delta and count must be left to be "
            "found, but all are "
            "given");
  EXPECT_EQ(
      test::refusal_of([] { (void)plan(R"({"method": "central"})"); }),
      "plan finds one of n, k, epsilon and alpha: give all but one of n, k, epsilon and alpha");
  EXPECT_EQ(test::refusal_of([] { (void)plan("{", "q.json"); }),
            "q.json must be JSON, but ends too early");
  nlohmann::json wrong = kAsked;
  wrong.erase("n");
  wrong["alpha"] = 2;
  EXPECT_EQ(test::refusal_of([&] { (void)plan(wrong.dump()); }),
            "alpha must be above 0 and below 1, but is 2");
  const Domain domain = Domain::make({Column::declare(
      "colour", {{"type", "categorical"}, {"values", {"a", "b", "c"}}, {"null", "a"}})});
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
  const Answer found = plans(questions);
  EXPECT_EQ(facts(found)["plans"].size(), 2U);
  EXPECT_GT(found.number("/plans/0/alpha"), found.number("/plans/1/alpha"));
  EXPECT_EQ(found.number("/plans/1/alpha"), plan(questions[1]).number("/alpha"));
  EXPECT_EQ(test::refusal_of([] { (void)plans({}); }),
            "there must be a question to plan, but the list is empty");
}

TEST(FrontPlan, TellsItsPartsAndTheirMethods) {
  for (const SpecPart& part : request_parts("plan"))
    EXPECT_FALSE(part.methods.empty()) << part.name;
  EXPECT_EQ(test::refusal_of([] { (void)plan(R"({"method": "central", "n": 5})", ""); }),
            "plan finds one of --n, --k, --epsilon and --alpha: give all but one of --k, "
            "--epsilon and --alpha");
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
  EXPECT_TRUE(plan(question.dump()).number("/n"));
  EXPECT_LT(long_one.left(), 999'990) << "every step of the search asks";
}

/// Notes what takes long, and then waits no longer.
class Hurry : public Watch {
 public:
  [[nodiscard]] bool wants_stop() override { return !told_.empty(); }
  void reached(const std::string&, std::uint64_t, std::uint64_t) override {}
  void takes_long(const std::string& what) override { told_.push_back(what); }
  [[nodiscard]] const std::vector<std::string>& told() const { return told_; }

 private:
  std::vector<std::string> told_;
};

TEST(FrontWatch, HearsBeforehandWhatTakesLong) {
  nlohmann::json curve = kAsked;
  curve.erase("alpha");
  curve["curve"] = true;
  curve["privacy"]["delta"] = 1e-100;
  const nlohmann::json wide = {
      {"method", "gaussian"}, {"dimension", 30}, {"covariance_bound", 5},
      {"alpha", 0.1},         {"count", 1},      {"privacy", {{"epsilon", 0.01}, {"delta", 1e-9}}}};
  nlohmann::json rows = curve;
  rows["n"] = 1'000'000;
  rows["privacy"]["delta"] = 1e-29;
  nlohmann::json plane = wide;
  plane["dimension"] = 2;
  nlohmann::json ranged = plane;
  ranged.erase("covariance_bound");
  ranged["mean_range"] = 100;
  nlohmann::json many = kAsked;
  many.erase("n");
  many["k"] = 1 << 20;
  nlohmann::json small = kAsked;
  small.erase("alpha");
  small["privacy"]["epsilon"] = 1e-6;
  const std::pair<nlohmann::json, std::string> asked[] = {
      {small, "planning at epsilon 1e-6"},
      {curve, "a curve at delta 1e-100"},
      {many, "a search with 1048576 outcomes"},
      {rows, "a curve at delta 1e-29"},
      {plane, "planning in 2 dimensions with a bounded covariance"},
      {ranged, "planning in 2 dimensions with a range of the mean"},
      {wide, "planning in 30 dimensions with a bounded covariance"}};
  for (const auto& [question, what] : asked) {
    Hurry hurry;
    const Watching watching(hurry);
    EXPECT_THROW((void)plan(question.dump()), std::exception) << "it is stopped before it is done";
    EXPECT_EQ(hurry.told(), std::vector{what});
  }
  Hurry hurry;
  const Watching watching(hurry);
  nlohmann::json question = kAsked;
  question.erase("n");
  EXPECT_TRUE(plan(question.dump()).number("/n")) << "which is told nothing of, so it goes on";
}

/// Stops what has taken a second, and notes the longest time that it was not asked.
class SecondOfPatience : public Watch {
 public:
  [[nodiscard]] bool wants_stop() override {
    const std::clock_t now = std::clock();
    longest_ = std::max(longest_, now - asked_);
    asked_ = now;
    return now - begin_ > CLOCKS_PER_SEC;
  }
  void reached(const std::string&, std::uint64_t, std::uint64_t) override {}
  [[nodiscard]] double longest() const {
    return static_cast<double>(longest_) / static_cast<double>(CLOCKS_PER_SEC);
  }

 private:
  std::clock_t begin_ = std::clock(), asked_ = begin_, longest_ = 0;
};

TEST(FrontWatch, IsAskedTwiceASecond) {
  const char* const long_ones[] = {
      R"({"method": "central", "n": 549755813888, "k": 4109, "curve": true, "count": 1,
          "accept_large_delta": true, "privacy": {"epsilon": 3.238, "delta": 1e-100}})",
      R"({"method": "gaussian", "alpha": 0.01, "dimension": 2, "covariance_bound": 5, "count": 1000,
          "privacy": {"epsilon": 0.4, "delta": 1e-12}})",
      R"({"method": "gaussian", "n": 549746536513, "dimension": 2, "covariance_bound": 325500,
          "count": 55759, "curve": true, "privacy": {"epsilon": 0.4, "delta": 1e-12}})"};
  for (const char* question : long_ones) {
    SecondOfPatience patience;
    const Watching watching(patience);
    try {
      static_cast<void>(plan(question));
    } catch (const std::exception&) {
      // Stopped, as it was to be.
    }
    EXPECT_LT(patience.longest(), test::whole_or_sanitized(0.25, 5.0)) << question;
  }
}

}  // namespace
}  // namespace mollify::front
