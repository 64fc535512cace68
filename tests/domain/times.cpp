#include "domain/times.h"

#include <limits>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "refusal.h"

namespace mollify {

namespace {

DateCells days(const std::string& min, const std::string& max, const std::string& bins = "") {
  DateCells::Declaration declared{.min = min, .max = max};
  if (!bins.empty()) declared.cut_by(bins);
  return DateCells::make(declared);
}

DateCells times(const std::string& min, const std::string& max,
                std::optional<std::string> zone = std::nullopt, const std::string& bins = "") {
  DateCells::Declaration declared{
      .grain = Grain::kSecond, .min = min, .max = max, .zone = std::move(zone)};
  if (!bins.empty()) declared.cut_by(bins);
  return DateCells::make(declared);
}

/// "from ... to ...", of one cell.
std::string span_of(const DateCells& cells, std::uint32_t cell) {
  std::string first, last;
  cells.write(cell, 0, first);
  cells.write(cell, cells.points(cell) - 1, last);
  return first + ".." + last;
}

std::string refusal(const DateCells::Declaration& declared) {
  return test::refusal_of([&] { static_cast<void>(DateCells::make(declared)); });
}

TEST(DateCells, FollowTheCalendar) {
  const DateCells months = days("2023-12-15", "2024-03-01", "month");
  ASSERT_EQ(months.size(), 4U);
  EXPECT_EQ(span_of(months, 0), "2023-12-15..2023-12-31");
  EXPECT_EQ(span_of(months, 2), "2024-02-01..2024-02-29") << "a leap year";
  EXPECT_EQ(span_of(months, 3), "2024-03-01..2024-03-01");
  const DateCells weeks = days("2026-01-01", "2026-01-12", "week");  // a Thursday
  ASSERT_EQ(weeks.size(), 3U);
  EXPECT_EQ(span_of(weeks, 0), "2026-01-01..2026-01-04");
  EXPECT_EQ(span_of(weeks, 1), "2026-01-05..2026-01-11");
  EXPECT_EQ(days("2026-01-05", "2026-01-11", "week").size(), 1U);
  const DateCells quarters = days("1899-11-30", "1900-04-01", "quarter");
  ASSERT_EQ(quarters.size(), 3U);
  EXPECT_EQ(span_of(quarters, 1), "1900-01-01..1900-03-31") << "1900 was none";
  EXPECT_EQ(span_of(days("1969-07-20", "1971-01-01", "year"), 1), "1970-01-01..1970-12-31");
  EXPECT_EQ(days("2026-01-01", "2026-01-31").size(), 31U);
  EXPECT_EQ(days("2026-01-01", "2026-01-31", "day").size(), 31U);
  EXPECT_EQ(days("2026-01-01", "2026-01-31", "3").size(), 3U);
  EXPECT_EQ(days("2026-01-01", "2026-01-01", "year").size(), 1U);
  EXPECT_EQ(days("0001-01-01", "9999-12-31", "year").size(), 9999U);
}

TEST(DateCells, ReadEveryTextTotally) {
  const DateCells cells = days("2026-01-01", "2026-12-31", "month");
  const auto expect = [&](const char* text, Verdict verdict, std::uint32_t cell) {
    EXPECT_EQ(cells.read(text).verdict, verdict) << text;
    EXPECT_EQ(cells.read(text).cell, cell) << text;
  };
  expect("2026-03-31", Verdict::kValue, 2);
  expect(" 2026-03-31 ", Verdict::kValue, 2);
  expect("2026-03-31T23:59:59Z", Verdict::kValue, 2);
  expect("2026-03-31 23:59", Verdict::kValue, 2);
  expect("2025-12-31", Verdict::kOutside, 0);
  expect("2027-01-01", Verdict::kOutside, 11);
  expect("", Verdict::kNull, 0);
  expect("NA", Verdict::kNull, 0);
  for (const char* text : {"2026-02-29", "2026-13-01", "2026-3-1", "26-03-01", "x0000-01-01",
                           "soon", "2026-03-31T", "2026-03-31T24:00:00", "2026-03-31X", "20260331",
                           "2026-03-31T10:00:00+1", "2026-03-31T10:00:00+01:00x", "46112"}) {
    expect(text, Verdict::kUnreadable, 0);
  }
}

// Databases have infinite days, and programs days of many years: they lie beyond the nearer bound.
TEST(DateCells, ReadFarTimesAsTheNearestBound) {
  const DateCells cells = days("2026-01-01", "2026-12-31", "month");
  for (const char* text : {"infinity", "+Infinity", "inf", "10000-01-01", "294247-01-10",
                           "12024-02-29 10:00:00", "+12024-02-29T10:00:00Z"}) {
    EXPECT_EQ(cells.read(text).verdict, Verdict::kOutside) << text;
    EXPECT_EQ(cells.read(text).cell, 11U) << text;
  }
  for (const char* text : {"-infinity", "-Inf", "0000-01-01", "-0044-03-15", "0044-03-15 BC"}) {
    EXPECT_EQ(cells.read(text).verdict, Verdict::kOutside) << text;
    EXPECT_EQ(cells.read(text).cell, 0U) << text;
  }
  for (const char* text : {"infinite", "10000-1-1", "20260331-01-01x", "1e400", "-2026", "BC"}) {
    EXPECT_EQ(cells.read(text).verdict, Verdict::kUnreadable) << text;
  }
  const std::int64_t far = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(cells.read(Moment{far}).cell, 11U);
  EXPECT_EQ(cells.read(Moment{-far}).cell, 0U);
  const MomentForm micros{.kind = MomentForm::Kind::kInstant, .per_second = 1'000'000};
  EXPECT_EQ(cells.read(Moment{far, micros}).cell, 11U) << "as DuckDB and PostgreSQL hold them";
  EXPECT_EQ(cells.read(Moment{far, micros}).verdict, Verdict::kOutside);
}

TEST(DateCells, ReadTimesOnTheStatedClock) {
  const DateCells east = times("2026-01-01T00:00:00", "2026-01-31T23:59:59", "+01:00", "day");
  EXPECT_EQ(east.size(), 31U);
  EXPECT_EQ(east.read("2026-01-09T23:30:00Z").cell, 9U) << "half past midnight there";
  EXPECT_EQ(east.read("2026-01-09T23:30:00").cell, 8U);
  EXPECT_EQ(east.read("2026-01-09T23:30:00.999+01:00").cell, 8U);
  EXPECT_EQ(east.read("2026-01-09T23:30:00-0230").cell, 9U);
  EXPECT_EQ(east.read("2025-12-31T23:00:00Z").verdict, Verdict::kValue);
  EXPECT_EQ(east.read("2025-12-31T22:59:59Z").verdict, Verdict::kOutside);
  EXPECT_EQ(span_of(east, 8), "2026-01-09T00:00:00+01:00..2026-01-09T23:59:59+01:00");
  const DateCells wall = times("2026-01-01T00:00:00", "2026-01-31T23:59:59");
  EXPECT_EQ(wall.read("2026-01-09T23:30:00+01:00").cell, wall.read("2026-01-09T23:30:00").cell)
      << "its own clock";
  EXPECT_EQ(wall.read("2026-01-09T23:30:00+01:00").verdict, Verdict::kValue);
  EXPECT_EQ(days("2026-01-01", "2026-01-31", "day").read("2026-01-09T23:30:00-01:00").cell, 8U);
  EXPECT_EQ(wall.read("2026-01-09T23:30:00Z").cell, wall.read("2026-01-09T23:30:00").cell);
  EXPECT_EQ(wall.read("2026-01-09").verdict, Verdict::kValue);
  EXPECT_EQ(span_of(times("1969-12-31", "1970-01-01", "Z"), 0),
            "1969-12-31T00:00:00Z..1969-12-31T00:00:00Z");
  EXPECT_EQ(times("1969-12-31T23:59:60", "1970-01-01T00:00:00").size(), 2U) << "a leap second";
  EXPECT_EQ(times("2023-12-31", "2023-12-31").read("2023-12-31T15:00:00").verdict, Verdict::kValue)
      << "a range ends with the end of its last day";
}

TEST(DateCells, TellTheirBoundsWithTheirZone) {
  const auto expectation = [](const DateCells::Declaration& declared) {
    return DateCells::make(declared).expectation();
  };
  const DateCells::Declaration plain{
      .grain = Grain::kSecond, .min = "2020-02-29", .max = "2020-03-01"};
  EXPECT_EQ(expectation(plain), "a time from 2020-02-29 to 2020-03-01");
  EXPECT_EQ(expectation({.grain = Grain::kSecond,
                         .min = "2020-02-28T23:00:00Z",
                         .max = "2020-03-01",
                         .bins = 3,
                         .zone = "+01:00"}),
            "a time from 2020-02-29T00:00:00+01:00 to 2020-03-01T23:59:59+01:00");
}

TEST(DateCells, HoldListedDaysAlone) {
  const DateCells listed = DateCells::make({.values = {"2020-01-31", "2024-01-01", "2026-12-31"}});
  ASSERT_EQ(listed.size(), 3U);
  for (std::uint32_t cell = 0; cell < 3; ++cell) EXPECT_EQ(listed.points(cell), 1U);
  EXPECT_EQ(span_of(listed, 1), "2024-01-01..2024-01-01");
  EXPECT_EQ(listed.read("2024-01-01").verdict, Verdict::kValue);
  EXPECT_EQ(listed.read("2024-01-02").verdict, Verdict::kOutside);
  EXPECT_EQ(listed.read("2024-01-02").cell, 1U) << "the nearest";
  EXPECT_EQ(listed.read("9999-01-01").cell, 2U);
  EXPECT_EQ(listed.expectation(), "one of 3 days from 2020-01-31 to 2026-12-31");
  // A month is its first day, and a minute its first second.
  const DateCells months = DateCells::make({.format = "%b %Y", .values = {"Jan 2023", "Mar 2023"}});
  EXPECT_EQ(span_of(months, 1), "Mar 2023..Mar 2023");
  EXPECT_EQ(months.read("2023-01-31").cell, 0U);
  EXPECT_EQ(months.read("2023-01-31").verdict, Verdict::kValue);
  const DateCells minutes = DateCells::make({.grain = Grain::kSecond,
                                             .format = "%d.%m.%Y %H:%M",
                                             .values = {"01.02.2023 10:00", "01.02.2023 10:01"}});
  EXPECT_EQ(minutes.read("2023-02-01T10:00:59").cell, 0U);
  const DateCells zoned = DateCells::make(
      {.grain = Grain::kSecond, .zone = "+01:00", .values = {"2023-02-01T10:00:00", "2023-02-02"}});
  EXPECT_EQ(zoned.read("2023-02-01T09:00:00Z").cell, 0U);
  EXPECT_EQ(refusal({.values = {"2024-01-01", "2020-01-31"}}),
            "values must be ascending, but 2024-01-01 is followed by 2020-01-31");
  EXPECT_EQ(refusal({.values = {"2024-01-01", "soon"}}),
            "values must be a day like 2026-01-31, but is \"soon\"");
}

TEST(DateCells, ReadOffsetsOfOtherPrograms) {
  const DateCells hours = times("2026-01-31T00:00:00", "2026-01-31T23:59:59", "Z", "24");
  const std::uint32_t noon = hours.read("2026-01-31T12:00:00Z").cell;
  for (const char* text :
       {"2026-01-31 12:00:00 UTC", "2026-01-31 12:00 GMT", "2026-01-31T13:00:00+0100",
        "2026-01-31 13:00:00 +0100", "2026-01-31 13:00:00 +01:00", "2026-01-31 13:00:00+01",
        "2026-01-31T13:00:00+01:00[Europe/Berlin]", "2026-01-31T12:00Z[UTC]",
        "2026-01-31T12:00:00.5Z[Etc/GMT+0]"}) {
    EXPECT_EQ(hours.read(text).cell, noon) << text;
    EXPECT_EQ(hours.read(text).verdict, Verdict::kValue) << text;
  }
  for (const char* text :
       {"2026-01-31 12:00:00UTC", "2026-01-31 12:00:00 CET", "2026-01-31 12:00:00 UTC+1",
        "2026-01-31T12:00[Europe/Berlin]", "2026-01-31T12:00Z[]", "2026-01-31T12:00Z[UTC",
        "2026-01-31T12:00Z[UTC]x", "2026-01-31T12:00Z[U C]", "2026-01-31 UTC"}) {
    EXPECT_EQ(hours.read(text).verdict, Verdict::kUnreadable) << text;
  }
}

TEST(DateCells, ReadWholeNumbersWithoutTheirFirstZero) {
  const DateCells days =
      DateCells::make({.min = "01012023", .max = "12312023", .format = "%m%d%Y"});
  EXPECT_EQ(days.read("3102023").cell, days.read("2023-03-10").cell);
  EXPECT_EQ(days.read("3102023.0").cell, days.read("2023-03-10").cell);
  EXPECT_EQ(days.read("310202").verdict, Verdict::kUnreadable);
  const DateCells year_first =
      DateCells::make({.min = "20230101", .max = "20231231", .format = "%Y%m%d"});
  EXPECT_EQ(year_first.read("2023101").verdict, Verdict::kUnreadable);
}

TEST(DateCells, RefuseInOneSentence) {
  EXPECT_EQ(refusal({.min = "2026-02-30", .max = "2026-03-01"}),
            "min must be a day like 2026-01-31, but is \"2026-02-30\"");
  EXPECT_EQ(refusal({.grain = Grain::kSecond, .min = "2026-01-01", .max = "noon"}),
            "max must be a time like 2026-01-31T12:34:56, but is \"noon\"");
  EXPECT_EQ(refusal({.grain = Grain::kSecond, .min = "2026-01-01T00:00:00Z", .max = "2026-01-02"}),
            "min must be a time like 2026-01-31T12:34:56, but is \"2026-01-01T00:00:00Z\"");
  EXPECT_EQ(refusal({.min = "2026-01-02", .max = "2026-01-01"}),
            "min must be at most max, but they are 2026-01-02 and 2026-01-01");
  DateCells::Declaration declared;
  EXPECT_THROW(declared.cut_by("decade"), InvalidInput);
}

}  // namespace

}  // namespace mollify
