#include "base/speech.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/ranges.h"
#include "refusal.h"

namespace mollify {
namespace {

TEST(Speech, WritesEachTokenInTheWordsOfTheInterface) {
  const std::array<std::string_view, 2> methods = {"local", "gaussian-model"};
  const auto all = [&] {
    return std::vector<std::string>{flag_words("candidates-file"),
                                    setting_words("epsilon", "6.27"),
                                    added_words("accept-error"),
                                    method_words("gaussian-model"),
                                    method_words("marginals", "copula"),
                                    bare_method_words("local"),
                                    bare_method_words("marginals", "copula"),
                                    methods_words(methods),
                                    command_words("check"),
                                    command_words("verify"),
                                    line_words(5, true)};
  };
  EXPECT_EQ(all(),
            (std::vector<std::string>{"--candidates-file", "--epsilon 6.27", "--accept-error",
                                      "method gaussian-model", "method marginals --copula", "local",
                                      "marginals --copula", "methods local and gaussian-model",
                                      "mollify check", "mollify verify", "line 5"}));
  const Speaking python(Speech::kPython);
  EXPECT_EQ(all(),
            (std::vector<std::string>{"candidates_file", "epsilon=6.27", "accept_error=True",
                                      "mo.GaussianModel", "mo.Marginals(copula=True)", "mo.Local",
                                      "mo.Marginals(copula=True)", "mo.Local and mo.GaussianModel",
                                      "method.check", "mo.verify", "row 3, counted from 0,"}));
  const Speaking spec(Speech::kSpec);
  EXPECT_EQ(all(),
            (std::vector<std::string>{
                "candidates_file", "epsilon 6.27", "accept_error true", "method gaussian-model",
                "method marginals copula true", "local", "marginals copula true",
                "methods local and gaussian-model", "check()", "verify()", "line 5"}));
  const Speaking rows(Speech::kPython);
  EXPECT_EQ(line_words(5, false), "line 5") << "of a file";
  EXPECT_EQ(line_words(1, true), "line 1") << "the header is no row";
}

TEST(Speech, NamesPartsOfASpecByTheirPlaces) {
  speak_of({{"units", "roster"}, {"epsilon", "privacy/epsilon"}});
  const auto all = [] {
    return std::vector<std::string>{flag_words("units"),
                                    setting_words("epsilon", "2"),
                                    parameter_name_of("units"),
                                    words_of(Called("units")),
                                    words_of(Called("the roster", "units")),
                                    flag_words("/units")};
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(all(), (Names{"--units", "--epsilon 2", "units", "units", "the roster", "units"}));
  {
    const Speaking spec(Speech::kSpec);
    EXPECT_EQ(all(),
              (Names{"roster", "privacy/epsilon 2", "roster", "roster", "the roster", "units"}));
    speak_of({});
    EXPECT_EQ(flag_words("units"), "units");
  }
  const Speaking python(Speech::kPython);
  EXPECT_EQ(all(), (Names{"units", "epsilon=2", "units", "units", "the roster", "units"}));
}

// The command with a spec's file: what the spec cannot hold is a flag still.
TEST(Speech, NamesPlacesOfAFileAndFlagsOfAllElse) {
  const Speaking file(Speech::kFile);
  speak_of({{"epsilon", "privacy/epsilon"}, {"accept-error", "accept_error"}});
  EXPECT_EQ(flag_words("epsilon"), "privacy/epsilon");
  EXPECT_EQ(parameter_name_of("epsilon"), "privacy/epsilon");
  EXPECT_EQ(setting_words("epsilon", "2"), "privacy/epsilon 2");
  EXPECT_EQ(added_words("accept-error"), "accept_error true");
  EXPECT_EQ(action_name(WayOut::add("accept-error")), "set");
  EXPECT_EQ(value_name(WayOut::add("accept-error")), "true");
  EXPECT_EQ(flag_words("data-set"), "--data-set");
  EXPECT_EQ(parameter_name_of("data-set"), "data-set");
  EXPECT_EQ(added_words("no-total"), "--no-total");
  EXPECT_EQ(action_name(WayOut::add("no-total")), "add");
  EXPECT_EQ(command_words("check"), "mollify check");
  speak_of({});
}

TEST(Speech, IsOfOneThreadWhileAnotherOneSpeaks) {
  {
    const Speaking python(Speech::kPython);
    EXPECT_EQ(flag_words("n-n"), "n_n");
    {
      const Speaking command(Speech::kCommand);
      EXPECT_EQ(flag_words("n-n"), "--n-n");
    }
    EXPECT_EQ(flag_words("n-n"), "n_n");
  }
  EXPECT_EQ(flag_words("n-n"), "--n-n");
}

TEST(Speech, IsChosenForTheWholeProgram) {
  speak(Speech::kPython);
  EXPECT_EQ(flag_words("candidates-file"), "candidates_file");
  EXPECT_EQ(command_words("law"), "mo.nonprivate.law");
  EXPECT_EQ(words_of_speech("a", "b"), "b");
  EXPECT_EQ(words_of_speech("a", "b", "c"), "b");
  speak(Speech::kCommand);
  EXPECT_EQ(flag_words("candidates-file"), "--candidates-file");
  EXPECT_EQ(words_of_speech("a", "b"), "a");
  const Speaking spec(Speech::kSpec);
  EXPECT_EQ(words_of_speech("a", "b"), "a");
  EXPECT_EQ(words_of_speech("a", "b", "c"), "c");
  EXPECT_EQ(command_words("ledger --declare"), "declare()");
  EXPECT_EQ(command_words("sample"), "release()");
}

TEST(Speech, ListsWaysOut) {
  using enum WayOut::Action;
  const std::vector<WayOut> ways = {{kHave, "records", "2000"}, {kSet, "epsilon", "6.27"},
                                    {kAdd, "accept-error"},     {kLeave, "unit"},
                                    {kUse, "marginals"},        {kRun, "check"}};
  EXPECT_EQ(words_of(ways),
            "2000 records, --epsilon 6.27, --accept-error, leaving out --unit, method marginals or "
            "mollify check");
  EXPECT_EQ(words_of(std::vector<WayOut>()), "");
  EXPECT_EQ(words_of(WayOut::set("domain")), "--domain") << "to a value of the caller's choice";
}

TEST(Speech, NamesWaysOutForPrograms) {
  const auto names = [](const WayOut& way) {
    return std::vector<std::string>{std::string(action_name(way)), part_name(way),
                                    std::string(value_name(way))};
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(WayOut::add("accept-error")), (Names{"add", "accept-error", ""}));
  EXPECT_EQ(names(WayOut::use("marginals")), (Names{"use", "marginals", ""}));
  EXPECT_EQ(names(WayOut::run("check")), (Names{"run", "check", ""}));
  EXPECT_EQ(parameter_name_of("mean-bound"), "mean-bound");
  EXPECT_EQ(names(WayOut::declare("null", "category")), (Names{"declare", "null", "category"}));
  {
    const Speaking spec(Speech::kSpec);
    EXPECT_EQ(names(WayOut::add("accept-error")), (Names{"set", "accept_error", "true"}));
    EXPECT_EQ(names(WayOut::use("marginals")), (Names{"use", "marginals", ""}));
    EXPECT_EQ(names(WayOut::run("ledger --declare")), (Names{"run", "declare", ""}));
    EXPECT_EQ(parameter_name_of("mean-bound"), "mean_bound");
  }
  const Speaking python(Speech::kPython);
  EXPECT_EQ(names(WayOut::add("accept-error")), (Names{"set", "accept_error", "True"}));
  EXPECT_EQ(names(WayOut::set("epsilon", "2")), (Names{"set", "epsilon", "2"}));
  EXPECT_EQ(names(WayOut::leave("mean-bound")), (Names{"leave", "mean_bound", ""}));
  EXPECT_EQ(names(WayOut::have("records", "9")), (Names{"have", "records", "9"}));
  EXPECT_EQ(names(WayOut::use("marginals")), (Names{"use", "mo.Marginals", ""}));
  EXPECT_EQ(names(WayOut::run("check")), (Names{"run", "method.check", ""}));
  EXPECT_EQ(parameter_name_of("mean-bound"), "mean_bound");
}

TEST(Speech, QuotesTextsInPythonAlone) {
  EXPECT_EQ(setting_words("mechanism", "randomized-response"), "--mechanism randomized-response");
  const Speaking python(Speech::kPython);
  EXPECT_EQ(setting_words("mechanism", "randomized-response"), "mechanism=\"randomized-response\"");
  EXPECT_EQ(setting_words("epsilon", "6.27"), "epsilon=6.27");
  EXPECT_EQ(setting_words("delta", "1e-06"), "delta=1e-06");
  EXPECT_EQ(added_words("best"), "best=True");
  EXPECT_EQ(command_words("ledger --declare"), "Ledger.declare");
}

TEST(Refusal, SaysMoreOfItsConcernInALongerSentence) {
  const InvalidInput inner("wrong-type", "min must be a number", "min");
  const InvalidInput outer(inner, "d.yaml line 2: min must be a number",
                           Concern::in_file("d.yaml", 2));
  EXPECT_EQ(outer.parameter(), "min");
  EXPECT_EQ(outer.file(), "d.yaml");
  EXPECT_EQ(outer.line(), 2U);
  EXPECT_EQ(inner.file(), "");
}

TEST(Refusal, OfAValueIsMendedByAnotherOneUnlessMoreIsKnown) {
  const InvalidInput bare("out-of-range", "epsilon must be positive", "epsilon");
  EXPECT_EQ(bare.ways_out(), (std::vector{WayOut::set("epsilon")}));
  const InvalidInput better("unknown-name", "mechanism must be", "mechanism",
                            {WayOut::use("central")});
  EXPECT_EQ(better.ways_out(), (std::vector{WayOut::use("central")}));
  EXPECT_TRUE(InvalidInput("out-of-range", "no parameter").ways_out().empty());
  EXPECT_TRUE(InvalidInput("budget-exceeded", "spent", "data-set").ways_out().empty());
}

TEST(Refusal, CarriesItsFactsBesideItsSentence) {
  const InvalidInput refusal("delta-too-large", "delta is 1", "delta",
                             {{WayOut::Action::kAdd, "accept-large-delta"}});
  EXPECT_STREQ(refusal.what(), "delta is 1");
  EXPECT_EQ(refusal.code().name, "delta-too-large");
  EXPECT_EQ(refusal.parameter(), "delta");
  ASSERT_EQ(refusal.ways_out().size(), 1U);
  const InvalidInput longer(refusal, "in the spec: delta is 1");
  EXPECT_STREQ(longer.what(), "in the spec: delta is 1");
  EXPECT_EQ(longer.code(), refusal.code());
  EXPECT_EQ(longer.parameter(), "delta");
  try {
    refuse_missing("count", "how many records\nand more");
  } catch (const InvalidInput& missing) {
    EXPECT_STREQ(missing.what(), "--count is missing: how many records");
    EXPECT_EQ(missing.code().name, "missing-parameter");
    EXPECT_EQ(missing.parameter(), "count");
  }
}

}  // namespace
}  // namespace mollify
