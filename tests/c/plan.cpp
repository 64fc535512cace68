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
                    "columns:\n  a: {type: integer, min: 1, max: 96, null: 1}\n"}})",
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
  EXPECT_EQ(refusal(R"({"n": 0.5})"), "n in the question must be a whole number, but is 0.5");
  EXPECT_EQ(refusal(R"({"n": -1})"),
            "n in the question must be at least 0 and below 18446744073709551616, but is -1");
  EXPECT_EQ(refusal(R"({"alpha": "x"})"), "alpha in the question must be a number, but is \"x\"");
  EXPECT_EQ(refusal(R"({"m": 1})"), "m in the question is no part of a plan's question");
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
  EXPECT_EQ(nlohmann::json::parse(text)["method"], "marginals");
  mollify_free_text(text);
  ASSERT_EQ(mollify_advise(
                R"({"purpose": "table", "protect": "row", "n": 1000, "questions": ["a:b error 0.1"],
                    "domain": {"text": "columns:\n  a: {type: boolean, null: false}\n  b: {type: boolean, null: false}\n"}})",
                &text),
            MOLLIFY_OK)
      << mollify_last_error();
  const auto asked = nlohmann::json::parse(text);
  EXPECT_EQ(asked["questions"][0]["asked"], 0.1);
  EXPECT_LE(asked["questions"][0]["standard_error"], 0.1);
  mollify_free_text(text);
  EXPECT_EQ(mollify_amplify(R"({"epsilon0": 101})", &text), MOLLIFY_INVALID_INPUT);
  EXPECT_STREQ(mollify_last_error(), "epsilon0 must be above 0 and at most 100, but is 101");
}

/// The facts of the last refusal.
nlohmann::json facts_of(mollify_status status) {
  EXPECT_EQ(status, MOLLIFY_INVALID_INPUT);
  return nlohmann::json::parse(mollify_last_error_facts());
}

/// A spec of method local with the part at the place.
std::string spec_with(const std::string& place, const nlohmann::json& value) {
  nlohmann::json spec = {
      {"method", "local"},
      {"count", 1},
      {"unit", "who"},
      {"privacy", {{"epsilon", 1}}},
      {"domain", {{"text", "columns:\n  a: {type: integer, min: 1, max: 9, null: 1}\n"}}}};
  spec[nlohmann::json::json_pointer(place)] = value;
  return spec.dump();
}

TEST(CRefusal, NamesPartsByTheirPlacesInWhatWasAsked) {
  char* text = nullptr;
  const auto of_spec = [&](const std::string& place, const nlohmann::json& value) {
    return facts_of(mollify_prepare(spec_with(place, value).c_str(), 0, &text));
  };
  auto facts = of_spec("/privacy/epsilon", -1);
  EXPECT_EQ(facts["parameter"], "privacy/epsilon");
  EXPECT_EQ(facts["ways_out"][0]["part"], "privacy/epsilon");
  facts = of_spec("/space", {{"scorer", "kernal"}});
  EXPECT_EQ(facts["parameter"], "space/scorer");
  EXPECT_EQ(facts["text"].get<std::string>().substr(0, 30), "the spec: space/scorer must be");
  facts = of_spec("/units_column", "who");
  EXPECT_EQ(facts["text"], "the spec: roster is missing: units_column needs it");
  EXPECT_EQ(facts["parameter"], "roster");
  facts = of_spec("/logarithms", {"a"});
  EXPECT_EQ(facts["parameter"], "logarithms");
  facts = of_spec("/units", "a.csv");
  EXPECT_EQ(facts["code"], "unknown-key");
  EXPECT_EQ(facts["parameter"], "units") << "as it was given";
  facts = facts_of(mollify_advise(R"({"purpose": "table", "epsilon": 0})", &text));
  EXPECT_EQ(facts["parameter"], "epsilon");
  facts = facts_of(mollify_plan(R"({"method": "local", "k": 4})", &text));
  EXPECT_EQ(facts["parameter"], "privacy/epsilon");
}

