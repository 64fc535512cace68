#include "domain/column.h"

#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "columns.h"
#include "core/invalid_input.h"
#include "not_finite.h"
#include "refusal.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Column.

namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

using test::refusal_of;

std::string written(const Column& column, std::uint32_t outcome, std::uint64_t point) {
  std::string text;
  column.write(outcome, point, text);
  return text;
}

// ---- What each type reads

TEST(Categories, MapAsDeclared) {
  const Column column = Column::make("c", Categories::make({"north", "", "NA", " south"}));
  EXPECT_EQ(column.size(), 4U);
  EXPECT_EQ(column.encode("north"), 0U);
  EXPECT_EQ(column.encode(""), 1U) << "a declared value wins over a word for null";
  EXPECT_EQ(column.encode("NA"), 2U);
  EXPECT_EQ(column.encode(" south"), 3U);
  EXPECT_EQ(column.encode("south"), 1U) << "categories are not trimmed";
  EXPECT_EQ(column.encode("\xff\xfe"), 1U);
  EXPECT_EQ(column.read("null").verdict, Verdict::kNull);
  EXPECT_EQ(column.read("east").verdict, Verdict::kOutside);
}

TEST(Categories, OneValueIsFine) {
  const Column column = Column::make("c", Categories::make({"only"}));
  EXPECT_EQ(column.size(), 2U);
  EXPECT_EQ(column.encode("anything"), 1U);
  EXPECT_EQ(written(column, 0, 0), "only");
  EXPECT_EQ(written(column, 1, 0), "");
}

TEST(Categories, ANumberIsEveryWayToWriteIt) {
  const Column column = Column::make(
      "c", Categories::make({"x", "0", "1.0", "02", "-3e0", ".5", "9007199254740993", "1e400"}));
  const auto expect = [&](const Value& value, std::uint32_t cell) {
    EXPECT_EQ(column.read(value).verdict, Verdict::kValue);
    EXPECT_EQ(column.read(value).cell, cell);
  };
  for (const char* zero : {"0", "0.0", "-0", "00", "+0", "0e9", ".0", "0."}) expect(zero, 1);
  for (const char* one : {"1", "1.0", "01", "1e0", "1E+0", "10e-1", " 1 ", "+1", "0.1e1"}) {
    expect(one, 2);
  }
  expect("2", 3);
  expect("-3", 4);
  expect("-3.00", 4);
  expect("0.50", 5);
  expect("9007199254740993.0", 6);
  expect("10e399", 7);
  expect(std::int64_t{1}, 2);
  expect(1.0, 2);
  expect(-0.0, 1);
  expect(0.5, 5);
  for (const char* other : {"9007199254740992", "9007199254740994", "1.0000000000000000001", "1 0",
                            "--3", "1e", "e0", ".", "0x1", "inf", "true", "1,0", "1e4000000000"}) {
    EXPECT_EQ(column.read(other).verdict, Verdict::kOutside) << other;
  }
  EXPECT_EQ(column.read(std::string(100000, '0') + "1").cell, 2U);
  EXPECT_EQ(column.read("1." + std::string(100000, '0')).cell, 2U);
  EXPECT_EQ(column.read(std::string(100000, '9')).verdict, Verdict::kOutside);
  EXPECT_EQ(written(column, 2, 0), "1.0") << "as it is declared";
}

TEST(Categories, ATruthIsReadInAnyCase) {
  const Column column = Column::make("c", Categories::make({"x", "True", "FALSE"}));
  for (const char* word : {"true", "TRUE", "True"}) EXPECT_EQ(column.read(word).cell, 1U);
  EXPECT_EQ(column.read(true).cell, 1U);
  EXPECT_EQ(column.read(false).cell, 2U);
  EXPECT_EQ(column.read("X").verdict, Verdict::kOutside) << "other words are read as they are";
}

TEST(Categories, ADayOrATimeIsEveryWayToWriteIt) {
  const Column column = Column::make(
      "c",
      Categories::make({"x", "09:30", "2020-01-02", "2020-01-02 09:30:00.50", "x:59", "23:59"}),
      {.null_value = "2020-01-02 00:00", .outside_value = "9:30:00"});
  for (const char* clock : {"9:30", "09:30:00", "09:30:00.000", "9:30Z", "10:30+01:00", " 9:30 "}) {
    EXPECT_EQ(column.read(clock).verdict, Verdict::kValue) << clock;
    EXPECT_EQ(column.read(clock).cell, 1U) << clock;
  }
  for (const char* day : {"2020-01-02T00:00:00", "2020-01-02 00:00", "2020-01-02T00:00Z",
                          "2020-01-02 00:00:00.000000", "2020-01-01T23:00:00-01:00"}) {
    EXPECT_EQ(column.read(day).verdict, Verdict::kValue) << day;
    EXPECT_EQ(column.read(day).cell, 2U) << day;
  }
  EXPECT_EQ(column.read("2020-01-02T9:30:00.5Z").cell, 3U);
  EXPECT_EQ(column.read("23:59:00").cell, 5U);
  EXPECT_EQ(column.read("0:59+01:00").cell, 5U) << "of the day before";
  for (const char* other : {"09:30:00.1", "09:31", "19:30", "09:3", "009:30", "2020-01-02T00:00:01",
                            "2020-01-02 09:30", "2020-01-02 09:30:00.51", "2020-01-03", ":30"}) {
    EXPECT_EQ(column.read(other).verdict, Verdict::kOutside) << other;
    EXPECT_EQ(column.encode(other), 1U) << other;
  }
  EXPECT_EQ(column.encode(""), 2U);
  EXPECT_THAT(refusal_of([] {
                static_cast<void>(Categories::make({"9:30", "09:30:00"}));
              }),
              ::testing::HasSubstr("are one value, written in two ways"));
}

