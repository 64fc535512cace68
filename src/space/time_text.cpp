#include "space/time_text.h"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace mollify {
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

}  // namespace mollify
