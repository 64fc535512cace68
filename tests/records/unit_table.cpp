#include "records/unit_table.h"

#include <rapidcheck.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
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

TEST(UnitTable, KeepsUnitsWithoutRecords) {
  UnitTable::Builder builder;
  builder.add(2, 9);
  builder.add(2, 4);
  builder.add(2, 9);
  builder.add(1, 5);
  const UnitTable table = std::move(builder).build(index_of({"d", "c", "b", "a"}));
  ASSERT_EQ(table.size(), 4U);
  EXPECT_EQ(table.id(1), "c");
  EXPECT_THAT(table.outcomes(0), IsEmpty());
  EXPECT_THAT(table.outcomes(1), ElementsAre(5U));
  EXPECT_THAT(table.outcomes(2), ElementsAre(4U, 9U));
  EXPECT_THAT(table.weights(2), ElementsAre(1.0, 2.0));
  EXPECT_THAT(table.outcomes(3), IsEmpty());

  const UnitTable sorted = table.sorted_by_id();
  EXPECT_EQ(sorted.id(0), "a");
  EXPECT_EQ(sorted.id(3), "d");
  EXPECT_THAT(sorted.outcomes(0), IsEmpty());
  EXPECT_THAT(sorted.outcomes(1), ElementsAre(4U, 9U));
  EXPECT_THAT(sorted.weights(1), ElementsAre(1.0, 2.0));
  EXPECT_THAT(sorted.outcomes(2), ElementsAre(5U));
}

TEST(UnitTable, MayHaveNoUnits) {
  const UnitTable table = UnitTable::Builder().build(StringIndex());
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.sorted_by_id().size(), 0U);
}

RC_GTEST_PROP(UnitTable, AgreesWithAMap, ()) {
  const auto unit_count = *rc::gen::inRange<std::uint32_t>(1, 20);
  const auto rows = *rc::gen::container<std::vector<std::pair<std::uint32_t, std::uint32_t>>>(
      rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, unit_count),
                    rc::gen::inRange<std::uint32_t>(0, 1U << 24U)));
  StringIndex ids;
  for (std::uint32_t unit = 0; unit < unit_count; ++unit) ids.insert(std::to_string(unit));
  UnitTable::Builder builder;
  std::map<std::string, std::map<std::uint32_t, double>> expected;
  for (const auto& [unit, outcome] : rows) {
    builder.add(unit, outcome);
    expected[std::to_string(unit)][outcome] += 1;
  }
  const UnitTable table = std::move(builder).build(std::move(ids)).sorted_by_id();
  RC_ASSERT(table.size() == unit_count);
  for (std::size_t unit = 0; unit < table.size(); ++unit) {
    if (unit > 0) RC_ASSERT(table.id(unit - 1) < table.id(unit));
    std::map<std::uint32_t, double> seen;
    for (std::size_t i = 0; i < table.outcomes(unit).size(); ++i) {
      seen[table.outcomes(unit)[i]] = table.weights(unit)[i];
    }
    RC_ASSERT(seen == expected[std::string(table.id(unit))]);
  }
}

}  // namespace
}  // namespace mollify