TEST(Categories, APercentIsHundredthsAndThousandsMayHaveCommas) {
  const Column column = Column::make("c", Categories::make({"x", "50%", "1,234", "2", "100 %"}));
  for (const char* half : {"0.5", ".50", "50 %", "50.0%", "+50%", "5e-1"}) {
    EXPECT_EQ(column.read(half).verdict, Verdict::kValue) << half;
    EXPECT_EQ(column.read(half).cell, 1U) << half;
  }
  EXPECT_EQ(column.read(1234.0).cell, 2U);
  EXPECT_EQ(column.read("200%").cell, 3U);
  EXPECT_EQ(column.read(std::int64_t{1}).cell, 4U);
  for (const char* other : {"50", "5%", "1.234", "1,2340"}) {
    EXPECT_EQ(column.read(other).verdict, Verdict::kOutside) << other;
  }
}

TEST(Categories, TwoUsualWordsForTruthsAreReadAsABooleanReadsThem) {
  for (const auto& [no, yes] :
       {std::pair{"0", "1"}, std::pair{"0.0", "1.0"}, std::pair{"N", "Y"}, std::pair{"no", "YES"},
        std::pair{"f", "t"}, std::pair{"FALSE", "True"}}) {
    for (const bool yes_first : {false, true}) {
      const Column column =
          Column::make("c", Categories::make(yes_first ? std::vector<std::string>{yes, no}
                                                       : std::vector<std::string>{no, yes}));
      const auto expect = [&, word = no](const Value& value, bool truth) {
        EXPECT_EQ(column.read(value).verdict, Verdict::kValue) << word;
        EXPECT_EQ(column.read(value).cell, truth == yes_first ? 0U : 1U) << word;
      };
      for (const char* word : {"0", "0.0", "False", "F", "n", "NO"}) expect(word, false);
      for (const char* word : {"1", "1.0", "TRUE", "t", "Y", "Yes", "100%"}) expect(word, true);
      expect(true, true);
      expect(0.0, false);
      expect(std::int64_t{1}, true);
      EXPECT_EQ(column.read("2").verdict, Verdict::kOutside);
      EXPECT_EQ(column.read("").verdict, Verdict::kNull);
    }
  }
  const Column three = Column::make("c", Categories::make({"N", "Y", "A"}));
  EXPECT_EQ(three.read("1").verdict, Verdict::kOutside) << "letters, and no truths";
}

TEST(Numbers, FromZeroToOneAreReadOfTruthsToo) {
  for (const Column& column : {Column::make("i", IntegerCells::make(0, 1)),
                               Column::make("n", NumberCells::make(0, 1, 2))}) {
    for (const Value& value : {Value(true), Value("True"), Value(" yes"), Value("T"), Value("Y")}) {
      EXPECT_EQ(column.read(value).verdict, Verdict::kValue);
      EXPECT_EQ(column.read(value).cell, 1U);
    }
    for (const Value& value : {Value(false), Value("FALSE"), Value("no"), Value("f"), Value("n")}) {
      EXPECT_EQ(column.read(value).verdict, Verdict::kValue);
      EXPECT_EQ(column.read(value).cell, 0U);
    }
  }
  EXPECT_EQ(Column::make("i", IntegerCells::make(0, 2)).read(true).verdict, Verdict::kUnreadable);
}

TEST(BooleanWords, ReadNumbersInEveryWayToWriteThem) {
  const Column column = Column::make("b", BooleanWords::make());
  for (const char* word : {"0.0", "00", "0e0", "-0", "n", "N"}) {
    EXPECT_EQ(column.read(word).verdict, Verdict::kValue) << word;
    EXPECT_EQ(column.read(word).cell, 0U) << word;
  }
  for (const char* word : {"1.0", "01", "1e0", "y", "Y"}) {
    EXPECT_EQ(column.read(word).verdict, Verdict::kValue) << word;
    EXPECT_EQ(column.read(word).cell, 1U) << word;
  }
  const Column codes = Column::make("b", BooleanWords::make("2", "1"));
  EXPECT_EQ(codes.read("1.0").cell, 1U);
  EXPECT_EQ(codes.read("2.0").cell, 0U);
  EXPECT_EQ(codes.read("2.0").verdict, Verdict::kValue);
  EXPECT_EQ(codes.read("0").verdict, Verdict::kUnreadable);
}

TEST(NumberCells, ReadCommasBetweenThousandsAndPercents) {
  const Column great = Column::make("n", NumberCells::make(0, 2000, 2000));
  EXPECT_EQ(great.read("1,234").cell, 1234U);
  EXPECT_EQ(great.read("1,234").verdict, Verdict::kValue);
  EXPECT_EQ(great.read("+1,234.5").cell, 1234U);
  EXPECT_EQ(great.read("1,000,000").verdict, Verdict::kOutside);
  EXPECT_EQ(great.read("50%").cell, 50U);
  EXPECT_EQ(great.read("50.5 %").cell, 50U);
  EXPECT_EQ(great.read("1,234%").cell, 1234U);
  for (const char* text : {"1,23", "1,2345", "0,123", ",123", "1,,234", "1234,567", "%", "5%%",
                           "12,", "1,234.5.6", "1.5,000", "-%", "1e2%", "NaN%"}) {
    EXPECT_EQ(great.read(text).verdict, Verdict::kUnreadable) << text;
  }
  const Column shares = Column::make("n", NumberCells::make(-1, 1, 200));
  EXPECT_EQ(shares.read("7%").cell, shares.read("0.07").cell);
  EXPECT_EQ(shares.read("-50%").cell, 50U);
  EXPECT_EQ(shares.read("100%").cell, 199U);
  const Column integers = Column::make("i", IntegerCells::make(-5, 9007199254740993));
  EXPECT_EQ(integers.read("9,007,199,254,740,993").verdict, Verdict::kValue);
  EXPECT_EQ(integers.read("50%").verdict, Verdict::kValue);
  EXPECT_EQ(Column::make("i", IntegerCells::make(0, 1)).read("100%").cell, 1U);
}