TEST(CRefusal, HoldsTheNumbersThatDecide) {
  char* text = nullptr;
  const auto facts = facts_of(
      mollify_plan(R"({"method": "local", "k": 99999999, "privacy": {"epsilon": 1}})", &text));
  EXPECT_EQ(facts["quantities"],
            nlohmann::json::parse(R"([{"name": "given", "value": 99999999, "unit": "outcomes"},
                                      {"name": "least", "value": 1, "unit": "outcomes"},
                                      {"name": "most", "value": 16777216, "unit": "outcomes"}])"));
  EXPECT_EQ(facts_of(mollify_amplify(R"({"delta": 1})", &text))["quantities"],
            nlohmann::json::parse(R"([{"name": "given", "value": 1, "unit": null},
                                      {"name": "above", "value": 0, "unit": null},
                                      {"name": "below", "value": 1, "unit": null}])"));
  EXPECT_TRUE(facts_of(mollify_plan(R"({"method": "lokal"})", &text))["quantities"].empty());
}

TEST(CRefusal, HasTheCodeOfEveryInterface) {
  char* text = nullptr;
  const auto code = [&](const char* question) {
    return facts_of(mollify_plan(question, &text))["code"];
  };
  EXPECT_EQ(code(R"({"method": "local", "k": -1})"), "out-of-range");
  EXPECT_EQ(code(R"({"method": "local", "k": 100000000000000000000000000})"), "out-of-range");
  EXPECT_EQ(facts_of(mollify_amplify("{}", &text))["code"], "missing-parameter");
  EXPECT_EQ(facts_of(mollify_amplify(R"({"n": 9, "epsilon": 1, "epsilon0": 1, "delta": 0.1})",
                                     &text))["code"],
            "contradicting-parameters");
  const auto of_sampler = [&](const char* parameters) {
    mollify_sampler* sampler = nullptr;
    return facts_of(mollify_new_sampler(parameters, &sampler, nullptr));
  };
  for (const char* given : {"0", "-1", "100000000000000000000000000"}) {
    const auto facts = of_sampler((std::string(R"({"epsilon": 1, "k": )") + given + "}").c_str());
    EXPECT_EQ(facts["code"], "out-of-range") << given;
    EXPECT_EQ(facts["parameter"], "k") << given;
  }
  EXPECT_EQ(of_sampler(R"({"epsilon": 1, "k": 2.5})")["code"], "wrong-type");
  EXPECT_EQ(of_sampler(R"({"epsilon": 1})")["code"], "missing-parameter");
  const auto unknown = of_sampler(R"({"epsilon": 1, "k": 4, "outcomes": 3})");
  EXPECT_EQ(unknown["code"], "unknown-key");
  EXPECT_EQ(unknown["parameter"], "outcomes");
  EXPECT_EQ(of_sampler(R"({"epsilon": -1, "k": 4})")["parameter"], "epsilon");
  EXPECT_EQ(code(R"({"method": "local", "k": 4, "privacy": {"epsilon": -1}})"), "out-of-range");
  EXPECT_EQ(of_sampler(R"({"epsilon": "1", "k": 4})")["parameter"], "epsilon")
      << "and not a plan's privacy/epsilon";
}

TEST(CPlan, KeepsCodeAndParameterOfAMechanismThatRefuses) {
  char* text = nullptr;
  ASSERT_EQ(mollify_plan(R"({"method": "central", "k": 100, "n": 1000, "count": 2,
                             "privacy": {"epsilon": 1}})",
                         &text),
            MOLLIFY_OK)
      << mollify_last_error();
  const auto report = nlohmann::json::parse(text);
  mollify_free_text(text);
  std::size_t refusals = 0;
  for (const auto& one : report["mechanisms"]) {
    if (!one.contains("code")) continue;
    ++refusals;
    EXPECT_FALSE(one["refusal"].get<std::string>().empty());
    EXPECT_FALSE(one["code"].get<std::string>().empty());
    EXPECT_TRUE(one.contains("parameter"));
  }
  EXPECT_GT(refusals, 0U);
}

}  // namespace
}  // namespace mollify
