#include "records/unit_ids.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "records/units.h"

namespace mollify {
namespace {

std::string id_of(std::string_view text) {
  TextBuffer buffer;
  return std::string(id_text(text, buffer));
}

TEST(IdText, OfAnIntegerWithZerosBehindThePointIsTheInteger) {
  EXPECT_EQ(id_of("1.0"), "1");
  EXPECT_EQ(id_of("-12.000"), "-12");
  EXPECT_EQ(id_of("9223372036854775807.0"), "9223372036854775807");
  for (const char* text : {"", "1", "01", "007", "1.5", "1.0.0", "a.0", "1e3",
                           "9223372036854775808.0", "2026-01-02", "True", " 1"}) {
    EXPECT_EQ(id_of(text), text);
  }
}

TEST(Roster, FindsAnIdInEveryWayToWriteIt) {
  Roster roster;
  for (const char* id : {"2", "007", "1.0", "ann", "True", "2020-01-02"}) {
    EXPECT_TRUE(roster.insert(id)) << id;
  }
  EXPECT_FALSE(roster.insert("1")) << "which is 1.0";
  EXPECT_FALSE(roster.insert("2.0"));
  EXPECT_EQ(roster.size(), 6U);
  EXPECT_EQ(roster[2], "1") << "as a data frame has it";
  for (const char* two : {"2", "2.0", "02", "2e0", " 2"}) EXPECT_EQ(roster.find(two), 0U) << two;
  for (const char* seven : {"7", "7.0", "007", "07"}) EXPECT_EQ(roster.find(seven), 1U) << seven;
  EXPECT_EQ(roster.find("1"), 2U);
  EXPECT_EQ(roster.find("ann"), 3U);
  EXPECT_EQ(roster.find("true"), 4U);
  EXPECT_EQ(roster.find("2020-01-02 00:00:00"), 5U);
  for (const char* other : {"", "3", "Ann", "2.5", "NA"}) {
    EXPECT_EQ(roster.find(other), Roster::kAbsent) << other;
  }
}

TEST(Roster, KeepsApartWhatItLists) {
  Roster roster;
  for (const char* id : {"01", "1"}) EXPECT_TRUE(roster.insert(id));
  EXPECT_EQ(roster.find("01"), 0U);
  EXPECT_EQ(roster.find("1"), 1U);
  EXPECT_EQ(roster.find("1.0"), 1U) << "what an integer column is written as";
  EXPECT_EQ(roster.find("001"), Roster::kAbsent) << "it may be either";
}

TEST(Units, OfAColumnWithAMissingIdAreTheSameOfItsTexts) {
  const std::vector<double> numbers = {1, 12, 1, 7};
  const std::vector<std::string_view> texts = {"1.0", "12.0", "1.0", "7.0"};
  const std::vector<std::int64_t> integers = {1, 12, 1, 7};
  const std::vector<std::uint8_t> valid = {1, 1, 1, 0};
  std::optional<Roster> roster(std::in_place);
  for (const char* id : {"12", "1"}) roster->insert(id);
  for (const Values& ids : {Values(std::span(numbers), valid), Values(std::span(texts), valid),
                            Values(std::span(integers), valid)}) {
    Units of_roster(roster);
    const auto found = of_roster.of(ids);
    EXPECT_EQ(std::vector(found.begin(), found.end()),
              (std::vector<std::uint32_t>{1, 0, 1, Units::kNobody}));
    Units others(std::nullopt);
    static_cast<void>(others.of(ids));
    ASSERT_EQ(others.size(), 2U);
    EXPECT_EQ(others.ids()[0], "1");
    EXPECT_EQ(others.ids()[1], "12");
  }
}

}  // namespace
}  // namespace mollify