TEST(BooleanWords, ReadTheUsualWords) {
  const Column column = Column::make("b", BooleanWords::make());
  for (const char* word : {"false", "F", "No", "0", " FALSE "}) {
    EXPECT_EQ(column.read(word).verdict, Verdict::kValue) << word;
    EXPECT_EQ(column.encode(word), 0U) << word;
  }
  for (const char* word : {"true", "T", "yES", "1", "\tTrue"}) {
    EXPECT_EQ(column.read(word).verdict, Verdict::kValue) << word;
    EXPECT_EQ(column.encode(word), 1U) << word;
  }
  EXPECT_EQ(column.read("2").verdict, Verdict::kUnreadable);
  EXPECT_EQ(column.read("").verdict, Verdict::kNull);
  EXPECT_EQ(written(column, 0, 0), "false");
  EXPECT_EQ(written(column, 1, 0), "true");
}

TEST(BooleanWords, DeclaredWordsThatContradictTheUsualOnesStandAlone) {
  const Column reversed = Column::make("b", BooleanWords::make("yes", "no"));
  EXPECT_EQ(reversed.encode("yes"), 0U);
  EXPECT_EQ(reversed.encode("NO"), 1U);
  EXPECT_EQ(reversed.read("true").verdict, Verdict::kUnreadable);
  const Column other = Column::make("b", BooleanWords::make("female", "male"));
  EXPECT_EQ(other.encode("Male"), 1U);
  EXPECT_EQ(other.read("1").verdict, Verdict::kUnreadable);
  const Column python = Column::make("b", BooleanWords::make("False", "True"));
  EXPECT_EQ(python.encode("1"), 1U);
  EXPECT_EQ(written(python, 1, 0), "True");
  const Column null_word = Column::make("b", BooleanWords::make("None", "Some"));
  EXPECT_EQ(null_word.read("None").verdict, Verdict::kValue);
}

TEST(IntegerCells, MapAsDeclared) {
  const Column column = Column::make("i", IntegerCells::make(-2, 3));
  EXPECT_EQ(column.size(), 7U);
  EXPECT_EQ(column.encode("-2"), 0U);
  EXPECT_EQ(column.encode("+3"), 5U);
  EXPECT_EQ(column.encode(" 0 "), 2U);
  EXPECT_EQ(column.encode("-0"), 2U);
  EXPECT_EQ(column.encode("1.0"), 3U);
  EXPECT_EQ(column.encode("1e0"), 3U);
  for (const char* text : {"-3", "-99999999999999999999999", "-1e999", "-inf"}) {
    EXPECT_EQ(column.read(text).verdict, Verdict::kOutside) << text;
    EXPECT_EQ(column.encode(text), 0U) << text;
  }
  for (const char* text : {"4", "99999999999999999999999", "1e999", "inf", "9223372036854775808"}) {
    EXPECT_EQ(column.read(text).verdict, Verdict::kOutside) << text;
    EXPECT_EQ(column.encode(text), 5U) << text;
  }
  EXPECT_EQ(column.read("1.6").verdict, Verdict::kNotWhole);
  EXPECT_EQ(column.encode("1.6"), 4U) << "the nearest integer";
  for (const char* text : {"abc", "0x1", "1,0", "--1", "\xc3"}) {
    EXPECT_EQ(column.read(text).verdict, Verdict::kUnreadable) << text;
    EXPECT_EQ(column.encode(text), 6U) << text;
  }
  EXPECT_EQ(column.read(" NA ").verdict, Verdict::kNull);
}

TEST(IntegerCells, CutTheWholeRangeIntoNearEqualCells) {
  const IntegerCells cells = IntegerCells::make(0, 109, 20);
  std::uint64_t total = 0;
  for (std::uint32_t cell = 0; cell < 20; ++cell) {
    EXPECT_THAT(cells.points(cell), testing::AnyOf(5U, 6U));
    for (std::uint64_t point = 0; point < cells.points(cell); ++point) {
      std::string text;
      cells.write(cell, point, text);
      EXPECT_EQ(text, std::to_string(total));
      EXPECT_EQ(cells.read(text).cell, cell);
      ++total;
    }
  }
  EXPECT_EQ(total, 110U);
}

TEST(IntegerCells, ReachTheEndsOf64Bits) {
  const Column low = Column::make("i", IntegerCells::make(kLowest, kLowest + 1));
  EXPECT_EQ(low.encode("-9223372036854775807"), 1U);
  EXPECT_EQ(low.encode("-9223372036854775808"), 0U);
  EXPECT_EQ(low.encode("-1e19"), 0U);
  EXPECT_EQ(written(low, 0, 0), "-9223372036854775808");
  const Column high = Column::make("i", IntegerCells::make(0, kHighest - 1, 1U << 24U));
  EXPECT_EQ(high.encode("9223372036854775806"), (1U << 24U) - 1);
  EXPECT_EQ(written(high, (1U << 24U) - 1, high.points((1U << 24U) - 1) - 1),
            "9223372036854775806");
}

