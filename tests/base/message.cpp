#include "base/message.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/speech.h"
#include "core/ranges.h"

namespace mollify {
namespace {

Message noise() {
  return {.code = "mostly-noise",
          .verdict = "the release is mostly noise",
          .reason = "its error is 0.7",
          .remedy = {.ways_out = {{WayOut::Action::kHave, "outcomes", "13"},
                                  {WayOut::Action::kSet, "epsilon", "6.27"}},
                     .others = {"for many rows use another method"}},
          .severity = Severity::kNoise};
}

TEST(Message, IsOneSentenceForPeople) {
  EXPECT_EQ(
      noise().text(),
      "the release is mostly noise: its error is 0.7; 13 outcomes or --epsilon 6.27 would do; "
      "for many rows use another method");
  EXPECT_EQ(noise().brief(),
            "WARNING: the release is mostly noise; 13 outcomes or --epsilon 6.27 would do");
  EXPECT_EQ(noise().shown(), "WARNING: " + noise().text() + " [mostly-noise]");
  const Message bare{.code = "large-error", .verdict = "it is large"};
  EXPECT_EQ(bare.text(), "it is large");
  EXPECT_EQ(bare.brief(), "WARNING: it is large");
  const Message with_clause{
      .code = "large-error", .verdict = "it is large", .clauses = {"more records lessen it"}};
  EXPECT_EQ(with_clause.brief(), "WARNING: it is large; more records lessen it");
}

TEST(Message, IsFieldsForPrograms) {
  const Json json = noise().json();
  EXPECT_EQ(json["code"], "mostly-noise");
  EXPECT_EQ(json["severity"], "noise");
  EXPECT_EQ(json["text"], noise().text());
  ASSERT_EQ(json["ways_out"].size(), 2U);
  EXPECT_EQ(json["ways_out"][0], (Json{{"action", "have"}, {"part", "outcomes"}, {"value", "13"}}));
  EXPECT_EQ(json["ways_out"][1], (Json{{"action", "set"}, {"part", "epsilon"}, {"value", "6.27"}}));
}

TEST(Message, ListsTheWaysOutThatItsWordsTell) {
  Message told = noise();
  told.remedy.told = {WayOut::use("marginals")};
  EXPECT_EQ(told.text(), noise().text()) << "the clauses name it already";
  ASSERT_EQ(told.json()["ways_out"].size(), 3U);
  EXPECT_EQ(told.json()["ways_out"][2]["part"], "marginals");
}

TEST(Message, OfARefusalIsFieldsToo) {
  const InvalidInput bare("internal-error", "none");
  for (const char* part : {"parameter", "column", "file", "line"}) {
    EXPECT_TRUE(json_of(bare)[part].is_null()) << part;
  }
  EXPECT_TRUE(json_of(bare)["ways_out"].empty());
  const InvalidInput full("outside-domain", "a.csv line 3", Concern::in_file("a.csv", 3, "age"),
                          {WayOut::declare("outside", "clip")});
  const Json json = json_of(full);
  EXPECT_EQ(json["code"], "outside-domain");
  EXPECT_EQ(json["text"], "a.csv line 3");
  EXPECT_EQ(json["column"], "age");
  EXPECT_EQ(json["file"], "a.csv");
  EXPECT_EQ(json["line"], 3);
  EXPECT_EQ(json["ways_out"][0],
            (Json{{"action", "declare"}, {"part", "outside"}, {"value", "clip"}}));
}

TEST(Message, OfARefusalHasItsQuantities) {
  try {
    require_between({"the number of outcomes", "k", "outcomes"}, 0, 1, 9);
    ADD_FAILURE();
  } catch (const InvalidInput& refused) {
    EXPECT_EQ(json_of(refused)["quantities"],
              Json::parse(R"([{"name": "given", "value": 0, "unit": "outcomes"},
                              {"name": "least", "value": 1, "unit": "outcomes"},
                              {"name": "most", "value": 9, "unit": "outcomes"}])"));
  }
  const InvalidInput half("out-of-range", "", {}, {}, {{"given", 0.5}});
  EXPECT_EQ(json_of(half)["quantities"][0]["value"], 0.5);
  EXPECT_TRUE(json_of(half)["quantities"][0]["unit"].is_null());
}

TEST(Why, KeepsTheFactsOfARefusal) {
  Json json = Json::object();
  Why("a sentence").put(json, "why");
  EXPECT_EQ(json, (Json{{"why", "a sentence"}}));
  Why(InvalidInput("delta-too-large", "delta is 1", "delta")).put(json, "refusal");
  EXPECT_EQ(json["refusal"], "delta is 1");
  EXPECT_EQ(json["code"], "delta-too-large");
  EXPECT_EQ(json["parameter"], "delta");
}

TEST(Message, HasItsNumbersInJson) {
  Message few = noise();
  few.quantities = {{"given", 9, "units"}, {"error", 0.25}};
  EXPECT_EQ(few.json()["quantities"],
            Json::parse(R"([{"name": "given", "value": 9, "unit": "units"},
                            {"name": "error", "value": 0.25, "unit": null}])"));
  EXPECT_TRUE(noise().json()["quantities"].empty());
}

TEST(Message, IsSaidOnce) {
  std::vector<Message> said;
  add_messages(said, {noise(), noise()});
  EXPECT_EQ(said.size(), 1U);
  Message other = noise();
  other.reason = "its error is 0.8";
  add_message(said, other);
  EXPECT_EQ(said.size(), 2U) << "other quantities";
}

TEST(Message, QuotesWhatUsersDataSayAndTouchesNothing) {
  const Message named{.code = "undeclared-values", .verdict = "column \"a: b; c --d\" is open"};
  for (const Speech speech : {Speech::kCommand, Speech::kPython, Speech::kSpec}) {
    const Speaking now(speech);
    EXPECT_EQ(named.text(), named.verdict);
    EXPECT_EQ(named.brief(), "WARNING: " + named.verdict);
  }
}

}  // namespace
}  // namespace mollify
