#include "methods/answers/asked_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measured_rows.h"
#include "refusal.h"

namespace mollify {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Domain asked_domain() {
  return parse_domain(
      "columns:\n"
      "  region: {type: categorical, values: [north, south, west], null: category}\n"
      "  age: {type: integer, min: 0, max: 9, null: category}\n"
      "  cost: {type: number, edges: [0, 10, 100], null: \"0\"}\n"
      "  plan: {type: categorical, values: [a, b, c, d], null: a}\n"
      "  share: {type: integer, min: 0, max: 50, null: \"0\"}\n"
      "rules:\n"
      "  - {column: share, follows: plan, map: {a: 0, b: 50, c: 50, d: 10}}\n",
      "");
}

std::vector<std::string> words_of_groups(const AskedValues& asked) {
  std::vector<std::string> words;
  for (const AskedValues::Group& group : asked.groups) words.push_back(group.words);
  return words;
}

TEST(AskedValues, AreEachValueOrBin) {
  const Domain domain = asked_domain();
  const AskedValues region = asked_values(domain, "region");
  EXPECT_THAT(words_of_groups(region), ElementsAre("north", "south", "west", "null"));
  EXPECT_FALSE(region.has_numbers);
  EXPECT_TRUE(region.groups[3].is_null && !region.groups[0].is_null);
  const AskedValues cost = asked_values(domain, "cost");
  ASSERT_EQ(cost.groups.size(), 2U);
  EXPECT_EQ(cost.groups[1].range.low, 10);
  EXPECT_EQ(cost.groups[1].range.middle, 55);
  EXPECT_EQ(cost.groups[1].range.high, 100);
}

/// A column that follows has the groups of the values that it follows from.
TEST(AskedValues, OfAColumnThatFollowsAreGroupsOfItsSource) {
  const Domain domain = asked_domain();
  const AskedValues share = asked_values(domain, "share");
  EXPECT_EQ(share.cells.column, 3U);
  EXPECT_THAT(share.cells.groups.of, ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(words_of_groups(share), ElementsAre("0", "50", "10"));
  EXPECT_EQ(share.groups[1].range.middle, 50);
  EXPECT_EQ(group_of(domain, share, "10"), 2U);
  EXPECT_THAT(test::refusal_of([&] { static_cast<void>(group_of(domain, share, "7")); }),
              HasSubstr("follows from another column, and is never \"7\""));
}

TEST(AskedValues, OfOtherNamesAreRefused) {
  const Domain domain = asked_domain();
  EXPECT_THAT(test::refusal_of([&] { static_cast<void>(asked_values(domain, "regin")); }),
              HasSubstr("region"));
  const AskedValues region = asked_values(domain, "region");
  EXPECT_EQ(group_of(domain, region, "west"), 2U);
  EXPECT_EQ(group_of(domain, region, "null"), 3U);
  EXPECT_THAT(test::refusal_of([&] { static_cast<void>(group_of(domain, region, "east")); }),
              HasSubstr("east"));
}

/// Single counts of regions, with a deviation of 5.
Measurements regions(double north, double south, double west, double null) {
  return {.noise = "none",
          .records = 1000,
          .tables = {{{0}, {test::each_cell(4)}, {north, south, west, null}, 25, 1}}};
}

TEST(PutTogether, AValueWithFewOthersStands) {
  const AskedValues region = asked_values(asked_domain(), "region");
  const CellGroups groups{{0, 1, 1, 1}, 2};
  const AskedValues made = put_together(regions(600, 390, 7, 3), region, groups);
  EXPECT_THAT(words_of_groups(made), ElementsAre("north", "south"));
  EXPECT_EQ(made.groups[1].with, "west, null");
  // Two counts of one total: their noise is 5 sqrt(2), less what the total takes.
  EXPECT_NEAR(made.groups[1].others, 10 + 1.96 * 5 * std::sqrt(2 * (1 - .5)), .01);
  EXPECT_EQ(made.groups[0].others, 0);
  EXPECT_THAT(made.together(), ElementsAre("region: south, with few that are west, null"));
  EXPECT_EQ(group_for(made, region, 1), 1U);
  EXPECT_THAT(test::refusal_of([&] { static_cast<void>(group_for(made, region, 2)); }),
              HasSubstr("\"west\" of \"region\" was counted together with other values: south"));
}

TEST(PutTogether, FrequentOthersAreNamed) {
  const AskedValues region = asked_values(asked_domain(), "region");
  const AskedValues made =
      put_together(regions(600, 200, 150, 50), region, CellGroups{{0, 1, 1, 1}, 2});
  EXPECT_THAT(words_of_groups(made), ElementsAre("north", "south, west, null"));
  EXPECT_EQ(made.groups[1].others, 0);
  EXPECT_FALSE(made.groups[1].is_null);
  EXPECT_THAT(test::refusal_of([&] { static_cast<void>(group_for(made, region, 1)); }),
              HasSubstr("counted together"));
  // Without counts of each value nothing is known to be rare.
  const Measurements none{.noise = "none"};
  EXPECT_EQ(put_together(none, region, CellGroups{{0, 1, 1, 1}, 2}).groups[1].words,
            "south, west, null");
}

TEST(PutTogether, NumbersAreRunsAndNullsAreCountedApart) {
  const AskedValues age = asked_values(asked_domain(), "age");
  CellGroups groups{{0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}, 3};  // the last cell is null
  Measurements measurements{.noise = "none",
                            .records = 1000,
                            .tables = {{{1},
                                        {test::each_cell(11)},
                                        {100, 100, 100, 100, 100, 100, 100, 100, 100, 98, 2},
                                        1e-6,
                                        1}}};
  const AskedValues few = put_together(measurements, age, groups);
  EXPECT_THAT(words_of_groups(few), ElementsAre("0 to 2", "3 to 6", "7 to 9"));
  EXPECT_NEAR(few.groups[2].others, 2, .01);
  EXPECT_EQ(few.groups[2].with, "null");
  EXPECT_EQ(few.groups[1].range.low, 3);
  EXPECT_EQ(few.groups[1].range.high, 6);
  EXPECT_NEAR(few.groups[1].range.middle, 4.5, 1e-3);
  measurements.tables[0].counts = {100, 100, 100, 100, 100, 100, 100, 1, 0, 1, 298};
  const AskedValues nulls = put_together(measurements, age, groups);
  EXPECT_EQ(nulls.groups[2].words, "null");
  EXPECT_TRUE(nulls.groups[2].is_null);
  EXPECT_NEAR(nulls.groups[2].others, 2, .01);
  measurements.tables[0].counts = {100, 100, 100, 100, 100, 100, 100, 50, 50, 50, 150};
  const AskedValues mixed = put_together(measurements, age, groups);
  EXPECT_EQ(mixed.groups[2].words, "7 to 9, null");
  EXPECT_FALSE(mixed.groups[2].is_null);
  EXPECT_NEAR(mixed.groups[2].others, 150, .01);
}

}  // namespace

}  // namespace mollify
