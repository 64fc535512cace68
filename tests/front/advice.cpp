#include "release/advice.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mollify/answers.h"
#include "refusal.h"

namespace mollify::front {

namespace {

using testing::HasSubstr;

const char* const kDomain =
    "columns:\n  a:\n    type: categorical\n    values: [x, y, z]\n    null: x\n";

TEST(FrontAdvice, IsOfTheDomainThatIsGiven) {
  const Answer found = advise(R"({"purpose": "records", "protect": "person", "n": 500,
                                  "domain": {"file": "people.yaml"}, "unit": "who"})",
                              "the question", {{"people.yaml", kDomain}});
  const auto json = nlohmann::json::parse(found.json);
  EXPECT_EQ(json["method"], "local");
  EXPECT_EQ(json["k"], 3);
  EXPECT_THAT(json["commands"][1].get<std::string>(), HasSubstr("--domain people.yaml --unit who"));
  EXPECT_THAT(found.text, HasSubstr("minimax"));
  EXPECT_EQ(test::refusal_of([] { (void)advise(R"({"purpose": "record", "columns": [3]})"); }),
            "purpose must be " + all_names<Purpose>(" or ") +
                ", but is \"record\" (did you mean \"records\"?)");
  EXPECT_EQ(
      test::refusal_of([] { (void)advise(R"({"purpose": "table", "columns": [3, 0]})", ""); }),
      "each number of --columns must be from 1 to 4294967295, but is 0");
  EXPECT_EQ(test::refusal_of([] { (void)advise(R"({"columns": [3]})", ""); }),
            "--purpose is missing: " + all_names<Purpose>(" or "));
}

TEST(FrontAdvice, TakesQuestions) {
  const Answer found = advise(
      R"({"purpose": "table", "protect": "row", "n": 5000,
                                  "questions": ["share(a) by b error 0.02"],
                                  "domain": {"file": "people.yaml"}})",
      "", {{"people.yaml", std::string(kDomain) + "  b:\n    type: boolean\n    null: false\n"}});
  const auto json = nlohmann::json::parse(found.json);
  EXPECT_EQ(json["questions"][0]["question"], "share(a) by b");
  EXPECT_EQ(json["questions"][0]["asked"], 0.02);
  EXPECT_LE(json["questions"][0]["standard_error"], 0.02);
  EXPECT_EQ(json["parts"]["questions"][0], "share(a) by b");
}

TEST(FrontAmplify, FindsTheFourthOfFour) {
  const Answer found = amplify(R"({"n": 1000, "k": 10, "epsilon0": 2, "delta": 1e-6})");
  const auto json = nlohmann::json::parse(found.json);
  EXPECT_GT(json["epsilon_upper"].get<double>(), json["epsilon_lower"].get<double>());
  EXPECT_THAT(found.text, HasSubstr("epsilon = 0.27"));
  EXPECT_TRUE(found.warnings.empty());
  const Answer risky = amplify(R"({"n": 1000, "k": 10, "epsilon0": 20, "delta": 5e-4})");
  EXPECT_EQ(nlohmann::json::parse(risky.json)["warnings"].size(), risky.warnings.size());
  EXPECT_FALSE(risky.warnings.empty());
  EXPECT_EQ(test::refusal_of([] { (void)amplify(R"({"n": 1000, "k": 10})"); }),
            "give exactly three of --n, --epsilon0, --epsilon and --delta; you gave 1");
  EXPECT_EQ(test::refusal_of([] { (void)amplify(R"({"n": 1000, "m": 10})"); }),
            "m in the question is no part of a question to amplify; its parts are n, k, epsilon0, "
            "epsilon, delta, rate, chosen, accept_large_delta");
  EXPECT_EQ(test::refusal_of([] { (void)amplify(R"({"n": 1000, "rate": 0})"); }),
            "rate must be above 0 and at most 1, but is 0");
  EXPECT_EQ(test::refusal_of([] { (void)amplify(R"({"k": "x"})"); }),
            "k in the question must be a whole number, but is \"x\"");
  EXPECT_EQ(test::refusal_of([] { (void)amplify("{"); }),
            "the question must be JSON, but ends too early");
}

TEST(FrontRisk, IsOfOneDraw) {
  const Answer found = risk({.mechanism = "randomized-response", .k = 3, .epsilon = 1});
  const auto json = nlohmann::json::parse(found.json);
  EXPECT_NEAR(json["risk"]["tv"].get<double>(), 2 / (2 + std::exp(1.0)), 1e-12);
  EXPECT_EQ(json["attained"], true);
  EXPECT_THAT(found.text, HasSubstr("worst case of randomized-response over 3 outcomes"));
  EXPECT_THAT(test::refusal_of([] { (void)risk({.mechanism = "best", .k = 3}); }),
              HasSubstr("mechanism must be "));
}

}  // namespace

}  // namespace mollify::front
