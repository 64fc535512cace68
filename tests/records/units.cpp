#include "records/units.h"

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "chi_square.h"
#include "core/random.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Id order.

namespace {

// Of few letters, so that many ids begin alike and some are the beginning of others.
RC_GTEST_PROP(IdOrder, IsThatOfTheBytes, ()) {
  using Id = std::string;
  const auto texts = *rc::gen::container<std::vector<Id>>(
      rc::gen::container<Id>(rc::gen::element('\0', 'a', '\x7f', '\xff')));
  StringIndex ids;
  for (const Id& text : texts) {
    ids.insert(text);
    ids.insert("eight letters" + text);
  }
  std::vector<Id> seen, expected;
  for (const std::uint32_t place : in_order_of_bytes(ids)) seen.emplace_back(ids[place]);
  for (std::size_t i = 0; i < ids.size(); ++i) expected.emplace_back(ids[i]);
  std::sort(expected.begin(), expected.end());
  RC_ASSERT(seen == expected);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Unit ids.

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

TEST(Roster, FindsUnitsOfSeveralIds) {
  Roster roster;
  const auto ids = [](std::string_view first, std::string_view second) {
    return std::array{first, second};
  };
  EXPECT_TRUE(roster.insert(ids("1", "ann")));
  EXPECT_TRUE(roster.insert(ids("1", "bob")));
  EXPECT_TRUE(roster.insert(ids("02", "ann")));
  EXPECT_TRUE(roster.insert(ids("x", "1")));
  EXPECT_FALSE(roster.insert(ids("1.0", "ann"))) << "which is 1";
  EXPECT_EQ(roster.find(ids("1", "bob")), 1U);
  EXPECT_EQ(roster.find(ids("01", "ann")), 0U) << "the same number";
  EXPECT_EQ(roster.find(ids("2", "ann")), 2U);
  EXPECT_EQ(roster.find(ids("x", "1e0")), 3U);
  for (const auto& [first, second] : {std::pair{"2", "bob"}, std::pair{"ann", "1"},
                                      std::pair{"1", "Ann"}, std::pair{"1a", "nn"}}) {
    EXPECT_EQ(roster.find(ids(first, second)), Roster::kAbsent) << first << ", " << second;
  }
  EXPECT_TRUE(roster.insert(ids("01", "ann")));
  EXPECT_EQ(roster.find(ids("001", "ann")), Roster::kAbsent) << "it may be either";
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Unit records.

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
/// A record of share p among r comes 8 r p times, rounded up or down; a unit of no weight is empty.
TEST(UnitRecords, AreRepeatedByWeight) {
  SecureRandom random;
  UnitRecords::Builder builder(1);
  const std::vector<std::uint64_t> weights{125, 0, 200, 7, 0};
  for (std::uint32_t record = 0; record < 4; ++record) {
    builder.add(0).front() = record;
    builder.weigh(weights[record]);
  }
  builder.add(2).front() = 9;
  builder.weigh(weights[4]);
  for (const std::size_t most : {std::size_t{1000}, std::size_t{6}}) {
    UnitRecords::Builder again = builder;
    UnitRecords units = std::move(again).build(3);
    ASSERT_EQ(units.weights(0).size(), 4U);
    units = std::move(units).repeated(most, random);
    ASSERT_EQ(units.size(), 3U);
    EXPECT_TRUE(units.weights(0).empty());
    const std::size_t times = std::min<std::size_t>(most, 32);
    ASSERT_EQ(units.digits(0).size(), times);
    EXPECT_TRUE(units.digits(1).empty());
    EXPECT_TRUE(units.digits(2).empty());
    for (std::uint32_t record = 0; record < 4; ++record) {
      const auto found =
          static_cast<double>(std::count(units.digits(0).begin(), units.digits(0).end(), record));
      const double share = static_cast<double>(times * weights[record]) / 332;
      EXPECT_GT(found + 1, share);
      EXPECT_LT(found - 1, share);
      if (weights[record] == 0) {
        EXPECT_EQ(found, 0);
      }
    }
  }
}

/// By its weights each record comes as often as its share, in the mean: a share of .4 of a copy.
TEST(UnitRecords, AreRepeatedUpOrDownAtRandom) {
  SecureRandom random;
  std::vector<std::uint64_t> seen(2);
  for (int trial = 0; trial < 4000; ++trial) {
    UnitRecords::Builder builder(1);
    for (std::uint32_t record = 0; record < 2; ++record) {
      builder.add(0).front() = record;
      builder.weigh(record == 0 ? 1 : 39);
    }
    const UnitRecords units = std::move(builder).build(1).repeated(1000, random);
    ++seen[std::count(units.digits(0).begin(), units.digits(0).end(), 0U) == 1 ? 0 : 1];
  }
  EXPECT_TRUE(test::follows(std::vector<double>{.4, .6}, seen));
}

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

// -----------------------------------------------------------------------------------------------
// Units.

namespace {

/// More integers than are kept at hand, met twice: neighbours and multiples of powers of two, which
/// spread worst, and some that look random, many of whom find all of their places taken.
std::vector<std::int64_t> many_integers() {
  std::vector<std::int64_t> ids;
  for (int round = 0; round < 2; ++round) {
    for (std::int64_t i = 0; i < 150'000; ++i) {
      ids.push_back(i - 500);
      if (i % 3 == 0) ids.push_back(i << 40U);
    }
    std::uint64_t state = 1;
    for (int i = 0; i < 60'000; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      ids.push_back(static_cast<std::int64_t>(state));
    }
    ids.push_back(std::numeric_limits<std::int64_t>::min());
    ids.push_back(std::numeric_limits<std::int64_t>::max());
  }
  return ids;
}

TEST(Units, AreTheSameOfIntegersAndOfTheirTexts) {
  const std::vector<std::int64_t> integers = many_integers();
  std::vector<std::string> texts;
  texts.reserve(integers.size());
  for (const std::int64_t id : integers) texts.push_back(std::to_string(id));
  const std::vector<std::string_view> views(texts.begin(), texts.end());

  Units of_integers(std::nullopt);
  Units of_texts(std::nullopt);
  const auto by_integer = of_integers.of(Values(std::span(integers), {}));
  const auto by_text = of_texts.of(Values(std::span(views), {}));
  ASSERT_EQ(std::vector(by_integer.begin(), by_integer.end()),
            std::vector(by_text.begin(), by_text.end()));
  EXPECT_EQ(of_integers.size(), of_texts.size());
  EXPECT_EQ(of_integers.in_public_order(), of_texts.in_public_order());
}

// A null may have the place of a word: it is nobody's, whether the word is met before it or after.
TEST(Units, OfANullInADictionaryThereIsNone) {
  const std::vector<std::string_view> names = {"ann", "bob"};
  const Values words{std::span(names)};
  const std::vector<std::uint32_t> places = {0, 1, 0, 1, 0};
  const std::vector<std::uint8_t> valid = {1, 0, 0, 1, 1};
  Units units(std::nullopt);
  const auto found = units.of(Values(Dictionary{places, &words}, valid));
  EXPECT_EQ(std::vector(found.begin(), found.end()),
            (std::vector<std::uint32_t>{0, Units::kNobody, Units::kNobody, 1, 0}));
}

// A missing id is nobody's in every way in which it can be written, with a roster and without.
TEST(Units, OfAMissingIdAreNobody) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> numbers = {1, 2, kNan, 3, -kNan, 1};
  const std::vector<std::string_view> texts = {"1", "2", "NA", "3", "", "1.0"};
  const std::vector<std::string_view> words = {"1", "2", "None", "3", "nan", "1"};
  const std::vector<std::int64_t> integers = {1, 2, 9, 3, 9, 1};
  const std::vector<std::uint8_t> valid = {1, 1, 0, 1, 0, 1};
  const Values list{std::span(words)};
  const std::vector<std::uint32_t> places = {0, 1, 2, 3, 4, 5};
  std::optional<Roster> roster(std::in_place);
  for (const char* id : {"1", "2", "3"}) roster->insert(id);
  for (const Values& ids :
       {Values(std::span(numbers)), Values(std::span(texts)), Values(std::span(words)),
        Values(std::span(integers), valid), Values(Dictionary{places, &list})}) {
    for (const auto& listed : {std::optional<Roster>(), roster}) {
      Units units(listed);
      const auto found = units.of(ids);
      EXPECT_EQ(std::vector(found.begin(), found.end()),
                (std::vector<std::uint32_t>{0, 1, Units::kNobody, 2, Units::kNobody, 0}));
      EXPECT_EQ(units.size(), 3U);
    }
  }
}

// A household and a person's number in it: one missing id is enough to be nobody.
TEST(Units, OfSeveralColumns) {
  const std::vector<std::string_view> households = {"a", "a", "b", "a", "", "b", "NA", "a1"};
  const std::vector<std::int64_t> people = {1, 2, 1, 1, 2, 1, 1, 1};
  const std::vector<std::uint8_t> valid = {1, 1, 1, 1, 1, 0, 1, 1};
  const std::vector<double> numbers = {1, 2, 1, 1, 2, std::numeric_limits<double>::quiet_NaN(),
                                       1, 1};
  const std::vector<std::string_view> texts = {"1", "2.0", "1", "1.0", "2", "null", "1", "1"};
  std::optional<Roster> roster(std::in_place);
  for (const auto& [household, person] :
       {std::pair{"a", "1"}, std::pair{"a", "2"}, std::pair{"b", "1"}, std::pair{"a1", "1"}}) {
    roster->insert(std::array<std::string_view, 2>{household, person});
  }
  for (const Values& persons :
       {Values(std::span(people), valid), Values(std::span(numbers)), Values(std::span(texts))}) {
    const std::array<Values, 2> columns = {Values(std::span(households)), persons};
    for (const auto& listed : {std::optional<Roster>(), roster}) {
      Units units(listed);
      const auto found = units.of(columns);
      EXPECT_EQ(std::vector(found.begin(), found.end()),
                (std::vector<std::uint32_t>{0, 1, 2, 0, Units::kNobody, Units::kNobody,
                                            Units::kNobody, 3}));
      EXPECT_EQ(units.size(), 4U);
    }
  }
}

TEST(Units, OfARosterAreThoseOfTheRosterAlone) {
  std::optional<Roster> roster(std::in_place);
  for (const char* id : {"7", "0", "-3"}) roster->insert(id);
  Units units(roster);
  const std::vector<std::int64_t> ids = {-3, 8, 7, 0, 8, -3, 0};
  const std::vector<std::uint8_t> valid = {1, 1, 1, 1, 1, 1, 0};
  const auto found = units.of(Values(std::span(ids), valid));
  EXPECT_EQ(
      std::vector(found.begin(), found.end()),
      (std::vector<std::uint32_t>{2, Units::kNobody, 0, 1, Units::kNobody, 2, Units::kNobody}));
}

}  // namespace

}  // namespace mollify