TEST(NumberCells, MapAsDeclared) {
  const Column column = Column::make("n", NumberCells::make(0, 1, 10));
  EXPECT_EQ(column.encode("0"), 0U);
  EXPECT_EQ(column.encode("0.1"), 1U) << "an edge belongs to the cell above it";
  EXPECT_EQ(column.encode("0.3"), 3U);
  EXPECT_EQ(column.encode("0.7"), 7U);
  EXPECT_EQ(column.encode("0.9999999"), 9U);
  EXPECT_EQ(column.encode("1"), 9U) << "the last cell is closed";
  EXPECT_EQ(column.encode("1e-999"), 0U);
  for (const char* text : {"-0.001", "-inf", "-1e999"}) {
    EXPECT_EQ(column.read(text).verdict, Verdict::kOutside) << text;
    EXPECT_EQ(column.encode(text), 0U) << text;
  }
  for (const char* text : {"1.0000001", "inf", "1e999", "2"}) {
    EXPECT_EQ(column.read(text).verdict, Verdict::kOutside) << text;
    EXPECT_EQ(column.encode(text), 9U) << text;
  }
  EXPECT_EQ(column.read("nan").verdict, Verdict::kNull);
  EXPECT_EQ(column.read("NAN").verdict, Verdict::kUnreadable);
  EXPECT_EQ(column.read("0.5.1").verdict, Verdict::kUnreadable);
  EXPECT_EQ(column.read("0x0.8p0").verdict, Verdict::kUnreadable);
}

TEST(NumberCells, WriteAFixedNumberOfDecimals) {
  const auto first = [](double min, double max, std::uint64_t bins) {
    return written(Column::make("n", NumberCells::make(min, max, bins)), 0, 0);
  };
  EXPECT_EQ(first(0, 1, 10), "0.00000");
  EXPECT_EQ(first(-1, 1, 2), "-1.0000");
  EXPECT_EQ(first(-0.25, 1, 1), "-0.2500");
  EXPECT_EQ(first(0, 200000, 20), "0.0");
  EXPECT_EQ(first(1e6, 2e6, 2), "1000000.0");
  EXPECT_EQ(first(1e20, 2e20, 2), "100000000000000000000.0");
  EXPECT_EQ(first(0, 1e-15, 1), "0.0000000000000000000");
}

// ---- Declared mappings

// ICD codes: 0412 and 412 are two diseases.
TEST(Categories, VerbatimMatchLetterForLetter) {
  const Column codes =
      Column::make("icd", Categories::make({"0412", "412", "250.0", "250.00"}, false, true));
  EXPECT_EQ(codes.encode("0412"), 0U);
  EXPECT_EQ(codes.encode("412"), 1U);
  EXPECT_EQ(codes.encode(std::int64_t{412}), 1U);
  EXPECT_EQ(codes.encode("250.00"), 3U);
  EXPECT_EQ(codes.read("0412.0").verdict, Verdict::kOutside);
  EXPECT_EQ(codes.read("00412").verdict, Verdict::kOutside);
  const Column truths = Column::make("flag", Categories::make({"N", "Y"}, false, true));
  EXPECT_EQ(truths.read("yes").verdict, Verdict::kOutside);
  EXPECT_NE(truths.canonical_text(),
            Column::make("flag", Categories::make({"N", "Y"})).canonical_text());
}

TEST(Mapping, NullCategoryIsTheLastOutcomeAndAnEmptyField) {
  const Column column =
      Column::make("i", IntegerCells::make(0, 4), {.null_is_category = true, .outside_value = "2"});
  EXPECT_EQ(column.size(), 6U);
  EXPECT_EQ(column.encode(""), 5U);
  EXPECT_EQ(column.encode("None"), 5U);
  EXPECT_EQ(column.encode("9"), 2U);
  EXPECT_EQ(column.encode("garbage"), 2U);
  EXPECT_EQ(column.points(5), 1U);
  EXPECT_EQ(written(column, 5, 0), "");
}

TEST(Mapping, WhatIsNoValueMayBecomeNull) {
  for (const char* null : {"", "null", "NA"}) {
    const Column column = Column::make("i", IntegerCells::make(0, 4),
                                       {.null_is_category = true, .outside_value = null});
    for (const char* text : {"", "9", "-1", "garbage", "2.5"}) {
      EXPECT_EQ(column.encode(text), 5U) << text;
    }
    EXPECT_EQ(column.encode("4"), 4U);
    EXPECT_EQ(column.encode(Value(std::int64_t{9})), 5U);
    const std::vector<double> numbers = {3, 17};
    std::vector<std::uint32_t> outcomes(2);
    column.encode(std::span<const double>(numbers), outcomes);
    EXPECT_EQ(outcomes, (std::vector<std::uint32_t>{3, 5}));
  }
  const Column words = Column::make("w", Categories::make({"a", "NA"}),
                                    {.null_is_category = true, .outside_value = "NA"});
  EXPECT_EQ(words.encode("b"), 1U) << "a declared value is no null";
}

TEST(Mapping, NullsGoToTheirValue) {
  const Column column = Column::make("i", IntegerCells::make(0, 4), {.null_value = "3"});
  EXPECT_EQ(column.encode("NULL"), 3U);
  EXPECT_EQ(column.encode("x"), 3U);
  EXPECT_EQ(column.encode("7"), 4U);
}

