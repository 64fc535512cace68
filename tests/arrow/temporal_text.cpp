#include "arrow/temporal_text.h"

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace mollify {
namespace {

std::string date_of(std::int64_t days) {
  std::string text;
  append_date(days, text);
  return text;
}

std::string time_of(std::int64_t count, std::int64_t per_second) {
  std::string text;
  append_time(count, per_second, text);
  return text;
}

// The standard library's calendar is the second opinion, for all the years that it has.
TEST(TemporalText, WritesDatesOfTheCalendar) {
  using std::chrono::days;
  using std::chrono::sys_days;
  using std::chrono::year_month_day;
  const auto check = [](std::int64_t day) {
    const year_month_day date{sys_days{days{day}}};
    const int year = static_cast<int>(date.year());
    std::string digits = std::to_string(year < 0 ? -year : year);
    if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
    const auto two = [](unsigned value) { return (value < 10 ? "0" : "") + std::to_string(value); };
    ASSERT_EQ(date_of(day), (year < 0 ? "-" : "") + digits + "-" +
                                two(static_cast<unsigned>(date.month())) + "-" +
                                two(static_cast<unsigned>(date.day())));
  };
  for (std::int64_t day = -200'000; day <= 200'000; ++day) check(day);
  for (std::int64_t day = -11'900'000; day <= 11'200'000; day += 997) check(day);
}

TEST(TemporalText, WritesTimesAlikeInAnyUnit) {
  EXPECT_EQ(time_of(0, 1), "1970-01-01T00:00:00");
  EXPECT_EQ(time_of(1'709'209'845, 1), "2024-02-29T12:30:45");
  EXPECT_EQ(time_of(1'709'209'845'000'000'000, 1'000'000'000), "2024-02-29T12:30:45");
  EXPECT_EQ(time_of(1'709'209'845'500, 1'000), "2024-02-29T12:30:45.500000");
  EXPECT_EQ(time_of(1'709'209'845'500'000, 1'000'000), "2024-02-29T12:30:45.500000");
  EXPECT_EQ(time_of(1'709'209'845'000'000'001, 1'000'000'000), "2024-02-29T12:30:45.000000001");
  EXPECT_EQ(time_of(-1, 1'000), "1969-12-31T23:59:59.999000");
  EXPECT_EQ(time_of(-86'400, 1), "1969-12-31T00:00:00");
}

TEST(TemporalText, KnowsNoLimits) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(date_of(std::numeric_limits<std::int32_t>::max()), "5881580-07-11");
  EXPECT_EQ(date_of(std::numeric_limits<std::int32_t>::min()), "-5877641-06-23");
  EXPECT_EQ(time_of(kGreatest, 1), "292277026596-12-04T15:30:07");
  EXPECT_EQ(time_of(kLeast, 1), "-292277022657-01-27T08:29:52");
  EXPECT_EQ(time_of(kLeast, 1'000'000'000), "1677-09-21T00:12:43.145224192");
}

}  // namespace
}  // namespace mollify
