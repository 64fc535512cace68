#include <cmath>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mollify/mollify_c.h"

namespace mollify {
namespace {

TEST(CReport, SaysWhatIsMostlyNoiseBeforeThereIsARelease) {
  char* text = nullptr;
  ASSERT_EQ(mollify_release_report(
                R"({"method": "integral", "count": 1, "privacy": {"epsilon": 2}, "domain": {"text":
                    "columns:\n  a: {type: integer, min: 1, max: 96}\n"}})",
                0, &text),
            MOLLIFY_OK)
      << mollify_last_error();
  const auto report = nlohmann::json::parse(text);
  mollify_free_text(text);
  // Of a point mass, 1 - e^2 / (e^2 + 95).
  EXPECT_NEAR(report["total_variation"], 95 / (95 + std::exp(2.0)), 1e-9);
  EXPECT_EQ(report["warnings"].size(), 1U);
  EXPECT_NE(report["warnings"][0]["text"].get<std::string>().find("mostly noise"),
            std::string::npos);
  EXPECT_FALSE(report["why"].get<std::string>().empty());
  EXPECT_FALSE(report["notes"].empty());
}

TEST(CPlan, ReportsWhatIsNeeded) {
  char* text = nullptr;
  ASSERT_EQ(
      mollify_plan(R"({"method": "central", "k": 100, "privacy": {"epsilon": 1, "delta": 1e-9},
                       "count": 10, "alpha": 0.1})",
                   &text),
      MOLLIFY_OK)
      << mollify_last_error();
  const auto report = nlohmann::json::parse(text);
  mollify_free_text(text);
  EXPECT_EQ(report.at("unknown"), "n");
  EXPECT_TRUE(report.at("best").is_string());
  EXPECT_GT(report.at("mechanisms").size(), 2U);
  EXPECT_GT(report.at("mechanisms").front().at("n"), 1000);
}

TEST(CPlan, RefusesInOneSentence) {
  char* text = nullptr;
  const auto refusal = [&](const char* question) -> std::string {
    EXPECT_EQ(mollify_plan(question, &text), MOLLIFY_INVALID_INPUT);
    EXPECT_EQ(text, nullptr);
    return mollify_last_error();
  };
  EXPECT_EQ(refusal("[]"), "the question must be a plan's question, a JSON object, but is []");
  EXPECT_EQ(refusal(R"({"n": -1})"), "/n in the question must be a whole number, but is -1");
  EXPECT_EQ(refusal(R"({"alpha": "x"})"), "/alpha in the question must be a number, but is \"x\"");
  EXPECT_EQ(refusal(R"({"m": 1})"), "/m in the question is no part of a plan's question");
  EXPECT_NE(refusal("{}"), "");
}

TEST(CAnswers, AreThoseOfTheCommand) {
  char* text = nullptr;
  ASSERT_EQ(mollify_amplify(R"({"n": 1000, "k": 10, "epsilon0": 2, "delta": 1e-6})", &text),
            MOLLIFY_OK)
      << mollify_last_error();
  EXPECT_NEAR(nlohmann::json::parse(text)["epsilon_upper"], 0.27, 0.01);
  mollify_free_text(text);
  ASSERT_EQ(mollify_advise(R"({"purpose": "table", "protect": "row", "n": 1000,
                               "columns": [2, 3]})",
                           &text),
            MOLLIFY_OK)
      << mollify_last_error();
  EXPECT_EQ(nlohmann::json::parse(text)["outcomes"], 6);
  mollify_free_text(text);
  EXPECT_EQ(mollify_amplify(R"({"epsilon0": 101})", &text), MOLLIFY_INVALID_INPUT);
  EXPECT_STREQ(mollify_last_error(), "epsilon0 must be above 0 and at most 100, but is 101");
}

}  // namespace
}  // namespace mollify