TEST(Mapping, TheDefaultBendsNothing) {
  for (const Mapping& mapping :
       {Mapping{}, Mapping{.null_is_category = true}, Mapping{.clips = true}}) {
    const Column integers = Column::make("i", IntegerCells::make(0, 4), mapping);
    const Column words = Column::make("w", Categories::make({"a", "b"}), mapping);
    const Column truths = Column::make("t", BooleanWords::make(), mapping);
    const Column days =
        Column::make("d", DateCells::make({.min = "2023-01-01", .max = "2023-01-09"}), mapping);
    EXPECT_EQ(integers.encode("99"), 4U) << "the nearest";
    EXPECT_EQ(integers.encode("3.6"), 4U) << "the nearest";
    EXPECT_EQ(days.encode("2024-01-01"), 8U) << "the nearest";
    EXPECT_EQ(integers.encode("old"), 5U);
    EXPECT_EQ(words.encode("c"), 2U);
    EXPECT_EQ(truths.encode("maybe"), 2U);
    EXPECT_EQ(days.encode("soon"), 9U);
    for (const Column& column : {integers, words, truths, days}) {
      EXPECT_EQ(column.encode("NA"), column.size() - 1) << column.name();
      EXPECT_TRUE(column.mapping().null_is_category) << column.name();
    }
  }
}

TEST(Mapping, WhatCannotBeReadIsMappedLikeANull) {
  const Column integers = Column::make("i", IntegerCells::make(0, 4), {.null_value = "3"});
  EXPECT_EQ(integers.encode("old"), 3U);
  EXPECT_EQ(integers.encode("99"), 4U);
  const Column words = Column::make("w", Categories::make({"a", "b"}), {.null_value = "b"});
  EXPECT_EQ(words.encode("c"), 1U);
  const Column empty = Column::make("w", Categories::make({"a", ""}));
  EXPECT_EQ(empty.size(), 2U) << "the empty text is its null";
  EXPECT_EQ(empty.encode(Value()), 1U);
  EXPECT_EQ(empty.encode("NA"), 1U);
  EXPECT_EQ(empty.encode("c"), 1U);
  const Column outside = Column::make("i", IntegerCells::make(0, 4), {.outside_value = "4"});
  EXPECT_EQ(outside.encode("old"), 4U);
  EXPECT_EQ(outside.encode("NA"), 5U) << "nulls are declared by themselves";
}

// ---- Refusals: one sentence each, exactly

TEST(Column, RefusesWhatCannotBeDeclared) {
  const auto integer = [] { return IntegerCells::make(0, 4); };
  EXPECT_EQ(refusal_of([&] { (void)Column::make("", integer()); }),
            "a column must have a name, but one has none");
  EXPECT_EQ(refusal_of([&] { (void)Column::make(std::string(501, 'x'), integer()); }),
            "a column's name must have at most 500 bytes, but one has 501");
  EXPECT_EQ(refusal_of([&] { (void)Column::make(std::string(500, '"'), integer()); }), "accepted");
  EXPECT_EQ(refusal_of([&] { (void)Column::make("a\nb", integer()); }),
            "a column's name must be one line of text without control characters, but holds byte "
            "10");
  EXPECT_EQ(refusal_of([&] { (void)Column::make("\xff", integer()); }),
            "a column's name must be UTF-8 text, but is not");
  EXPECT_EQ(refusal_of([&] { (void)Column::make("age", integer(), {.outside_value = "5"}); }),
            "column \"age\": outside must be an integer from 0 to 4 (or the word clip), but is "
            "\"5\"");
  EXPECT_EQ(refusal_of([&] {
              (void)Column::make("age", integer(), {.null_value = "1", .outside_value = "null"});
            }),
            "column \"age\": outside can be null only with null: category, which makes null a "
            "value");
  EXPECT_EQ(refusal_of([&] { (void)Column::make("age", integer(), {.null_value = "NA"}); }),
            "column \"age\": null must be an integer from 0 to 4 (or the word category), but "
            "is \"NA\"");
  EXPECT_EQ(refusal_of([&] {
              (void)Column::make("age", integer(), {.null_is_category = true, .null_value = "1"});
            }),
            "column \"age\": null must be either a category or a value, but is declared as both");
  EXPECT_EQ(refusal_of([&] {
              (void)Column::make("c", Categories::make({"", "x"}), {.null_is_category = true});
            }),
            "column \"c\": a null category is written as an empty field, but the empty text is a "
            "declared value");
}

