// Mistakes in C: each has a code, the key that it is about, and ways out by names that C has.
#include <functional>
#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/refusal_facts.h"
#include "formats/scratch.h"
#include "mollify/mollify_c.h"

namespace mollify {
namespace {

using nlohmann::json;

/// Unquoted words of a sentence: flags and commands.
std::string words_of_the_command(const std::string& sentence) {
  static const std::regex quoted(R"("[^"]*"|/\S+)");
  static const std::regex words(R"((^|[^\w-])--[a-z]|mollify [a-z])");
  const std::string own = std::regex_replace(sentence, quoted, "");
  std::smatch found;
  return std::regex_search(own, found, words) ? found.str() : "";
}

class CRefusals : public testing::Test {
 protected:
  using Call = std::function<mollify_status()>;

  CRefusals() {
    scratch_.write("d.csv", "who,a\nx,1\nx,2\ny,3\n");
    EXPECT_EQ(mollify_declare(ledger_.c_str(), "people", R"({"epsilon": 9, "scope": "unit=who"})"),
              MOLLIFY_OK)
        << mollify_last_error();
  }
  ~CRefusals() override { mollify_free_text(text_); }

  /// A spec of method local with a part of another value, or of another method.
  static std::string spec(const std::string& place = "", const json& value = nullptr,
                          const std::string& method = "local") {
    json made = {{"method", method},
                 {"privacy", {{"epsilon", 8}}},
                 {"domain", {{"text", "columns:\n  a: {type: integer, min: 1, max: 9}\n"}}}};
    if (!place.empty()) made[json::json_pointer(place)] = value;
    return made.dump();
  }
  Call prepared(std::string text, std::uint64_t records = 0) {
    return [this, text, records] { return mollify_prepare(text.c_str(), records, &text_); };
  }
  Call released(std::string text, const char* ledger = nullptr, const char* data_set = nullptr) {
    return [this, text, ledger, data_set] {
      return mollify_release_csv(text.c_str(), scratch_.path("d.csv").c_str(), ledger, data_set,
                                 scratch_.path("r.csv").c_str(), scratch_.path("r.json").c_str(),
                                 nullptr);
    };
  }
  Call asked(mollify_status (*ask)(const char*, char**), const char* question) {
    return [this, ask, question] { return ask(question, &text_); };
  }
  Call sampler(const char* parameters) {
    return [parameters] {
      mollify_sampler* none = nullptr;
      return mollify_new_sampler(parameters, &none, nullptr);
    };
  }
  Call declared(const char* data_set, const char* total) {
    return [this, data_set, total] { return mollify_declare(ledger_.c_str(), data_set, total); };
  }

  const test::Scratch scratch_{};
  const std::string ledger_ = scratch_.path("ledger");
  char* text_ = nullptr;
};

TEST_F(CRefusals, HaveACodeAKeyAndWaysOutInTheWordsOfC) {
  const char* const domain = "columns: {a: {type: integer, min: 1, max: 9}}";
  const struct {
    const char* mistake;
    Call call;
    const char* code;
    const char* parameter;
  } mistakes[] = {
      {"no spec", prepared("{"), "malformed-file", "spec"},
      {"no method", prepared("{}"), "missing-parameter", "method"},
      {"a mistyped method", prepared(spec("/method", "lokal")), "unknown-name", "method"},
      {"epsilon below 0", prepared(spec("/privacy/epsilon", -1)), "out-of-range",
       "privacy/epsilon"},
      {"epsilon in letters", prepared(spec("/privacy/epsilon", "two")), "wrong-type",
       "privacy/epsilon"},
      {"two budgets", prepared(spec("/privacy/mu", 1)), "contradicting-parameters", "privacy/mu"},
      {"no budget", prepared(spec("/privacy", json::object())), "missing-parameter",
       "privacy/epsilon"},
      {"no count", prepared(spec("", nullptr, "central"), 9), "missing-parameter", "count"},
      {"a count of 0", prepared(spec("/count", 0, "central"), 9), "out-of-range", "count"},
      {"a broken count", prepared(spec("/count", 1.5, "central"), 9), "wrong-type", "count"},
      {"a mistyped mechanism", prepared(spec("/mechanism", "minmax")), "unknown-name", "mechanism"},
      {"another method's mechanism", prepared(spec("/mechanism", "histogram")), "unknown-name",
       "mechanism"},
      {"a mistyped key", prepared(spec("/mechanisms", "minimax")), "unknown-key", "mechanisms"},
      {"a roster without a unit", prepared(spec("/units_column", "who")), "missing-parameter",
       "roster"},
      {"a column that is missing", released(spec("/unit", "whom")), "missing-column", "unit"},
      {"mostly noise", released(spec("/privacy/epsilon", 1e-3)), "indistinct-from-noise",
       "privacy/epsilon"},
      {"a data set without a total", released(spec("/unit", "who"), ledger_.c_str(), "peopel"),
       "no-total", "data_set"},
      {"a release that protects less",
       released(spec("/count", 1, "central").insert(1, R"("accept_error": true, )"),
                ledger_.c_str(), "people"),
       "total-protects-more", "unit"},
      {"a release beyond the total",
       released(spec("/privacy/epsilon", 10).insert(1, R"("unit": "who", )"), ledger_.c_str(),
                "people"),
       "budget-exceeded", "data_set"},
      {"no ledger", released(spec(), nullptr, "people"), "missing-parameter", "ledger"},
      {"a former name of k", asked(mollify_plan, R"({"method": "local", "outcomes": 9})"),
       "unknown-key", "outcomes"},
      {"another total", declared("people", R"({"epsilon": 1})"), "total-exists", "data_set"},
      {"a total of 0", declared("places", R"({"epsilon": 0})"), "out-of-range", "epsilon"},
      {"a total without a budget", declared("places", "{}"), "missing-parameter", "epsilon"},
      {"two totals", declared("places", R"({"epsilon": 1, "rho": 1})"), "contradicting-parameters",
       "rho"},
      {"a mistyped part of a total", declared("places", R"({"epsilom": 1})"), "unknown-key",
       "epsilom"},
      {"amplify without k", asked(mollify_amplify, R"({"n": 100, "epsilon0": 2, "delta": 1e-9})"),
       "missing-parameter", "k"},
      {"no purpose's protection", asked(mollify_advise, R"({"purpose": "records"})"),
       "missing-parameter", "protect"},
      {"a mistyped purpose", asked(mollify_advise, R"({"purpose": "tabel", "protect": "row"})"),
       "unknown-name", "purpose"},
      {"a delta above 1/n",
       asked(mollify_plan, R"({"method": "central", "k": 9, "n": 100, "count": 5,
                               "privacy": {"epsilon": 1, "delta": 0.5}})"),
       "delta-too-large", "privacy/delta"},
      {"no outcomes", sampler(R"({"k": 0, "epsilon": 1})"), "out-of-range", "k"},
      {"outcomes without k", sampler(R"({"epsilon": 1})"), "missing-parameter", "k"},
      {"a former key", sampler(R"({"outcomes": 3, "epsilon": 1})"), "unknown-key", "outcomes"},
      {"a mistyped key of another type", sampler(R"({"k": 3, "epsilom": "1"})"), "unknown-key",
       "epsilom"},
      {"no model",
       [&] {
         ArrowArrayStream rows{};
         return mollify_generate("{}", 1, nullptr, &rows);
       },
       "wrong-kind-of-file", "model"},
      {"no certificate", [&] { return mollify_verify("nothing", domain, &text_); },
       "wrong-kind-of-file", "certificate"},
      {"no domain", [&] { return mollify_check("a: b", "none.csv", nullptr, &text_); },
       "unknown-key", "a"},
      {"no data", [&] { return mollify_check(domain, "none.csv", nullptr, &text_); },
       "unreadable-file", "data"},
  };
  for (const auto& [mistake, call, code, parameter] : mistakes) {
    EXPECT_EQ(call(), MOLLIFY_INVALID_INPUT) << mistake;
    const json facts = json::parse(mollify_last_error_facts());
    const std::string sentence = mollify_last_error();
    EXPECT_EQ(facts["code"], code) << mistake << ": " << sentence;
    EXPECT_EQ(facts["parameter"].is_null() ? "" : facts["parameter"], parameter)
        << mistake << ": " << sentence;
    EXPECT_EQ(words_of_the_command(sentence), "") << mistake << ": " << sentence;
    EXPECT_FALSE(facts["ways_out"].empty() && facts["file"].is_null())
        << mistake << ": " << sentence;
    for (const json& way : facts["ways_out"]) {
      const std::string part = way["part"];
      EXPECT_THAT(part, testing::Not(testing::HasSubstr("-"))) << mistake << ": " << part;
    }
    EXPECT_EQ(test::lacking_facts(facts), "") << mistake << ": " << facts.dump();
  }
  EXPECT_EQ(text_, nullptr);
}

TEST_F(CRefusals, NameTheNearestKeyOfASampler) {
  EXPECT_EQ(sampler(R"({"outcomes": 3, "epsilon": 1})")(), MOLLIFY_INVALID_INPUT);
  EXPECT_STREQ(mollify_last_error(),
               "a sampler has no key \"outcomes\"; it has mechanism, k, epsilon, mu, reference, "
               "channel, c1, c2, gamma, location (did you mean \"k\"?)");
  EXPECT_EQ(json::parse(mollify_last_error_facts())["ways_out"],
            json::parse(R"([{"action": "leave", "part": "outcomes", "value": ""},
                            {"action": "set", "part": "k", "value": ""}])"));
}

TEST_F(CRefusals, SayHowToDeclareATotalWithoutTheCommand) {
  EXPECT_EQ(released(spec("/unit", "who"), ledger_.c_str(), "places")(), MOLLIFY_INVALID_INPUT);
  EXPECT_EQ(json::parse(mollify_last_error_facts())["ways_out"],
            json::parse(R"([{"action": "run", "part": "declare", "value": ""}])"));
  ASSERT_EQ(mollify_declare(ledger_.c_str(), "places", R"({"epsilon": 8, "scope": "unit=who"})"),
            MOLLIFY_OK);
  const auto release = released(spec("/unit", "who"), ledger_.c_str(), "places");
  EXPECT_EQ(release(), MOLLIFY_OK) << mollify_last_error();
  EXPECT_EQ(mollify_declare(ledger_.c_str(), "places", R"({"epsilon": 8.5, "replace": true})"),
            MOLLIFY_OK)
      << mollify_last_error();
  EXPECT_EQ(mollify_declare(ledger_.c_str(), "rows", R"({"rho": 0.5})"), MOLLIFY_OK)
      << mollify_last_error();
}

}  // namespace
}  // namespace mollify
