// Rules in R are read back as rules that the same records break.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/rules.h"

namespace mollify {
namespace {

std::vector<Column> columns_for_r() {
  Mapping coded;
  coded.missing = {{"-9", "refused"}, {"-8", "does not apply"}};
  const auto day = [](const std::string& name) {
    DateCells::Declaration declared{.min = "2020-02-27", .max = "2020-03-02"};
    return Column::make(name, DateCells::make(declared), {});
  };
  return {Column::make("a", IntegerCells::make(0, 5, {}), {}),
          Column::make("b", IntegerCells::make(0, 5, {}), coded),
          Column::make("of day", Categories::make({"x", "y \"q\"", "z"}, true), {}),
          Column::make("yes", BooleanWords::make(), {}),
          day("d"),
          day("e")};
}

std::vector<std::string> in_r(const std::string& text) {
  const std::vector<Column> columns = columns_for_r();
  return rule_in_r(read_rule({.text = text}, columns), columns);
}

TEST(RulesInR, SayWhatTheyMean) {
  const auto said = [](const std::string& text) { return in_r(text).at(0); };
  EXPECT_EQ(said("if a < 3 then yes and a is not null"), "a >= 3 | (yes == TRUE & !is.na(a))");
  EXPECT_EQ(said("not (a in [1, 2])"), "!(a %in% c(1, 2))");
  EXPECT_EQ(said("`of day` < z or a == 1"), R"(`of day` %in% c("x", 'y "q"') | a == 1)");
  EXPECT_EQ(said("d >= e + 1 day"), "d >= e + 1");
  EXPECT_EQ(said("if d > 2020-02-28 then a == 1"), "d <= as.Date(\"2020-02-28\") | a == 1");
}

TEST(RulesInR, TakeMissingCodesForUnknown) {
  EXPECT_EQ(in_r("a <= b").at(0), "b %in% c(-9, -8) | a <= b");
  EXPECT_EQ(in_r("a < b - -2").at(0), "b %in% c(-9, -8) | a < b + 2");
  EXPECT_EQ(in_r("b in [-9, 3]").at(0), "b %in% c(-9, 3, -8)");
  EXPECT_EQ(in_r("b != -9").at(0), "b != -9");
}

TEST(RulesInR, AreWrittenAgainAsTheyWereRead) {
  Mapping coded;
  coded.missing = {{"-9", "refused"}};
  std::vector<Column> columns = columns_for_r();
  columns.push_back(Column::make("c", IntegerCells::make(0, 5, {}), coded));
  for (const char* const text :
       {"a <= b", "if c < 3 then yes", "if b > 2 and c != 1 then a is null",
        "not (b <= c and (a == 1 or c > 3))"}) {
    const std::string once = rule_in_r(read_rule({.text = text}, columns), columns).at(0);
    EXPECT_EQ(rule_in_r(read_rule({.text = once}, columns), columns).at(0), once);
  }
}

TEST(RulesInR, SayNothingOfMonthsAndTimes) {
  EXPECT_TRUE(in_r("d >= e + 1 month").empty());
  DateCells::Declaration times{
      .grain = Grain::kSecond, .min = "2020-01-01", .max = "2020-01-02", .bins = 4};
  const std::vector<Column> columns = {Column::make("t", DateCells::make(times), {}),
                                       Column::make("u", DateCells::make(times), {})};
  EXPECT_TRUE(rule_in_r(read_rule({.text = "t <= u"}, columns), columns).empty());
  EXPECT_TRUE(rule_in_r(read_rule({.text = "t > 2020-01-01"}, columns), columns).empty());
  EXPECT_EQ(rule_in_r(read_rule({.text = "t is null"}, columns), columns).at(0), "is.na(t)");
}

TEST(RulesInR, WriteAMapOncePerValue) {
  const std::vector<Column> columns = {
      Column::make("city", Categories::make({"Lyon", "Metz", "Nice"}, false), {}),
      Column::make("region", Categories::make({"south", "east"}, false), {})};
  const RuleDeclaration map{.column = "region",
                            .from = "city",
                            .map = {{"Lyon", "south"}, {"Metz", ""}, {"Nice", "south"}}};
  EXPECT_EQ(rule_in_r(read_rule(map, columns), columns),
            (std::vector<std::string>{
                "if (city %in% c(\"Lyon\", \"Nice\")) !is.na(region) & region == \"south\"",
                "if (city == \"Metz\") is.na(region)", "if (is.na(city)) is.na(region)"}));
}

/// Whether all of them keep the record of these digits, whose cells have one value each.
bool all_keep(const std::vector<DomainRule>& rules, const std::vector<Column>& columns,
              const std::vector<std::uint32_t>& digits) {
  std::vector<FieldValue> record;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    record.push_back(field_value(columns[i], columns[i].value(digits[i], 0)));
  }
  return std::all_of(rules.begin(), rules.end(), [&](const DomainRule& rule) {
    return truth_of(rule, columns, record) != Truth::kFalse;
  });
}

TEST(RulesInR, AreReadBackAsRulesThatTheSameRecordsBreak) {
  const std::vector<Column> columns = columns_for_r();
  std::mt19937_64 random(20261130);
  const auto one_of = [&](const std::vector<std::string>& list) {
    return list[random() % list.size()];
  };
  const auto order = [&] { return one_of({"<", "<=", ">", ">=", "==", "!="}); };
  const auto atom = [&]() -> std::string {
    switch (random() % 9) {
      case 0:
        return one_of({"a", "b", "d", "yes", "`of day`"}) + one_of({" is null", " is not null"});
      case 1:
        return "`of day` " + order() + " " + one_of({"x", "'y \"q\"'", "z"});
      case 2:
        return "b " + one_of({"in", "not in"}) + " [" + one_of({"-9", "-8", "0"}) + ", " +
               one_of({"1", "2"}) + "]";
      case 3:
        return "b " + one_of({"==", "!="}) + " " + one_of({"-9", "-8", "3"});
      case 4:
        return one_of({"a", "b"}) + " " + order() + " " + one_of({"1", "2", "4"});
      case 5:
        return "a " + order() + " b + " + one_of({"0", "2"});
      case 6:
        return "d " + order() + " e - " + one_of({"1 day", "2 days"});
      case 7:
        return "d " + order() + " " + one_of({"2020-02-29", "2020-02-28"});
      default:
        return one_of({"yes", "not yes"});
    }
  };
  std::vector<std::uint32_t> digits(columns.size());
  std::size_t broken = 0, kept = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string text = one_of({"if ", ""}) + "(" + atom() + " " + one_of({"and", "or"}) +
                             " not (" + atom() + " or " + atom() + "))";
    const std::string whole = text.starts_with("if") ? text + " then " + atom() : text;
    SCOPED_TRACE(whole);
    const std::vector<DomainRule> rules = {read_rule({.text = whole}, columns)};
    std::vector<DomainRule> again;
    for (const std::string& expression : rule_in_r(rules.front(), columns)) {
      again.push_back(read_rule({.text = expression}, columns));
    }
    ASSERT_EQ(again.size(), 1U);
    for (int row = 0; row < 200; ++row) {
      for (std::size_t c = 0; c < columns.size(); ++c)
        digits[c] = static_cast<std::uint32_t>(random() % columns[c].size());
      const bool keeps = all_keep(rules, columns, digits);
      ASSERT_EQ(all_keep(again, columns, digits), keeps) << again.front().declared.text;
      ++(keeps ? kept : broken);
    }
  }
  EXPECT_GT(broken, 5000U);
  EXPECT_GT(kept, 5000U);
}

}  // namespace
}  // namespace mollify