TEST(Cells, RefuseWhatCannotBeDeclared) {
  EXPECT_EQ(refusal_of([] { (void)Categories::make({}); }),
            "values must list at least one value, but is empty");
  EXPECT_EQ(refusal_of([] {
              (void)Categories::make({"a", "b", "a"});
            }),
            "values must be distinct, but \"a\" is listed twice");
  EXPECT_EQ(refusal_of([] { (void)Categories::make({"a\rb"}); }),
            "a value must be one line of text without control characters, but holds byte 13");
  EXPECT_EQ(refusal_of([] { (void)BooleanWords::make("Yes", "yes"); }),
            "the words for false and true must differ by more than case or the way to write a "
            "number, but they are \"Yes\" and \"yes\"");
  EXPECT_EQ(refusal_of([] { (void)BooleanWords::make("1", "1.0"); }),
            "the words for false and true must differ by more than case or the way to write a "
            "number, but they are \"1\" and \"1.0\"");
  EXPECT_EQ(refusal_of([] {
              (void)Categories::make({"a", "1", "1.0"});
            }),
            "values must be distinct, but \"1\" and \"1.0\" are one value, written in two ways: "
            "keep one of them, or declare verbatim: true, for codes");
  EXPECT_EQ(
      refusal_of([] {
        (void)Categories::make({"true", "2", "True"});
      }),
      "values must be distinct, but \"true\" and \"True\" are one value, written in two ways: "
      "keep one of them, or declare verbatim: true, for codes");
  EXPECT_EQ(refusal_of([] { (void)IntegerCells::make(5, 4); }),
            "min must be at most max, but they are 5 and 4");
  EXPECT_EQ(refusal_of([] { (void)IntegerCells::make(0, 4, 0); }),
            "bins must be from 1 to 5, but is 0");
  EXPECT_EQ(refusal_of([] { (void)IntegerCells::make(0, 4, 6); }),
            "bins must be from 1 to 5, but is 6");
  EXPECT_EQ(refusal_of([] { (void)IntegerCells::make(0, 1 << 24, (1 << 24) + 1); }),
            "bins must be from 1 to 16777216, but is 16777217");
  EXPECT_EQ(refusal_of([] { (void)IntegerCells::make(kLowest, kHighest, 2); }),
            "min and max must be less than 2^63 apart, but they are -9223372036854775808 and "
            "9223372036854775807");
  EXPECT_EQ(refusal_of([] { (void)NumberCells::make(1, 1, 1); }),
            "min must be below max, but they are 1 and 1");
  EXPECT_EQ(refusal_of([] { (void)NumberCells::make(0, std::nan(""), 1); }),
            "min and max must be finite, but they are 0 and nan");
  EXPECT_EQ(refusal_of([] { (void)NumberCells::make(0, 1, 0); }),
            "bins must be from 1 to 16777216, but is 0");
  const auto unresolvable = [](double min, double max, std::uint64_t bins) {
    EXPECT_THAT(refusal_of([&] { (void)NumberCells::make(min, max, bins); }),
                testing::StartsWith(
                    "min, max and bins must give cells that decimal numbers can resolve, but"));
  };
  unresolvable(1e15, 1e15 + 1, 10);
  unresolvable(0, 1e-30, 1);
  unresolvable(-1e308, 1e308, 2);
  unresolvable(0, 1e39, 2);
}

TEST(NumberCells, WithoutBinsAreTheNumberToSixDigits) {
  const NumberCells cells = NumberCells::make(0, 100);
  EXPECT_FALSE(cells.declares_bins());
  EXPECT_EQ(cells.size(), NumberCells::kUndeclaredBins);
  std::string text;
  cells.write(cells.read("57.25").cell, 0, text);
  EXPECT_EQ(text, "57.249928");
  EXPECT_TRUE(NumberCells::make(0, 100, NumberCells::kUndeclaredBins).declares_bins());
  EXPECT_EQ(Column::make("n", cells).canonical_text(),
            "number 1:n 0x0p+0 0x1.9p+6 1048576 unbinned null 1048576");
  // Doubles between these bounds lie 1/8 apart: 2^20 cells could not be told from each other.
  EXPECT_EQ(NumberCells::make(1e15, 1e15 + 4096).size(), 256U);
  EXPECT_FALSE(NumberCells::make(1e15, 1e15 + 4096).declares_bins());
}

TEST(IntegerCells, WithoutBinsAreSingleAsLongAsTheyCanBe) {
  const IntegerCells single = IntegerCells::make(1, 1 << 24);
  EXPECT_TRUE(single.ungrouped());
  const IntegerCells grouped = IntegerCells::make(0, 1 << 25);
  EXPECT_EQ(grouped.size(), 1U << 23U);
  EXPECT_FALSE(grouped.ungrouped());
  EXPECT_FALSE(grouped.declares_bins());
  EXPECT_EQ(grouped.count(), (1U << 25U) + 1);
  EXPECT_TRUE(IntegerCells::make(0, 9, 5).declares_bins());
  EXPECT_FALSE(IntegerCells::make(0, 9, 10).declares_bins());
  EXPECT_EQ(Column::make("n", grouped).canonical_text(),
            "integer 1:n 0 33554432 8388608 unbinned null 8388608");
}

// ---- Properties

void expect_cells_are_kept(const Column& column, std::uint32_t outcome) {
  const std::uint64_t points = column.points(outcome);
  RC_ASSERT(points >= 1U);
  const std::uint64_t inner = *rc::gen::inRange<std::uint64_t>(0, points);
  for (const std::uint64_t point : {std::uint64_t{0}, inner, points - 1}) {
    const std::string text = written(column, outcome, point);
    const Reading reading = column.read(text);
    if (reading.verdict != Verdict::kValue || reading.cell != outcome) {
      RC_FAIL("wrote " + text + " for cell " + std::to_string(outcome) + ", read cell " +
              std::to_string(reading.cell));
    }
  }
}

