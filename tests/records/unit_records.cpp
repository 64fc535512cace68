#include "records/unit_records.h"

#include <map>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace mollify {
namespace {

TEST(UnitRecords, OfNoUnitsAreNone) {
  EXPECT_EQ(UnitRecords::Builder(3).build(0).size(), 0U);
  const UnitRecords empty = UnitRecords::Builder(3).build(2);
  EXPECT_EQ(empty.size(), 2U);
  EXPECT_TRUE(empty.digits(1).empty());
}

RC_GTEST_PROP(UnitRecords, KeepEachUnitsRecordsInTheirOrder,
              (const std::vector<std::pair<std::uint8_t, std::uint32_t>>& records)) {
  UnitRecords::Builder builder(2);
  std::map<std::uint32_t, std::vector<std::uint32_t>> expected;
  for (const auto& [unit, digit] : records) {
    const auto place = builder.add(unit);
    RC_ASSERT(place.size() == 2U);
    place[0] = digit;
    place[1] = ~digit;
    expected[unit].insert(expected[unit].end(), {digit, ~digit});
  }
  const UnitRecords units = std::move(builder).build(256);
  for (std::uint32_t unit = 0; unit < 256; ++unit) {
    const auto digits = units.digits(unit);
    RC_ASSERT(std::vector<std::uint32_t>(digits.begin(), digits.end()) == expected[unit]);
  }
}

}  // namespace
}  // namespace mollify
