#include "domain/times.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/names.h"
#include "core/invalid_input.h"
#include "domain/column.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Days and times as they are written.

namespace {

/// Reads a text from its front.
class Scanner {
 public:
  explicit Scanner(std::string_view text) noexcept : rest_(text) {}

  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }
  /// Exactly so many digits.
  std::optional<int> number(std::size_t digits) noexcept {
    if (rest_.size() < digits) return std::nullopt;
    int value = 0;
    for (const char letter : rest_.substr(0, digits)) {
      if (letter < '0' || letter > '9') return std::nullopt;
      value = 10 * value + (letter - '0');
    }
    rest_.remove_prefix(digits);
    return value;
  }
  bool take(char letter) noexcept {
    if (!rest_.starts_with(letter)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string_view digits() noexcept {
    const std::string_view found =
        rest_.substr(0, std::min(rest_.find_first_not_of("0123456789"), rest_.size()));
    rest_.remove_prefix(found.size());
    return found;
  }

 private:
  std::string_view rest_;
};

std::optional<std::int64_t> scan_day(Scanner& scanner) noexcept {
  const auto year = scanner.number(4);
  if (!year || *year < 1 || !scanner.take('-')) return std::nullopt;
  const auto month = scanner.number(2);
  if (!month || !scanner.take('-')) return std::nullopt;
  const auto day = scanner.number(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

/// "Z", "+01:00" or "-0530", in seconds east of UTC.
std::optional<std::int64_t> scan_offset(Scanner& scanner) noexcept {
  if (scanner.take('Z') || scanner.take('z')) return 0;
  const bool west = scanner.take('-');
  if (!west && !scanner.take('+')) return std::nullopt;
  const auto hours = scanner.number(2);
  if (!hours || *hours > 23) return std::nullopt;
  int minutes = 0;
  if (scanner.take(':') || !scanner.at_end()) {
    const auto found = scanner.number(2);
    if (!found || *found > 59) return std::nullopt;
    minutes = *found;
  }
  const std::int64_t seconds = 3600 * std::int64_t{*hours} + 60 * minutes;
  return west ? -seconds : seconds;
}

/// Adds the rest of a text, "9:30:00.5Z", to a time. False unless it is a clock.
bool scan_clock(Scanner& scanner, TimeText& time) noexcept {
  auto hours = scanner.number(2);
  if (!hours) hours = scanner.number(1);
  if (!hours || *hours > 23 || !scanner.take(':')) return false;
  const auto minutes = scanner.number(2);
  if (!minutes || *minutes > 59) return false;
  int seconds = 0;
  if (scanner.take(':')) {
    const auto found = scanner.number(2);
    if (!found || *found > 60) return false;
    seconds = std::min(*found, 59);  // a leap second is the one before it
    if (scanner.take('.')) {
      time.fraction = scanner.digits();
      time.fraction = time.fraction.substr(0, time.fraction.find_last_not_of('0') + 1);
    }
  }
  time.seconds += 3600 * std::int64_t{*hours} + 60 * *minutes + seconds;
  if (scanner.at_end()) return true;
  time.offset = scan_offset(scanner);
  return time.offset && scanner.at_end();
}

}  // namespace

std::optional<std::int64_t> read_offset(std::string_view text) noexcept {
  Scanner scanner(text);
  const auto offset = scan_offset(scanner);
  if (!scanner.at_end()) return std::nullopt;
  return offset;
}

std::optional<TimeText> read_time(std::string_view text) noexcept {
  Scanner scanner(text);
  const auto day = scan_day(scanner);
  if (!day) return std::nullopt;
  TimeText time{*day * kSecondsOfDay};
  if (scanner.at_end()) return time;
  if (!scanner.take('T') && !scanner.take('t') && !scanner.take(' ')) return std::nullopt;
  return scan_clock(scanner, time) ? std::optional(time) : std::nullopt;
}

std::optional<TimeText> read_clock(std::string_view text) noexcept {
  Scanner scanner(text);
  TimeText time;
  return scan_clock(scanner, time) ? std::optional(time) : std::nullopt;
}

// -----------------------------------------------------------------------------------------------
// A column of days, or of seconds, from min to max.

namespace {

std::int64_t day_of(std::int64_t seconds) noexcept {
  return seconds / kSecondsOfDay - (seconds % kSecondsOfDay < 0 ? 1 : 0);
}

/// The days on which cells of a period begin, the first one not after `first`.
std::vector<std::int64_t> beginnings(Period period, std::int64_t first, std::int64_t last) {
  using namespace std::chrono;
  std::vector<std::int64_t> days;
  const auto count = [](sys_days day) -> std::int64_t { return day.time_since_epoch().count(); };
  const sys_days begin{std::chrono::days(first)};
  if (period == Period::kDay || period == Period::kWeek) {
    const std::int64_t width = period == Period::kDay ? 1 : 7;
    const std::int64_t back =
        period == Period::kDay ? 0 : static_cast<std::int64_t>(weekday(begin).iso_encoding()) - 1;
    for (std::int64_t day = first - back; day <= last; day += width) days.push_back(day);
    return days;
  }
  const year_month_day date(begin);
  const unsigned width = period == Period::kMonth ? 1 : period == Period::kQuarter ? 3 : 12;
  const unsigned month = (static_cast<unsigned>(date.month()) - 1) / width * width + 1;
  year_month_day next{date.year(), std::chrono::month(month), std::chrono::day(1)};
  for (; count(sys_days(next)) <= last; next += months(static_cast<int>(width))) {
    days.push_back(count(sys_days(next)));
  }
  return days;
}

IntegerCells cells_of(const DateCells::Declaration& declared, std::int64_t min, std::int64_t max) {
  if (!declared.period) return IntegerCells::make(min, max, declared.bins);
  const bool in_days = declared.grain == Grain::kDay;
  const std::int64_t unit = in_days ? 1 : kSecondsOfDay;
  std::vector<std::int64_t> starts = {min};
  for (const std::int64_t day :
       beginnings(*declared.period, in_days ? min : day_of(min), in_days ? max : day_of(max))) {
    if (day * unit > min) starts.push_back(day * unit);
  }
  return IntegerCells::with_starts(starts, max);
}

}  // namespace

void DateCells::Declaration::cut_by(const std::string& text) {
  period = named<Period>(text);
  if (period) return;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    refuse_name("bins", "one of " + all_names<Period>() + " or a number", text,
                name_list<Period>());
  }
  bins = number;
}

DateCells DateCells::make(const Declaration& declared) {
  if (declared.period && declared.bins) {
    throw InvalidInput("bins must be a period or a number, but are both");
  }
  std::optional<std::int64_t> offset;
  if (declared.zone) {
    offset = read_offset(*declared.zone);
    if (declared.grain == Grain::kDay || !offset) {
      throw InvalidInput(fmt::format(
          "zone must be an offset from UTC like Z or +01:00, for a datetime, but is \"{}\"",
          *declared.zone));
    }
  }
  const bool in_days = declared.grain == Grain::kDay;
  const auto place = [&](const char* key, const std::string& text) {
    const auto time = read_time(text);
    if (!time || (time->offset && !offset)) {
      throw InvalidInput(
          fmt::format("{} must be a {}, but is \"{}\"", key,
                      in_days ? "day like 2026-01-31" : "time like 2026-01-31T12:34:56", text));
    }
    if (in_days) return day_of(time->seconds);
    return time->seconds + (time->offset ? *offset - *time->offset : 0);
  };
  const std::int64_t min = place("min", declared.min);
  const std::int64_t max = place("max", declared.max);
  if (min > max) {
    throw InvalidInput(
        fmt::format("min must be at most max, but they are {} and {}", declared.min, declared.max));
  }
  return DateCells(declared, offset, cells_of(declared, min, max));
}

DateCells::DateCells(Declaration declared, std::optional<std::int64_t> offset, IntegerCells cells)
    : declared_(std::move(declared)), offset_(offset), cells_(std::move(cells)) {}

Reading DateCells::read(std::string_view text) const noexcept {
  const std::string_view trimmed = without_outer_spaces(text);
  const auto time = read_time(trimmed);
  if (!time) return {is_null_word(trimmed) ? Verdict::kNull : Verdict::kUnreadable, 0};
  const std::int64_t seconds =
      time->offset ? time->seconds + offset_.value_or(0) - *time->offset : time->seconds;
  return cells_.read(declared_.grain == Grain::kDay ? day_of(seconds) : seconds);
}

void DateCells::write(std::uint32_t cell, std::uint64_t point, std::string& text) const {
  const std::int64_t value = cells_.value(cell, point);
  const bool in_days = declared_.grain == Grain::kDay;
  const std::int64_t day = in_days ? value : day_of(value);
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days(static_cast<int>(day)))};
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  if (in_days) return;
  const std::int64_t clock = value - day * kSecondsOfDay;
  fmt::format_to(out, "T{:02}:{:02}:{:02}", clock / 3600, clock / 60 % 60, clock % 60);
  if (!offset_) return;
  if (*offset_ == 0) {
    text += 'Z';
    return;
  }
  const std::int64_t size = *offset_ < 0 ? -*offset_ : *offset_;
  fmt::format_to(out, "{}{:02}:{:02}", *offset_ < 0 ? '-' : '+', size / 3600, size / 60 % 60);
}

std::string DateCells::expectation() const {
  if (!offset_) {
    return fmt::format("a {} from {} to {}", declared_.grain == Grain::kDay ? "day" : "time",
                       declared_.min, declared_.max);
  }
  // With their zone, for a value may state another one.
  std::string min, max;
  write(0, 0, min);
  write(size() - 1, points(size() - 1) - 1, max);
  return fmt::format("a time from {} to {}", min, max);
}

}  // namespace mollify
