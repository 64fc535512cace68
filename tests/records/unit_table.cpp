#include "records/unit_table.h"

#include <rapidcheck.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace mollify {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

StringIndex index_of(const std::vector<std::string>& ids) {
  StringIndex index;
  for (const std::string& id : ids) index.insert(id);
  return index;
}

UnitTable table_of(UnitTable::Builder& records, const StringIndex& ids, bool same_units) {
  const UnitTable::Part part{&records, &ids};
  return UnitTable::of({&part, 1}, same_units);
}

TEST(UnitTable, KeepsUnitsWithoutRecords) {
  UnitTable::Builder builder;
  builder.add(2, 9);
  builder.add(2, 4);
  builder.add(2, 9);
  builder.add(1, 5);
  UnitTable::Builder same = builder;
  const StringIndex ids = index_of({"d", "c", "b", "a"});
  const UnitTable table = table_of(builder, ids, true);
  ASSERT_EQ(table.size(), 4U);
  EXPECT_EQ(table.id(1), "c");
  EXPECT_THAT(table.outcomes(0), IsEmpty());
  EXPECT_THAT(table.outcomes(1), ElementsAre(5U));
  EXPECT_THAT(table.outcomes(2), ElementsAre(4U, 9U));
  EXPECT_THAT(table.weights(2), ElementsAre(1.0, 2.0));
  EXPECT_THAT(table.outcomes(3), IsEmpty());

  const UnitTable sorted = table_of(same, ids, false);
  EXPECT_EQ(sorted.id(0), "a");
  EXPECT_EQ(sorted.id(3), "d");
  EXPECT_THAT(sorted.outcomes(0), IsEmpty());
  EXPECT_THAT(sorted.outcomes(1), ElementsAre(4U, 9U));
  EXPECT_THAT(sorted.weights(1), ElementsAre(1.0, 2.0));
  EXPECT_THAT(sorted.outcomes(2), ElementsAre(5U));
}

TEST(UnitTable, MayHaveNoUnits) {
  for (const bool same_units : {false, true}) {
    UnitTable::Builder builder;
    EXPECT_EQ(table_of(builder, StringIndex(), same_units).size(), 0U);
  }
}

// What parts counted of a unit is added up, and saturates as the counts of each do.
TEST(UnitTable, CountsOfPartsSaturate) {
  for (const bool same_units : {false, true}) {
    std::array<UnitTable::Builder, 2> records;
    for (UnitTable::Builder& one : records) {
      one.add(0, 7, std::uint64_t{1} << 63U);
      one.add(0, 8, 1);
      one.add(0, 9, kGreatestCount / 2);
      one.add(0, 10, 0);
    }
    const StringIndex ids = index_of({"a"});
    const std::array<UnitTable::Part, 2> parts = {{{&records[0], &ids}, {&records[1], &ids}}};
    const UnitTable table = UnitTable::of(parts, same_units);
    ASSERT_EQ(table.size(), 1U);
    EXPECT_THAT(table.outcomes(0), ElementsAre(7U, 8U, 9U));
    EXPECT_THAT(table.weights(0), ElementsAre(0x1p53, 2.0, 0x1p53));
  }
}

// Three parts with ids of their own, in orders of their own, some of them the same.
RC_GTEST_PROP(UnitTable, AgreesWithAMap, ()) {
  struct Own {
    StringIndex ids{};
    UnitTable::Builder records{};
  };
  const bool same_units = *rc::gen::arbitrary<bool>();
  const auto unit_count = *rc::gen::inRange<std::uint32_t>(1, 200);
  const auto rows = *rc::gen::container<
      std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>>>(
      rc::gen::tuple(rc::gen::inRange(0U, 3U), rc::gen::inRange(0U, unit_count),
                     rc::gen::inRange(0U, 1U << 24U), rc::gen::inRange(0U, 4U)));
  std::array<Own, 3> owns;
  StringIndex all;
  if (same_units) {
    for (std::uint32_t unit = unit_count; unit-- > 0;) all.insert(std::to_string(unit));
    for (Own& own : owns) own.ids = all;
  }
  std::map<std::string, std::map<std::uint32_t, double>> expected;
  for (const auto& [part, unit, outcome, count] : rows) {
    const std::string id = std::to_string(unit);
    owns.at(part).records.add(owns.at(part).ids.insert(id), outcome, count);
    auto& records = expected[id];
    if (count > 0) records[outcome] += count;
  }
  std::vector<UnitTable::Part> parts;
  for (Own& own : owns) parts.push_back({&own.records, &own.ids});
  const UnitTable table = UnitTable::of(parts, same_units);
  RC_ASSERT(table.size() == (same_units ? unit_count : expected.size()));
  for (std::size_t unit = 0; unit < table.size(); ++unit) {
    if (same_units) {
      RC_ASSERT(table.id(unit) == all[unit]);
    } else if (unit > 0) {
      RC_ASSERT(table.id(unit - 1) < table.id(unit));
    }
    std::map<std::uint32_t, double> seen;
    const auto outcomes = table.outcomes(unit);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (i > 0) RC_ASSERT(outcomes[i - 1] < outcomes[i]);
      seen[outcomes[i]] = table.weights(unit)[i];
    }
    RC_ASSERT(seen == expected[std::string(table.id(unit))]);
  }
}

}  // namespace
}  // namespace mollify