RC_GTEST_PROP(IntegerCells, WriteInsideTheirCell, ()) {
  const auto a = *rc::gen::arbitrary<std::int64_t>();
  const auto b = *rc::gen::oneOf(rc::gen::arbitrary<std::int64_t>(),
                                 rc::gen::map(rc::gen::inRange(0, 1000), [a](int offset) {
                                   return a > kHighest - offset ? a : a + offset;
                                 }));
  const std::int64_t min = std::min(a, b);
  const std::int64_t max = std::max(a, b);
  const auto span = static_cast<std::uint64_t>(max) - static_cast<std::uint64_t>(min);
  RC_PRE(span < (std::uint64_t{1} << 63U));
  const auto bins =
      *rc::gen::inRange<std::uint64_t>(1, std::min(span, std::uint64_t{(1U << 24U) - 1}) + 2);
  const Column column = test::without_nulls("i", IntegerCells::make(min, max, bins));
  const auto outcome = *rc::gen::inRange<std::uint32_t>(0, column.size());
  expect_cells_are_kept(column, outcome);
  // Cells are contiguous and cover the range.
  RC_ASSERT(written(column, 0, 0) == std::to_string(min));
  const std::uint32_t last = column.size() - 1;
  RC_ASSERT(written(column, last, column.points(last) - 1) == std::to_string(max));
}

RC_GTEST_PROP(NumberCells, WriteInsideTheirCellAndCoverTheRange, ()) {
  const auto bound = rc::gen::oneOf(
      rc::gen::map(rc::gen::inRange(-1000000, 1000000), [](int i) { return i / 1000.0; }),
      rc::gen::map(rc::gen::pair(rc::gen::inRange(-999, 1000), rc::gen::inRange(-12, 12)),
                   [](const std::pair<int, int>& p) { return p.first * std::pow(10, p.second); }),
      rc::gen::arbitrary<double>());
  const double a = *bound;
  const double b = *bound;
  const auto bins = *rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(1, 50),
                                    rc::gen::inRange<std::uint64_t>(1, (1U << 24U) + 1));
  std::optional<NumberCells> cells;
  try {
    cells = NumberCells::make(std::min(a, b), std::max(a, b), bins);
  } catch (const InvalidInput&) {
    RC_DISCARD("not a resolvable range");
  }
  const Column column = test::without_nulls("n", *cells);
  const auto outcome = *rc::gen::inRange<std::uint32_t>(0, column.size());
  expect_cells_are_kept(column, outcome);
  // Neighbouring cells leave no lattice point out: the text after a cell's last is the next's
  // first.
  if (outcome + 1 < column.size()) {
    const double end = std::stod(written(column, outcome, column.points(outcome) - 1));
    const double begin = std::stod(written(column, outcome + 1, 0));
    RC_ASSERT(end < begin);
    const double width = (cells->max() - cells->min()) / cells->size();
    RC_ASSERT(begin - end <= width / 9);
  }
  // All values of a column have equally many decimals, at least one.
  const auto decimals = [](const std::string& text) { return text.size() - text.find('.') - 1; };
  RC_ASSERT(decimals(written(column, outcome, 0)) == decimals(written(column, 0, 0)));
  RC_ASSERT(decimals(written(column, 0, 0)) >= 1U);
}

