#include "arrow/temporal_text.h"

#include <iterator>

#include <fmt/format.h>

#include "space/time_text.h"

namespace mollify {
namespace {

std::int64_t divided_down(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

}  // namespace

// In the calendar that begins on a first of March the leap day is the last of its year, and years
// repeat after 400.
void append_date(std::int64_t days, std::string& text) {
  constexpr std::int64_t kDaysToEpoch = 719468;  // from 0000-03-01
  constexpr std::int64_t kDaysOfEra = 146097;
  const std::int64_t era = divided_down(days + kDaysToEpoch, kDaysOfEra);
  const std::int64_t day = days + kDaysToEpoch - era * kDaysOfEra;
  const std::int64_t year_of_era = (day - day / 1460 + day / 36524 - day / 146096) / 365;
  const std::int64_t day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month = (5 * day_of_year + 2) / 153;  // 0 is March
  const std::int64_t day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
  const std::int64_t year = 400 * era + year_of_era + (month >= 10 ? 1 : 0);
  fmt::format_to(std::back_inserter(text), "{}{:04}-{:02}-{:02}", year < 0 ? "-" : "",
                 year < 0 ? -year : year, month >= 10 ? month - 9 : month + 3, day_of_month);
}

void append_time(std::int64_t count, std::int64_t per_second, std::string& text) {
  const std::int64_t seconds = divided_down(count, per_second);
  const std::int64_t days = divided_down(seconds, kSecondsOfDay);
  // Not by a product, which may overflow.
  const std::int64_t second =
      seconds % kSecondsOfDay + (seconds % kSecondsOfDay < 0 ? kSecondsOfDay : 0);
  const std::int64_t part = count % per_second + (count % per_second < 0 ? per_second : 0);
  append_date(days, text);
  fmt::format_to(std::back_inserter(text), "T{:02}:{:02}:{:02}", second / 3600, second / 60 % 60,
                 second % 60);
  if (part == 0) return;
  const std::int64_t nanoseconds = part * (1'000'000'000 / per_second);
  if (nanoseconds % 1000 == 0) {
    fmt::format_to(std::back_inserter(text), ".{:06}", nanoseconds / 1000);
  } else {
    fmt::format_to(std::back_inserter(text), ".{:09}", nanoseconds);
  }
}

}  // namespace mollify
