#include "domain/time_text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "base/names.h"
#include "base/refusal.h"
#include "core/invalid_input.h"
#include "domain/same_value.h"
#include "domain/zones.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Days and times as they are written.

namespace {

/// Reads a text from its front.
class Scanner {
 public:
  explicit Scanner(std::string_view text) noexcept : rest_(text) {}

  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }
  [[nodiscard]] bool at_digit() const noexcept {
    return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
  }
  /// Exactly this many digits.
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
  bool take(std::string_view word) noexcept {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  /// What lies before the mark, or before the end.
  std::string_view until(char mark) noexcept {
    return letters(std::min(rest_.find(mark), rest_.size()));
  }
  /// At most this many bytes.
  std::string_view letters(std::size_t count) noexcept {
    const std::string_view found = rest_.substr(0, count);
    rest_.remove_prefix(found.size());
    return found;
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

std::optional<std::int64_t> day_of_date(int year, int month, int day) noexcept {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (year < 1 || !date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

std::optional<std::int64_t> scan_day(Scanner& scanner) noexcept {
  const auto year = scanner.number(4);
  if (!year || !scanner.take('-')) return std::nullopt;
  const auto month = scanner.number(2);
  if (!month || !scanner.take('-')) return std::nullopt;
  const auto day = scanner.number(2);
  return day ? day_of_date(*year, *month, *day) : std::nullopt;
}

/// "Z", "+01:00", "-0530" or "+00:53:28", in seconds east of UTC.
std::optional<std::int64_t> scan_offset(Scanner& scanner) noexcept {
  if (scanner.take('Z') || scanner.take('z')) return 0;
  const bool west = scanner.take('-');
  if (!west && !scanner.take('+')) return std::nullopt;
  const auto hours = scanner.number(2);
  if (!hours || *hours > 23) return std::nullopt;
  std::int64_t seconds = 3600 * std::int64_t{*hours};
  for (const int unit : {60, 1}) {
    if (!scanner.take(':') && !scanner.at_digit()) break;
    const auto found = scanner.number(2);
    if (!found || *found > 59) return std::nullopt;
    seconds += std::int64_t{unit} * *found;
  }
  return west ? -seconds : seconds;
}

/// "[Europe/Berlin]", as Java writes it behind the offset, which is enough. False for another rest.
bool take_zone_in_brackets(Scanner& scanner) noexcept {
  if (!scanner.take('[')) return false;
  const std::string_view name = scanner.until(']');
  const bool is_name = std::all_of(name.begin(), name.end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '/' || letter == '_' || letter == '-' ||
           letter == '+' || letter == ':';
  });
  return is_name && !name.empty() && scanner.take(']') && scanner.at_end();
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
  const bool has_space = scanner.take(' ');
  const bool is_utc = has_space && (scanner.take("UTC") || scanner.take("GMT"));
  time.offset = is_utc ? 0 : scan_offset(scanner);
  return time.offset && (scanner.at_end() || take_zone_in_brackets(scanner));
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
  TimeText time{.seconds = *day * kSecondsOfDay, .is_day = scanner.at_end()};
  if (time.is_day) return time;
  if (!scanner.take('T') && !scanner.take('t') && !scanner.take(' ')) return std::nullopt;
  return scan_clock(scanner, time) ? std::optional(time) : std::nullopt;
}

int side_of_far_time(std::string_view text) noexcept {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const int side = is_negative ? -1 : 1;
  if (equal_ignoring_case(text, "infinity") || equal_ignoring_case(text, "inf")) return side;
  const bool is_before_christ = text.size() > 3 && text.ends_with(" BC");
  if (is_before_christ) text.remove_suffix(3);
  // A year of more digits than a column has, or before the first one, and then month and day.
  Scanner scanner(text);
  const std::string_view year = scanner.digits();
  constexpr std::size_t kDigits = 4;
  const bool is_far = is_negative || is_before_christ || year == "0000" || year.size() > kDigits;
  if (year.size() < kDigits || !is_far) return 0;
  const bool has_day =
      scanner.take('-') && scanner.number(2) && scanner.take('-') && scanner.number(2);
  if (!has_day) return 0;
  TimeText time;
  const bool has_clock = scanner.take('T') || scanner.take('t') || scanner.take(' ');
  if (has_clock ? !scan_clock(scanner, time) : !scanner.at_end()) return 0;
  return is_before_christ || year == "0000" ? -1 : side;
}

std::optional<TimeText> read_clock(std::string_view text) noexcept {
  Scanner scanner(text);
  TimeText time;
  return scan_clock(scanner, time) ? std::optional(time) : std::nullopt;
}

std::int64_t divided_down(std::int64_t value, std::int64_t by) noexcept {
  return value / by - (value % by < 0 ? 1 : 0);
}

std::int64_t day_of(std::int64_t seconds) noexcept { return divided_down(seconds, kSecondsOfDay); }

namespace {

/// Of UTC.
std::int64_t second_of(const Moment& moment) noexcept {
  const auto& [kind, per_second, offset, zone, format] = moment.form;
  if (kind == MomentForm::Kind::kInstant) return divided_down(moment.count, per_second);
  const std::int64_t midnight = moment.count * kSecondsOfDay;
  return zone != nullptr ? zone->instant_of(midnight) : midnight - offset.value_or(0);
}

/// Of the moment's clock from UTC, in seconds to the east.
std::int64_t offset_of(const Moment& moment) noexcept {
  const MomentForm& form = moment.form;
  return form.zone != nullptr ? form.zone->offset_at(second_of(moment)) : form.offset.value_or(0);
}

struct Date {
  std::int64_t year, month, day;
};

// In the calendar that begins on a first of March the leap day is the last of its year, and years
// repeat after 400.
Date date_of(std::int64_t days) noexcept {
  constexpr std::int64_t kDaysToEpoch = 719468;  // from 0000-03-01
  constexpr std::int64_t kDaysOfEra = 146097;
  const std::int64_t era = divided_down(days + kDaysToEpoch, kDaysOfEra);
  const std::int64_t day = days + kDaysToEpoch - era * kDaysOfEra;
  const std::int64_t year_of_era = (day - day / 1460 + day / 36524 - day / 146096) / 365;
  const std::int64_t day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month = (5 * day_of_year + 2) / 153;  // 0 is March
  const std::int64_t day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
  return {400 * era + year_of_era + (month >= 10 ? 1 : 0), month >= 10 ? month - 9 : month + 3,
          day_of_month};
}

char* write_day(std::int64_t days, char* to) noexcept {
  const auto [year, month, day] = date_of(days);
  return fmt::format_to(to, "{}{:04}-{:02}-{:02}", year < 0 ? "-" : "", year < 0 ? -year : year,
                        month, day);
}

char* write_clock(std::int64_t second, std::int64_t nanoseconds, char* to) noexcept {
  to = fmt::format_to(to, "{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
  if (nanoseconds == 0) return to;
  return nanoseconds % 1000 != 0 ? fmt::format_to(to, ".{:09}", nanoseconds)
                                 : fmt::format_to(to, ".{:06}", nanoseconds / 1000);
}

char* write_offset(std::int64_t offset, char* to) noexcept {
  if (offset == 0) return fmt::format_to(to, "Z");
  const std::int64_t size = std::abs(offset);
  to = fmt::format_to(to, "{}{:02}:{:02}", offset < 0 ? '-' : '+', size / 3600, size / 60 % 60);
  return size % 60 == 0 ? to : fmt::format_to(to, ":{:02}", size % 60);  // before there were zones
}

}  // namespace

std::pair<std::int64_t, std::int64_t> shown_by(const Moment& moment) noexcept {
  if (moment.form.kind == MomentForm::Kind::kDay) return {moment.count, 0};
  const std::int64_t seconds = second_of(moment);
  // Not by a product or a sum of seconds, which may overflow.
  const std::int64_t second = seconds % kSecondsOfDay +
                              (seconds % kSecondsOfDay < 0 ? kSecondsOfDay : 0) + offset_of(moment);
  return {day_of(seconds) + day_of(second), second - day_of(second) * kSecondsOfDay};
}

std::string_view text_of(const Moment& moment, TextBuffer& buffer) noexcept {
  const auto& [kind, per_second, stated, zone, format] = moment.form;
  const auto [day, second] = shown_by(moment);
  char* end = buffer.data();
  if (format != nullptr) {
    end = format->write(day, second, second_of(moment), end);
    return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
  }
  switch (kind) {
    case MomentForm::Kind::kDay:
      end = write_day(day, end);
      break;
    case MomentForm::Kind::kInstant: {
      const std::int64_t part =
          moment.count % per_second + (moment.count % per_second < 0 ? per_second : 0);
      end = write_clock(second, part * (1'000'000'000 / per_second),
                        fmt::format_to(write_day(day, end), "T"));
      if (stated || zone != nullptr) end = write_offset(offset_of(moment), end);
    }
  }
  return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

// -----------------------------------------------------------------------------------------------
// Formats of other days and times.

namespace {

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
/// strptime's letters from the finest part on: months by number and by name are the same part.
constexpr std::string_view kLetters = "SMHdmY";
constexpr std::size_t kMostLettersOfFormat = 40;  // two letters of a part become four at most
constexpr double kDaysFromExcel = 25'569;         // from 1899-12-30 to 1970
constexpr double kBeginOfYears = -62'135'596'800, kEndOfYears = 253'402'300'800;
constexpr auto kWordsOfFormats =
    "format must be made of %Y, %m (or %b), %d, %H, %M and %S, like %d.%m.%Y, or be excel or unix, "
    "but is \"{}\"{}";

/// As strptime has it: "%d.%m.%Y" for "DD.MM.YYYY".
std::string with_letters(std::string_view text) {
  std::string made;
  while (!text.empty()) {
    const char letter = text.front();
    const std::size_t size = std::min(text.find_first_not_of(letter), text.size());
    const bool follows_hours = made.find("%H") != std::string::npos;
    const std::size_t place = std::string_view("yYdDmMhHsS").find(letter);
    if (place == std::string_view::npos || size < 2) {
      made += text.substr(0, size);
    } else {
      made += '%';
      made += "YYddmmHHSS"[place];
      if (made.back() == 'm' && follows_hours) made.back() = 'M';
    }
    text.remove_prefix(size);
  }
  return made;
}

[[noreturn]] void refuse_format(std::string_view text) {
  const std::vector<std::string> known = {"excel", "unix"};
  std::string meant = nearest_name(text, known);
  if (meant.empty() && text.find('%') == text.npos) {
    meant = with_letters(text);
    if (meant.find("%Y") == std::string::npos) meant.clear();
  }
  refuse_input("malformed-text", "format", {WayOut::declare("format", meant)}, kWordsOfFormats,
               text, meant.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", meant));
}

}  // namespace

TimeFormat::TimeFormat(std::string text, Kind kind, Unit unit, std::vector<Part> parts)
    : text_(std::move(text)),
      kind_(kind),
      unit_(unit),
      parts_(std::move(parts)),
      is_of_digits_(std::all_of(parts_.begin(), parts_.end(), [](const Part& part) {
        return !part.is_mark && part.letter != 'b';
      })) {}

const TimeFormat& TimeFormat::require(std::string_view text) {
  require_declarable(text, {"format", "format"});
  Kind kind = Kind::kLetters;
  std::vector<Part> parts;
  std::array<bool, kLetters.size()> has{};
  if (text == "excel" || text == "unix") {
    kind = text == "excel" ? Kind::kExcel : Kind::kUnix;
    has.fill(true);
  } else {
    if (text.size() > kMostLettersOfFormat) refuse_format(text);
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool is_part = text[i] == '%' && i + 1 < text.size();
      if (is_part) ++i;
      parts.push_back({!is_part, text[i]});
      if (!is_part) {
        // The digits of a part would not end at a digit of the format.
        if (text[i] == '%' || (text[i] >= '0' && text[i] <= '9')) refuse_format(text);
        continue;
      }
      const std::size_t place = kLetters.find(text[i] == 'b' ? 'm' : text[i]);
      if (place == kLetters.npos || has[place]) refuse_format(text);
      has[place] = true;
    }
  }
  const auto finest = std::find(has.begin(), has.end(), true);
  if (finest == has.end() || std::find(finest, has.end(), false) != has.end()) refuse_format(text);
  static auto& lock = *new std::mutex;
  static auto& known = *new std::map<std::string, TimeFormat, std::less<>>;
  const std::scoped_lock locked(lock);
  const auto unit = static_cast<Unit>(finest - has.begin());
  return known.try_emplace(std::string(text), TimeFormat(std::string(text), kind, unit, parts))
      .first->second;
}

std::optional<TimeText> TimeFormat::read_letters(std::string_view text) const noexcept {
  const std::size_t point = is_of_digits_ ? text.find('.') : text.npos;
  if (point != text.npos && point + 1 < text.size() &&
      text.find_first_not_of('0', point + 1) == text.npos) {
    text = text.substr(0, point);
  }
  // Whole numbers have no first zero.
  const bool lacks_zero =
      is_of_digits_ && parts_.front().letter != 'Y' && text.size() + 1 == 2 * parts_.size() + 2;
  Scanner scanner(text);
  int year = 1, month = 1, day = 1;
  std::array<int, 3> clock{};  // hour, minute, second
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto [is_mark, letter] = parts_[i];
    if (is_mark) {
      if (!scanner.take(letter)) return std::nullopt;
      continue;
    }
    if (letter == 'b') {
      const std::string_view name = scanner.letters(kMonths.front().size());
      const auto* const found = std::find_if(
          kMonths.begin(), kMonths.end(), [&](auto one) { return equal_ignoring_case(one, name); });
      if (found == kMonths.end()) return std::nullopt;
      month = static_cast<int>(found - kMonths.begin()) + 1;
      continue;
    }
    auto number = scanner.number(letter == 'Y' ? 4 : i == 0 && lacks_zero ? 1 : 2);
    const bool has_end =
        i + 1 == parts_.size() || parts_[i + 1].is_mark || parts_[i + 1].letter == 'b';
    const bool may_be_short = has_end && letter != 'Y' && !is_of_digits_;
    if (!number && may_be_short) number = scanner.number(1);
    if (!number) return std::nullopt;
    (letter == 'Y'   ? year
     : letter == 'm' ? month
     : letter == 'd' ? day
     : letter == 'H' ? clock[0]
     : letter == 'M' ? clock[1]
                     : clock[2]) = *number;
  }
  const auto date = day_of_date(year, month, day);
  if (!scanner.at_end() || !date || clock[0] > 23 || clock[1] > 59 || clock[2] > 60) {
    return std::nullopt;
  }
  const int second = std::min(clock[2], 59);  // a leap second is the one before it
  return TimeText{.seconds = *date * kSecondsOfDay + 3600 * clock[0] + 60 * clock[1] + second,
                  .is_day = unit_ >= Unit::kDay};
}

std::optional<double> TimeFormat::read_count(std::string_view text) const noexcept {
  const auto number = read_number(text);
  if (!number || kind_ == Kind::kUnix) return number ? std::optional(std::floor(*number)) : number;
  return std::round((*number - kDaysFromExcel) * static_cast<double>(kSecondsOfDay));
}

std::optional<TimeText> TimeFormat::read(std::string_view text) const noexcept {
  if (kind_ == Kind::kLetters) return read_letters(text);
  const auto count = read_count(text);
  if (!count || !(*count >= kBeginOfYears) || !(*count < kEndOfYears)) return std::nullopt;
  TimeText time{.seconds = static_cast<std::int64_t>(*count)};
  if (kind_ == Kind::kUnix) {
    time.offset = 0;
  } else {
    time.is_day = read_integer(text).has_value();
  }
  return time;
}

int TimeFormat::side_of_far_time(std::string_view text) const noexcept {
  const auto count = kind_ == Kind::kLetters ? std::nullopt : read_count(text);
  if (!count) return 0;
  return *count < kBeginOfYears ? -1 : *count >= kEndOfYears ? 1 : 0;
}

char* TimeFormat::write(std::int64_t day, std::int64_t second, std::int64_t instant,
                        char* to) const noexcept {
  if (kind_ == Kind::kUnix) return fmt::format_to(to, "{}", instant);
  if (kind_ == Kind::kExcel) {
    const double part = static_cast<double>(second) / static_cast<double>(kSecondsOfDay);
    return fmt::format_to(to, "{}", static_cast<double>(day) + kDaysFromExcel + part);
  }
  const Date date = date_of(day);
  for (const auto [is_mark, letter] : parts_) {
    if (is_mark) {
      *to++ = letter;
    } else if (letter == 'b') {
      const std::string_view name = kMonths[static_cast<std::size_t>(date.month - 1)];
      to = std::copy(name.begin(), name.end(), to);
    } else if (letter == 'Y') {
      to = fmt::format_to(to, "{:04}", date.year);
    } else {
      to = fmt::format_to(to, "{:02}",
                          letter == 'm'   ? date.month
                          : letter == 'd' ? date.day
                          : letter == 'H' ? second / 3600
                          : letter == 'M' ? second / 60 % 60
                                          : second % 60);
    }
  }
  return to;
}

}  // namespace mollify