RC_GTEST_PROP(Column, EncodeIsTotalAndMapsAsDeclared, (const std::string& garbage)) {
  const std::vector<Cells> types = {Categories::make({"a", "b", "c"}), BooleanWords::make(),
                                    IntegerCells::make(-5, 50, 7), NumberCells::make(-1, 1, 9)};
  for (const Cells& cells : types) {
    std::string valid;
    std::visit([&valid](const auto& type) { type.write(1, 0, valid); }, cells);
    for (const Mapping& mapping : {Mapping{}, Mapping{.null_is_category = true},
                                   Mapping{.null_value = valid}, Mapping{.outside_value = valid}}) {
      const Column column = Column::make("c", cells, mapping);
      const Reading reading = column.read(garbage);
      const std::uint32_t outcome = column.encode(garbage);
      RC_ASSERT(outcome < column.size());
      RC_ASSERT(outcome == column.encode(garbage));
      const std::uint32_t of_null = mapping.null_value ? 1 : column.size() - 1;
      const bool is_near = kind_of(cells).bounded && reading.verdict != Verdict::kUnreadable;
      switch (reading.verdict) {
        case Verdict::kValue:
          RC_ASSERT(outcome == reading.cell);
          break;
        case Verdict::kNull:
          RC_ASSERT(outcome == of_null);
          break;
        case Verdict::kOutside:
        case Verdict::kNotWhole:
        case Verdict::kUnreadable:
          RC_ASSERT(outcome == (mapping.outside_value ? 1 : is_near ? reading.cell : of_null));
          break;
      }
    }
  }
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Field text.

namespace {

using test::kInfinity;

TEST(ReadNumber, ReadsDecimalNotation) {
  EXPECT_EQ(read_number("3.5"), 3.5);
  EXPECT_EQ(read_number("-12"), -12.0);
  EXPECT_EQ(read_number("+7"), 7.0);
  EXPECT_EQ(read_number(" \t7 "), 7.0);
  EXPECT_EQ(read_number(".5"), 0.5);
  EXPECT_EQ(read_number("5."), 5.0);
  EXPECT_EQ(read_number("1e3"), 1000.0);
  EXPECT_EQ(read_number("1E+3"), 1000.0);
  EXPECT_EQ(read_number("007"), 7.0);
}

TEST(ReadNumber, SendsWhatIsTooLargeToInfinityAndWhatIsTooSmallToZero) {
  EXPECT_EQ(read_number("inf"), kInfinity);
  EXPECT_EQ(read_number("-Infinity"), -kInfinity);
  EXPECT_EQ(read_number("1e999"), kInfinity);
  EXPECT_EQ(read_number("-1e999"), -kInfinity);
  EXPECT_EQ(read_number("1e99999999999999999999999999"), kInfinity);
  EXPECT_EQ(read_number("1e-999"), 0.0);
  EXPECT_EQ(read_number("-1e-99999999999999999999999999"), 0.0);
  EXPECT_EQ(read_number("1" + std::string(100000, '0')), kInfinity);
  EXPECT_EQ(read_number("0." + std::string(100000, '0') + "1"), 0.0);
  EXPECT_EQ(read_number("1" + std::string(100000, '0') + "e-200000"), 0.0);
  EXPECT_EQ(read_number("0." + std::string(1000, '0') + "1e2000"), kInfinity);
  EXPECT_EQ(read_number("1" + std::string(1000, '0') + "e-1000"), 1.0);
}

TEST(ReadNumber, ReadsNothingElse) {
  for (const char* text :
       {"",    " ",    "+",      "-",   ".",   "e5",    "1e",   "0x10", "1,5",   "1 2",
        "nan", "-NaN", "nan(1)", "++1", "+-1", "1_000", "\xff", "１",   "1e5.0", "infinite"}) {
    EXPECT_FALSE(read_number(text).has_value()) << text;
  }
  EXPECT_FALSE(read_number({}).has_value());
  EXPECT_FALSE(read_number(std::string("1\0", 2)).has_value());
}

TEST(ReadInteger, ReadsDigitsWithOrWithoutZeroDecimals) {
  EXPECT_EQ(read_integer("3"), 3);
  EXPECT_EQ(read_integer("+3"), 3);
  EXPECT_EQ(read_integer("-3.0"), -3);
  EXPECT_EQ(read_integer("3."), 3);
  EXPECT_EQ(read_integer(" 9223372036854775807.000 "), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(read_integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  for (const char* text : {"", "3.5", "3e0", "9223372036854775808", "x", "3 4", "-", "0x3"}) {
    EXPECT_FALSE(read_integer(text).has_value()) << text;
  }
}

TEST(IsNullWord, KnowsTheWords) {
  for (const char* word : {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"}) {
    EXPECT_TRUE(is_null_word(word)) << word;
  }
  for (const char* word : {" ", "na", "NAN", "none", "Null", "0", "-", "nanan"}) {
    EXPECT_FALSE(is_null_word(word)) << word;
  }
}

TEST(IsUtf8, RefusesBrokenSequences) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
  for (const char* text : {"\xff", "\xc3", "a\xc3(", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                           "\xe2\x82", "\x80"}) {
    EXPECT_FALSE(is_utf8(text));
  }
}

TEST(EqualIgnoringCase, ComparesAsciiLetters) {
  EXPECT_TRUE(equal_ignoring_case("TrUe", "tRuE"));
  EXPECT_FALSE(equal_ignoring_case("true", "tru"));
  EXPECT_FALSE(equal_ignoring_case("@", "`"));
}

RC_GTEST_PROP(ReadNumber, IsTotalAndAgreesWithReadInteger, (const std::string& text)) {
  const auto number = read_number(text);
  if (number) RC_ASSERT(!std::isnan(*number));
  if (const auto integer = read_integer(text)) {
    RC_ASSERT(number.has_value());
    RC_ASSERT(*number == static_cast<double>(*integer));
  }
}

RC_GTEST_PROP(ReadNumber, ReadsShortDecimalsAsTheStandardLibraryDoes, ()) {
  const auto digits = *rc::gen::inRange<std::size_t>(1, 19);
  std::string text = *rc::gen::container<std::string>(digits, rc::gen::inRange('0', ':'));
  text.insert(*rc::gen::inRange<std::size_t>(0, digits + 1), *rc::gen::element("", ".", "."));
  text.insert(0, *rc::gen::element("", "-"));
  double expected = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), expected);
  RC_ASSERT(result.ptr == text.data() + text.size());
  const auto found = read_number(text);
  RC_ASSERT(found.has_value());
  RC_ASSERT(std::bit_cast<std::uint64_t>(*found) == std::bit_cast<std::uint64_t>(expected));
}

// Texts that are nearly numbers, with letters next to digits and the point and their like with a
// high bit: the standard library says which of them are numbers, and which.
RC_GTEST_PROP(ReadNumber, ReadsAndRefusesWhatTheStandardLibraryDoes, ()) {
  const auto digit = rc::gen::inRange('0', ':');
  const auto odd = rc::gen::elementOf(std::string("..../:-e\xb0\xb9\xae\x10\x19\x0e\0", 15));
  const auto text = *rc::gen::container<std::string>(
      *rc::gen::inRange<std::size_t>(0, 20), rc::gen::weightedOneOf<char>({{9, digit}, {1, odd}}));
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  const auto found = read_number(text);
  RC_PRE(result.ec != std::errc::result_out_of_range);
  RC_ASSERT(found.has_value() == (result.ec == std::errc{} && result.ptr == end));
  if (found) {
    RC_ASSERT(std::bit_cast<std::uint64_t>(*found) == std::bit_cast<std::uint64_t>(value));
  }
  std::int64_t integer = 0;
  const auto whole = std::from_chars(text.data(), end, integer);
  if (whole.ec == std::errc{} && whole.ptr == end) RC_ASSERT(read_integer(text) == integer);
  if (text.find_first_not_of("-0123456789.") != std::string::npos) {
    RC_ASSERT(!read_integer(text).has_value());
  }
}

RC_GTEST_PROP(ReadNumber, ReadsWhatItWasGiven, (double value)) {
  RC_PRE(std::isfinite(value));
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", value);
  RC_ASSERT(read_number(text) == value);
}

}  // namespace

}  // namespace mollify
