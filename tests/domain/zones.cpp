#include "domain/zones.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/times.h"
#include "refusal.h"

namespace mollify {

namespace {

std::int64_t second_at(std::string_view text) { return read_time(text)->seconds; }

std::string released_text(const DateCells& cells, std::string_view text) {
  const Reading reading = cells.read(text);
  std::string written;
  cells.write(reading.cell, 0, written);
  return written;
}

/// Refusals, and their way out.
std::pair<std::string, std::string> refused(const DateCells::Declaration& declared) {
  try {
    static_cast<void>(DateCells::make(declared));
  } catch (const InvalidInput& error) {
    EXPECT_EQ(error.ways_out().size(), 1U);
    return {error.what(), error.ways_out().empty() ? "" : error.ways_out().front().value};
  }
  return {};
}

// What Python's zoneinfo says of every minute (scripts/zone_references.py).
TEST(Zone, AgreesWithPythonInEveryMinute) {
  std::ifstream file(MOLLIFY_TEST_DATA "/zones.json");
  const auto references = nlohmann::json::parse(file);
  ASSERT_EQ(references.size(), 8U);
  for (const auto& reference : references) {
    const Zone& zone = Zone::require(reference["zone"].get<std::string>());
    std::size_t wrong = 0, minutes = 0;
    std::int64_t at = reference["first"];
    for (const auto& run : reference["offsets"]) {
      for (std::int64_t i = 0; i < run[0]; ++i, at += 60, ++minutes) {
        wrong += zone.offset_at(at) != run[1] ? 1U : 0U;
      }
    }
    at = reference["first"];
    for (const auto& run : reference["instants"]) {
      for (std::int64_t i = 0; i < run[0]; ++i, at += 60) {
        wrong += zone.instant_of(at) != at - run[1].get<std::int64_t>() ? 1U : 0U;
      }
    }
    EXPECT_EQ(wrong, 0U) << reference["zone"] << " " << reference["year"];
    EXPECT_EQ(minutes, 365U * 24 * 60);
  }
}

TEST(Zone, IsTotal) {
  const Zone& zone = Zone::require("Europe/Berlin");
  EXPECT_EQ(&zone, Zone::find("Europe/Berlin"));
  EXPECT_EQ(zone.offset_at(second_at("1800-01-01")), 3208) << "the sun's time";
  for (const std::int64_t far :
       {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_LT(std::abs(zone.offset_at(far)), kSecondsOfDay);
    EXPECT_NE(zone.instant_of(far), 0);
  }
  for (const char* name :
       {"", "/etc/passwd", "../../etc/passwd", "Europe/Berlin\n", "Europe", "Europe/Berlin ",
        "posixrules", "localtime", "posix/Europe/Berlin", "file:Europe/Berlin"}) {
    EXPECT_EQ(Zone::find(name), nullptr) << name;
  }
  EXPECT_THAT(zone_names(), testing::IsSupersetOf({"Europe/Berlin", "America/Argentina/Salta"}));
}

TEST(Zone, IsRefusedWithTheNearestName) {
  EXPECT_THAT(
      refused({.min = "2026-01-01", .max = "2026-01-02", .zone = "Europe/Berlim"}),
      testing::Pair("zone must be a name like Europe/Berlin, or an offset from UTC like Z or "
                    "+01:00, but is \"Europe/Berlim\" (did you mean \"Europe/Berlin\"?)",
                    "Europe/Berlin"));
  EXPECT_EQ(
      refused({.min = "2026-01-01", .max = "2026-01-02", .zone = "+25:00"}).first,
      "zone must be a name like Europe/Berlin, or an offset from UTC like Z or +01:00, but is "
      "\"+25:00\"");
}

TEST(Zone, IsRefusedWithTheZoneOfACity) {
  EXPECT_EQ(refused({.min = "2026-01-01", .max = "2026-01-02", .zone = "new york"}).second,
            "America/New_York");
  EXPECT_EQ(refused({.min = "2026-01-01", .max = "2026-01-02", .zone = "Paris"}).second,
            "Europe/Paris");
}

TEST(Zone, SaysThatAMachineHasNoZoneData) {
  const char* const folder = std::getenv("TZDIR");
  const std::optional<std::string> before =
      folder == nullptr ? std::nullopt : std::optional<std::string>(folder);
  ::setenv("TZDIR", "/nowhere", 1);
  EXPECT_EQ(refused({.min = "2026-01-01", .max = "2026-01-02", .zone = "Pacific/Chatham"}).first,
            "zone must be an offset from UTC, like Z or +01:00, because this machine has no zone "
            "data, but is \"Pacific/Chatham\". For names, install zone data: the package tzdata of "
            "the system or of Python, or a folder that TZDIR names");
  if (before) {
    ::setenv("TZDIR", before->c_str(), 1);
  } else {
    ::unsetenv("TZDIR");
  }
}

TEST(DateCells, ShowTheClockOfANamedZone) {
  const DateCells hours = DateCells::make({.grain = Grain::kSecond,
                                           .min = "2026-01-01",
                                           .max = "2026-12-31",
                                           .bins = 365 * 24,
                                           .zone = "Europe/Berlin",
                                           .step = TimeStep::kHour});
  for (const auto& [summer, winter] :
       {std::pair{"2026-07-01T07:00:00Z", "2026-01-15T08:00:00Z"},
        std::pair{"2026-07-01 09:00", "2026-01-15 09:00"},
        std::pair{"2026-07-01T03:00:00-0400", "2026-01-15T03:00-05"}}) {
    EXPECT_EQ(released_text(hours, summer), "2026-07-01T09:00:00+02:00");
    EXPECT_EQ(released_text(hours, winter), "2026-01-15T09:00:00+01:00");
  }
  EXPECT_EQ(hours.read("2025-12-31T23:00:00Z").verdict, Verdict::kValue) << "the first hour";
  EXPECT_EQ(hours.read("2025-12-31T22:59:59Z").verdict, Verdict::kOutside);
  // The night of 29 March has no 02:00, and the night of 25 October has 02:00 twice.
  EXPECT_EQ(released_text(hours, "2026-03-29T02:00:00"), "2026-03-29T03:00:00+02:00");
  EXPECT_EQ(released_text(hours, "2026-10-25T00:00:00Z"), "2026-10-25T02:00:00+02:00");
  EXPECT_EQ(released_text(hours, "2026-10-25T01:00:00Z"), "2026-10-25T02:00:00+02:00");
  EXPECT_EQ(released_text(hours, "2026-10-25T02:00:00Z"), "2026-10-25T03:00:00+01:00");
  const Zone* const new_york = Zone::find("America/New_York");
  const Moment evening{second_at("2026-06-01T00:30:00") * 1000,
                       {.kind = MomentForm::Kind::kInstant, .per_second = 1000, .zone = new_york}};
  EXPECT_EQ(hours.read(evening).cell, hours.read("2026-06-01T02:30:00").cell);
  TextBuffer buffer;
  EXPECT_EQ(text_of(evening, buffer), "2026-05-31T20:30:00-04:00");
}

TEST(DateCells, AreOfEachTimesOwnClock) {
  const DateCells days = DateCells::make({.min = "2026-05-01", .max = "2026-06-30"});
  const DateCells times = DateCells::make(
      {.grain = Grain::kSecond, .min = "2026-05-01", .max = "2026-06-30", .period = Period::kDay});
  const DateCells berlin =
      DateCells::make({.min = "2026-05-01", .max = "2026-06-30", .zone = "Europe/Berlin"});
  const MomentForm form{.kind = MomentForm::Kind::kInstant, .per_second = 1'000'000'000};
  for (const auto& [text, own, in_berlin] :
       {std::tuple{"2026-06-01 00:00:00+02:00", "2026-06-01", "2026-06-01"},
        std::tuple{"2026-05-31 20:30:00-04:00", "2026-05-31", "2026-06-01"},
        std::tuple{"2026-05-31T23:00:00Z", "2026-05-31", "2026-06-01"},
        std::tuple{"2026-05-31T23:00:00", "2026-05-31", "2026-05-31"}}) {
    EXPECT_EQ(days.read(text).cell, days.read(own).cell) << text;
    EXPECT_EQ(times.read(text).cell, times.read(own).cell) << text;
    EXPECT_EQ(berlin.read(text).cell, berlin.read(in_berlin).cell) << text;
    const auto time = read_time(text);
    Moment moment{(time->seconds - time->offset.value_or(0)) * form.per_second, form};
    if (time->offset) moment.form.offset = static_cast<std::int32_t>(*time->offset);
    EXPECT_EQ(days.read(moment).cell, days.read(own).cell) << text;
    EXPECT_EQ(times.read(moment).cell, times.read(own).cell) << text;
    EXPECT_EQ(berlin.read(moment).cell, berlin.read(in_berlin).cell) << text;
  }
  EXPECT_EQ(released_text(berlin, "2026-06-01"), "2026-06-01") << "days state no offset";
  EXPECT_EQ(DateCells::make({.min = "2026-01-01", .max = "2026-01-02", .zone = "Z"})
                .read("2026-01-02T00:30:00+01:00")
                .cell,
            0U);
}

// -----------------------------------------------------------------------------------------------
// Formats.

TEST(TimeFormat, ReadsAndWritesInIt) {
  for (const auto& [format, text, iso] :
       {std::tuple{"%Y%m%d", "20230310", "2023-03-10"},
        std::tuple{"%d.%m.%Y", "10.03.2023", "2023-03-10"},
        std::tuple{"%m/%d/%Y", "03/10/2023", "2023-03-10"},
        std::tuple{"%d-%b-%Y", "10-Mar-2023", "2023-03-10"},
        std::tuple{"%Y-%m", "2023-03", "2023-03-01"}, std::tuple{"%b %Y", "May 2023", "2023-05-01"},
        std::tuple{"%Y", "2023", "2023-01-01"}, std::tuple{"excel", "44995", "2023-03-10"},
        std::tuple{"excel", "44995.75", "2023-03-10T18:00:00"},
        std::tuple{"unix", "1678406400", "2023-03-10T00:00:00Z"},
        std::tuple{"%d.%m.%Y %H:%M", "10.03.2023 14:05", "2023-03-10T14:05:00"},
        std::tuple{"%H:%M:%S %Y年%m月%d日", "14:05:07 2023年03月10日", "2023-03-10T14:05:07"}}) {
    const TimeFormat& made = TimeFormat::require(format);
    const auto time = made.read(text);
    ASSERT_TRUE(time) << format;
    const auto expected = read_time(iso);
    EXPECT_EQ(time->seconds, expected->seconds) << format;
    EXPECT_EQ(time->offset, expected->offset) << format;
    EXPECT_EQ(time->is_day, expected->is_day) << format;
    const Moment moment{time->seconds, {.kind = MomentForm::Kind::kInstant, .format = &made}};
    TextBuffer buffer;
    EXPECT_EQ(text_of(moment, buffer), text);
  }
  const TimeFormat& american = TimeFormat::require("%m/%d/%Y");
  EXPECT_EQ(american.read("3/1/2023")->seconds, second_at("2023-03-01"));
  EXPECT_EQ(TimeFormat::require("%Y%m%d").read("20230310.0")->seconds, second_at("2023-03-10"));
  EXPECT_EQ(TimeFormat::require("%d%b%Y").read("10MAR2023")->seconds, second_at("2023-03-10"));
  for (const auto& [format, text] :
       {std::pair{"%m/%d/%Y", "13/01/2023"}, std::pair{"%m/%d/%Y", "02/29/2023"},
        std::pair{"%m/%d/%Y", "03/10/23"}, std::pair{"%m/%d/%Y", "03/10/2023 "},
        std::pair{"%m/%d/%Y", ""}, std::pair{"%Y%m%d", "2023310"},
        std::pair{"%Y%m%d", "20230310.5"}, std::pair{"%Y%m%d", "20230310."},
        std::pair{"%d-%b-%Y", "10-Mrz-2023"}, std::pair{"%d-%b-%Y", "10-"}, std::pair{"%Y", "0000"},
        std::pair{"excel", "soon"}, std::pair{"excel", "1e300"}, std::pair{"unix", "-1e300"},
        std::pair{"unix", "nan"}, std::pair{"%Y-%m-%d %H", "2023-03-10 24"}}) {
    EXPECT_FALSE(TimeFormat::require(format).read(text)) << format << " " << text;
  }
  EXPECT_EQ(TimeFormat::require("excel").side_of_far_time("1e300"), 1);
  EXPECT_EQ(TimeFormat::require("unix").side_of_far_time("-inf"), -1);
  EXPECT_EQ(TimeFormat::require("%Y").side_of_far_time("1e300"), 0);
}

TEST(DateCells, AreOfADeclaredFormat) {
  const DateCells digits = DateCells::make(
      {.min = "20230101", .max = "2023-12-31", .period = Period::kMonth, .format = "%Y%m%d"});
  EXPECT_EQ(digits.read("20230310").cell, 2U);
  EXPECT_EQ(digits.read("2023-03-10").cell, 2U) << "as programs write days into files";
  EXPECT_EQ(digits.read("10.03.2023").verdict, Verdict::kUnreadable);
  EXPECT_EQ(digits.read("20240101").verdict, Verdict::kOutside);
  EXPECT_EQ(digits.read("NA").verdict, Verdict::kNull);
  EXPECT_EQ(digits.expectation(), "a day from 20230101 to 20231231");
  const Column column =
      Column::make("d", digits, {.null_value = "20230401", .missing = {{"99991231", "unknown"}}});
  EXPECT_EQ(column.encode(std::int64_t{20230310}), 2U);
  EXPECT_EQ(column.encode(20230310.0), 2U) << "as a column with nulls holds it";
  EXPECT_EQ(column.encode(std::monostate()), 3U);
  EXPECT_TRUE(column.is_missing_code(column.encode(std::int64_t{99991231})));
  std::string text;
  column.write(column.encode(std::int64_t{99991231}), 0, text);
  EXPECT_EQ(text, "99991231");

  const DateCells months = DateCells::make(
      {.min = "2023-02", .max = "2024-01", .period = Period::kQuarter, .format = "%Y-%m"});
  ASSERT_EQ(months.size(), 5U);
  EXPECT_EQ(months.points(0), 2U);
  EXPECT_EQ(months.points(1), 3U);
  EXPECT_EQ(months.points(4), 1U);
  for (std::uint32_t cell = 0; cell < months.size(); ++cell) {
    for (std::uint64_t point = 0; point < months.points(cell); ++point) {
      EXPECT_EQ(months.read(months.value(cell, point)).cell, cell);
    }
  }
  EXPECT_EQ(months.read("2024-01-31").verdict, Verdict::kValue) << "a day of the last month";
  EXPECT_EQ(released_text(months, "2023-08-15"), "2023-07");
  EXPECT_EQ(months.value(1, 2), (Moment{day_of(second_at("2023-06-01")), months.value(1, 2).form}));
  const DateCells halves =
      DateCells::make({.min = "2023-01", .max = "2023-12", .bins = 2, .format = "%Y-%m"});
  EXPECT_EQ(halves.read("2023-06-30").cell, 0U);
  EXPECT_EQ(halves.read("2023-07").cell, 1U);
  EXPECT_EQ(DateCells::make({.min = "2001", .max = "2024", .format = "%Y"}).size(), 24U);

  const DateCells minutes = DateCells::make({.grain = Grain::kSecond,
                                             .min = "01.03.2023 00:00",
                                             .max = "2023-03-31",
                                             .period = Period::kDay,
                                             .format = "%d.%m.%Y %H:%M"});
  EXPECT_EQ(minutes.points(0), 24U * 60);
  EXPECT_EQ(minutes.read("31.03.2023 23:59").cell, 30U) << "the end of the last day";
  const DateCells seconds = DateCells::make(
      {.min = "2023-03-01", .max = "2023-03-31", .zone = "Europe/Berlin", .format = "unix"});
  EXPECT_EQ(seconds.read("1678406400").cell, 9U);
  EXPECT_EQ(seconds.read("1678402800").cell, 9U) << "midnight in Berlin";
  EXPECT_EQ(released_text(seconds, "1678402799"), "1678316400") << "midnight in Berlin, too";
  EXPECT_EQ(seconds.read("1e300").cell, 30U);
  EXPECT_EQ(seconds.read("1e300").verdict, Verdict::kOutside);
}

TEST(DateCells, RefuseFormatsThatDoNotFit) {
  const auto refusal_of = [](DateCells::Declaration declared) { return refused(declared); };
  EXPECT_THAT(
      refusal_of({.min = "2023-01-01", .max = "2023-12-31", .format = "DD.MM.YYYY"}),
      testing::Pair("format must be made of %Y, %m (or %b), %d, %H, %M and %S, like %d.%m.%Y, "
                    "or be excel or unix, but is \"DD.MM.YYYY\" (did you mean \"%d.%m.%Y\"?)",
                    "%d.%m.%Y"));
  for (const char* format : {"", "%y-%m-%d", "%d.%m", "%Y-%d", "%Y%Y", "%Y-%m-%d %M", "%", "%Y%",
                             "20%Y", "%Y-%m-%d %m"}) {
    EXPECT_THAT(refusal_of({.min = "2023-01-01", .max = "2023-12-31", .format = format}).first,
                testing::StartsWith("format must be made of"))
        << format;
  }
  EXPECT_EQ(refusal_of({.min = "2023-01-01", .max = "2023-12-31", .format = "exel"}).second,
            "excel");
  EXPECT_EQ(test::refusal_of([] {
              static_cast<void>(DateCells::make(
                  {.min = "10/03/2023", .max = "2023-12-31", .format = "%d.%m.%Y"}));
            }),
            "min must be a day like 2026-01-31, or have the format \"%d.%m.%Y\", but is "
            "\"10/03/2023\"");
  EXPECT_THAT(
      refusal_of({.min = "2023-01", .max = "2023-12", .period = Period::kWeek, .format = "%Y-%m"}),
      testing::Pair("bins must be month, quarter or year, or a number, because the format "
                    "\"%Y-%m\" shows no days, but is week",
                    "month"));
  EXPECT_EQ(
      refusal_of({.min = "2023-01", .max = "2023-12", .format = "%Y-%m", .spikes = {"2023-03"}})
          .first,
      "spikes must be left out, because the format \"%Y-%m\" shows no days");
  EXPECT_EQ(
      refusal_of({.grain = Grain::kSecond, .min = "2023-01", .max = "2023-12", .format = "%Y-%m"})
          .second,
      "date");
}

}  // namespace

}  // namespace mollify
