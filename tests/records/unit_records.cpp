#include "records/unit_records.h"

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kernel/core/secure_random.h"

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

// Each of a unit's records stays as likely as any other; smaller units keep all of theirs.
TEST(UnitRecords, AreThinnedEvenly) {
  constexpr std::uint32_t kRecords = 10;
  constexpr std::size_t kMost = 3;
  constexpr int kTrials = 20'000;
  SecureRandom random;
  std::vector<int> kept(kRecords);
  for (int trial = 0; trial < kTrials; ++trial) {
    UnitRecords::Builder builder(2);
    for (std::uint32_t i = 0; i < kRecords; ++i) {
      const auto place = builder.add(0);
      place[0] = i;
      place[1] = 100 + i;
    }
    for (std::uint32_t i = 0; i < kMost; ++i) builder.add(1)[0] = i;
    UnitRecords units = std::move(builder).build(2);
    units.thin(kMost, random);
    const auto digits = units.digits(0);
    ASSERT_EQ(digits.size(), 2 * kMost);
    for (std::size_t i = 0; i < kMost; ++i) {
      ASSERT_EQ(digits[2 * i + 1], 100 + digits[2 * i]) << "records stay whole";
      ++kept[digits[2 * i]];
    }
    ASSERT_EQ(units.digits(1).size(), 2 * kMost);
  }
  // Of 10 binomials of probability 0.3; false alarms 1e-6 in all, 1e-7 each: 5.33 deviations.
  const double deviation = std::sqrt(kTrials * 0.3 * 0.7);
  for (const int times : kept) EXPECT_NEAR(times, 0.3 * kTrials, 5.33 * deviation);
}

}  // namespace
}  // namespace mollify
