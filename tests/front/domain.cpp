#include "mollify/domain.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/column.h"
#include "formats/domain_yaml.h"
#include "formats/scratch.h"
#include "refusal.h"

namespace mollify::front {

namespace inside = ::mollify;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kYaml =
    "seed: 7\n"
    "columns:\n"
    "  region: {type: categorical, values: [north, south], null: south}\n"
    "  insured: {type: boolean, values: [\"no\", \"yes\"], null: \"no\"}\n"
    "  age: {type: integer, min: 0, max: 110, bins: 11, outside: 40, null: 40}\n"
    "  income: {type: number, min: 0, max: 2e5, bins: 20, null: category}\n"
    "  grade: {type: ordinal, values: [low, high], null: low}\n"
    "  rooms: {type: integer, edges: [0, 1, 9], null: 0}\n"
    "  rent: {type: number, edges: [0, 10, 1000], spikes: [0], null: 0}\n"
    "  cost: {type: number, min: 0, max: 10, bins: 2, spikes: [0], null: 0}\n"
    "  visit: {type: date, min: 2026-01-01, max: 2026-12-31, bins: quarter, null: 2026-01-01}\n"
    "  login: {type: datetime, min: 2026-01-01, max: 2026-01-02, bins: 2, zone: \"+01:00\", null: "
    "2026-01-01}\n";

Domain made_in_a_program() {
  return Domain::make(
      {Column::declare(
           "region", {{"type", "categorical"}, {"values", {"north", "south"}}, {"null", "south"}}),
       Column::declare("insured", {{"type", "boolean"}, {"values", {"no", "yes"}}, {"null", "no"}}),
       Column::declare("age", {{"type", "integer"},
                               {"min", 0},
                               {"max", 110},
                               {"bins", 11},
                               {"outside", 40},
                               {"null", 40}}),
       Column::declare(
           "income",
           {{"type", "number"}, {"min", 0}, {"max", 2e5}, {"bins", 20}, {"null", "category"}}),
       Column::declare("grade", {{"type", "ordinal"},
                                 {"values", std::vector<std::string>{"low", "high"}},
                                 {"null", "low"}}),
       Column::declare("rooms", {{"type", "integer"}, {"edges", {0, 1, 9}}, {"null", 0}}),
       Column::declare(
           "rent",
           {{"type", "number"}, {"edges", {0.0, 10, 1000}}, {"spikes", {0}}, {"null", 0.0}}),
       Column::declare("cost", {{"type", "number"},
                                {"min", 0},
                                {"max", 10.0},
                                {"bins", 2},
                                {"spikes", {0}},
                                {"null", 0}}),
       Column::declare("visit", {{"type", "date"},
                                 {"min", "2026-01-01"},
                                 {"max", "2026-12-31"},
                                 {"bins", "quarter"},
                                 {"null", "2026-01-01"}}),
       Column::declare("login", {{"type", "datetime"},
                                 {"min", "2026-01-01"},
                                 {"max", "2026-01-02"},
                                 {"bins", 2},
                                 {"zone", "+01:00"},
                                 {"null", "2026-01-01"}})},
      7);
}

constexpr std::uint32_t kRecords = 2 * 2 * 11 * 21 * 2 * 2 * 3 * 3 * 4 * 2;

TEST(FrontDomain, OfAFileAndOfAProgramAreTheSame) {
  const inside::test::Scratch scratch;
  const auto read = Domain::read(scratch.write("domain.yaml", kYaml));
  EXPECT_EQ(read, made_in_a_program());
  EXPECT_EQ(read, Domain::parse(read.yaml()));
  EXPECT_EQ(read.hash(), made_in_a_program().hash());
  EXPECT_EQ(read.hash(), inside::parse_domain(kYaml, "domain.yaml").hash());
  EXPECT_NE(read,
            Domain::make({Column::declare("insured", {{"type", "boolean"}, {"null", "false"}})}));
}

TEST(FrontDomain, TellsItsShape) {
  const auto domain = made_in_a_program();
  EXPECT_THAT(domain.column_names(), ElementsAre("region", "insured", "age", "income", "grade",
                                                 "rooms", "rent", "cost", "visit", "login"));
  EXPECT_EQ(domain.outcome_count(), kRecords);
  EXPECT_TRUE(domain.is_enumerable());
  const auto income = Column::declare(
      "income", {{"type", "number"}, {"min", 0}, {"max", 2e5}, {"bins", 20}, {"null", "category"}});
  EXPECT_EQ(income.name(), "income");
  EXPECT_EQ(income.size(), 21U);
}

TEST(FrontDomain, IsToldToPrograms) {
  const auto domain = Domain::make(
      {Column::declare("b", {{"type", "boolean"}, {"null", "false"}}),
       Column::declare("a", {{"type", "categorical"},
                             {"values", {"clip", "category"}},
                             {"null", Setting::value("category")}}),
       Column::declare(
           "c", {{"type", "integer"}, {"min", 0}, {"max", 9}, {"bins", 2}, {"null", "category"}}),
       Column::declare("d", {{"type", "boolean"},
                             {"values", {"n", "y"}},
                             {"null", "category"},
                             {"outside", nullptr}})},
      7);
  EXPECT_EQ(domain.json(),
            R"({"seed":7,"columns":[{"name":"b","type":"boolean","null":"false"},)"
            R"({"name":"a","type":"categorical","values":["clip","category"],)"
            R"("null":{"value":"category"}},)"
            R"({"name":"c","type":"integer","min":0,"max":9,"bins":2,"null":"category"},)"
            R"({"name":"d","type":"boolean","values":["n","y"],"null":"category",)"
            R"("outside":null}]})");
}

TEST(FrontDomain, EveryOutcomeIsWrittenAsARecordOfIt) {
  const auto domain = made_in_a_program();
  for (std::uint32_t outcome = 0; outcome < kRecords; outcome += 7) {
    const std::vector<std::string> fields = domain.decode(outcome);
    const std::vector<std::string_view> views(fields.begin(), fields.end());
    ASSERT_EQ(domain.encode(views), outcome);
  }
}

TEST(FrontDomain, MapsWhatIsNoneOfItsValues) {
  const auto domain = made_in_a_program();
  const std::array<std::string_view, 10> strange = {"",    "maybe", "thirty", "1e9",        "best",
                                                    "9.4", "-1",    "free",   "2031-01-01", "noon"};
  const std::array<std::string_view, 10> mapped = {
      "south", "no", "40", "200000", "low", "9", "0", "0", "2026-12-31", "2026-01-01T00:00:00"};
  EXPECT_EQ(domain.encode(strange), domain.encode(mapped));
}

TEST(FrontDomain, RefusesInOneSentence) {
  EXPECT_EQ(test::refusal_of([] { (void)Domain::make({}); }),
            test::refusal_of([] { (void)inside::Domain::make({}); }));
  EXPECT_THAT(test::refusal_of([] { (void)Domain::parse("columns: 3", "F"); }), HasSubstr("F"));
  EXPECT_EQ(test::refusal_of([] { (void)made_in_a_program().decode(kRecords); }),
            "an outcome must be below 266112, but is 266112");
  EXPECT_EQ(
      test::refusal_of([] {
        (void)Column::declare("d", {{"type", "integer"}, {"min", 0}, {"max", 1.5}, {"null", 0}});
      }),
      "column \"d\": max must be an integer of 64 bits, but is \"1.5\"");
  const auto large = Domain::make(
      {Column::declare("x", {{"type", "number"}, {"min", 0}, {"max", 1}, {"null", 0}}),
       Column::declare("y", {{"type", "number"}, {"min", 0}, {"max", 1}, {"null", 0}})});
  EXPECT_FALSE(large.is_enumerable());
  EXPECT_THAT(test::refusal_of([&] { (void)large.encode({}); }), HasSubstr("an outcome"));
  EXPECT_THAT(test::refusal_of([&] { (void)large.decode(0); }), HasSubstr("an outcome"));
}

}  // namespace
}  // namespace mollify::front
