#include "domain/times.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/names.h"
#include "base/refusal.h"
#include "core/invalid_input.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Days and times as they are written.

namespace {

/// Reads a text from its front.
class Scanner {
 public:
  explicit Scanner(std::string_view text) noexcept : rest_(text) {}

  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }
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

namespace {

std::int64_t divided_down(std::int64_t value, std::int64_t by) noexcept {
  return value / by - (value % by < 0 ? 1 : 0);
}

std::int64_t day_of(std::int64_t seconds) noexcept { return divided_down(seconds, kSecondsOfDay); }

/// The day, and the second of it, that the moment's clock shows.
std::pair<std::int64_t, std::int64_t> shown_by(const Moment& moment) noexcept {
  if (moment.form.kind == MomentForm::Kind::kDay) return {moment.count, 0};
  const std::int64_t seconds = divided_down(moment.count, moment.form.per_second);
  // Not by a product or a sum of seconds, which may overflow.
  const std::int64_t second = seconds % kSecondsOfDay +
                              (seconds % kSecondsOfDay < 0 ? kSecondsOfDay : 0) +
                              moment.form.offset.value_or(0);
  return {day_of(seconds) + day_of(second), second - day_of(second) * kSecondsOfDay};
}

// In the calendar that begins on a first of March the leap day is the last of its year, and years
// repeat after 400.
char* write_day(std::int64_t days, char* to) noexcept {
  constexpr std::int64_t kDaysToEpoch = 719468;  // from 0000-03-01
  constexpr std::int64_t kDaysOfEra = 146097;
  const std::int64_t era = divided_down(days + kDaysToEpoch, kDaysOfEra);
  const std::int64_t day = days + kDaysToEpoch - era * kDaysOfEra;
  const std::int64_t year_of_era = (day - day / 1460 + day / 36524 - day / 146096) / 365;
  const std::int64_t day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month = (5 * day_of_year + 2) / 153;  // 0 is March
  const std::int64_t day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
  const std::int64_t year = 400 * era + year_of_era + (month >= 10 ? 1 : 0);
  return fmt::format_to(to, "{}{:04}-{:02}-{:02}", year < 0 ? "-" : "", year < 0 ? -year : year,
                        month >= 10 ? month - 9 : month + 3, day_of_month);
}

char* write_clock(std::int64_t second, std::int64_t nanoseconds, char* to) noexcept {
  to = fmt::format_to(to, "{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
  if (nanoseconds == 0) return to;
  return nanoseconds % 1000 != 0 ? fmt::format_to(to, ".{:09}", nanoseconds)
                                 : fmt::format_to(to, ".{:06}", nanoseconds / 1000);
}

char* write_offset(std::optional<std::int32_t> offset, char* to) noexcept {
  if (!offset) return to;
  if (*offset == 0) return fmt::format_to(to, "Z");
  const std::int32_t size = std::abs(*offset);
  return fmt::format_to(to, "{}{:02}:{:02}", *offset < 0 ? '-' : '+', size / 3600, size / 60 % 60);
}

}  // namespace

std::string_view text_of(const Moment& moment, TextBuffer& buffer) noexcept {
  const auto [day, second] = shown_by(moment);
  char* end = buffer.data();
  switch (moment.form.kind) {
    case MomentForm::Kind::kDay:
      end = write_day(day, end);
      break;
    case MomentForm::Kind::kInstant: {
      const std::int64_t unit = moment.form.per_second;
      const std::int64_t part = moment.count % unit + (moment.count % unit < 0 ? unit : 0);
      end = write_clock(second, part * (1'000'000'000 / unit),
                        fmt::format_to(write_day(day, end), "T"));
      end = write_offset(moment.form.offset, end);
    }
  }
  return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

// -----------------------------------------------------------------------------------------------
// A column of days, or of seconds, from min to max.

namespace {

constexpr std::string_view kTimeSchema = R"({
  "description": "2026-01-31, or 2026-01-31T12:34:56.",
  "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}"})";
constexpr std::string_view kCalendarSchema = R"({
  "description": "day, week (from Monday), month, quarter, year, or a number of cells of near-equal size. Default: a cell for each day or second, up to 2^24.",
  "oneOf": [{"enum": ["day", "week", "month", "quarter", "year"]},
            {"type": "integer", "minimum": 1}]})";
constexpr std::string_view kZoneSchema = R"({
  "description": "The offset from UTC of the column's clock: Z or +01:00. Default: a clock without a zone; a time that states an offset is read as UTC's clock shows it.",
  "type": "string", "pattern": "^(Z|[-+][0-9]{2}(:?[0-9]{2})?)$"})";
constexpr std::string_view kSpikesSchema = R"({
  "description": "Days or times that many values are, ascending, each in a cell of its own.",
  "type": "array", "items": {"type": "string"}})";
constexpr std::string_view kStepSchema = R"({
  "description": "All times are whole minutes, hours or days. Default: second.",
  "enum": ["second", "minute", "hour", "day"]})";
constexpr std::array kKeysOfDate = {
    ColumnKey{"min", true, kTimeSchema}, ColumnKey{"max", true, kTimeSchema},
    ColumnKey{"bins", false, kCalendarSchema}, ColumnKey{"spikes", false, kSpikesSchema}};
constexpr std::array kKeysOfDatetime = {kKeysOfDate[0],
                                        kKeysOfDate[1],
                                        kKeysOfDate[2],
                                        kKeysOfDate[3],
                                        ColumnKey{"step", false, kStepSchema},
                                        ColumnKey{"zone", false, kZoneSchema}};
constexpr std::array<std::string_view, 4> kDates = {
    "min: 2020-01-31, max: 2026-12-31", "min: 2020-01-31, max: 2026-12-31, bins: month",
    "min: 2020-01-31, max: 2026-12-31, bins: 7",
    "min: 2020-01-31, max: 2026-12-31, bins: year, spikes: [2020-01-31, 2024-01-01, 2026-12-31]"};
constexpr std::array<std::string_view, 6> kDatetimes = {
    "min: 2026-01-01, max: 2026-12-31, bins: month, step: minute",
    "min: 2026-01-01, max: 2026-01-02, bins: 3, step: hour, spikes: [2026-01-02]",
    "min: 2026-01-01, max: \"2026-12-31T23:59:59\"",
    "min: 2026-01-01, max: \"2026-12-31T23:59:59\", bins: week",
    "min: 2026-01-01, max: \"2026-12-31T23:59:59\", bins: 5, zone: Z",
    "min: 2026-01-01, max: \"2026-12-31T23:59:59\", zone: \"-03:30\""};

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

std::int64_t seconds_of(TimeStep step) {
  switch (step) {
    case TimeStep::kSecond:
      return 1;
    case TimeStep::kMinute:
      return 60;
    case TimeStep::kHour:
      return 3600;
    case TimeStep::kDay:
      break;
  }
  return kSecondsOfDay;
}

constexpr std::int64_t kFirstDay = -719'162, kLastDay = 2'932'896;  // of years 1 and 9999

/// Of days or seconds: those from `min` to `max` with `spikes`.
IntegerCells cells_of(const DateCells::Declaration& declared, IntegerCells::Declaration numbers) {
  if (declared.step) numbers.step = seconds_of(*declared.step);
  const auto span =
      static_cast<std::uint64_t>(numbers.max) - static_cast<std::uint64_t>(numbers.min);
  if (!declared.period) {
    numbers.bins = declared.bins;
    if (!numbers.spikes.empty() && !declared.bins && span >= IntegerCells::kMaxBins) {
      refuse_input("missing-key", "spikes", {WayOut::declare("bins")},
                   "spikes must be given with bins, if the range is longer than {} seconds",
                   IntegerCells::kMaxBins);
    }
    return IntegerCells::make(numbers);
  }
  const bool in_days = declared.grain == Grain::kDay;
  const std::int64_t unit = in_days ? 1 : kSecondsOfDay;
  const std::int64_t min = numbers.min, max = numbers.max;
  numbers.edges = {min};
  for (const std::int64_t day :
       beginnings(*declared.period, in_days ? min : day_of(min), in_days ? max : day_of(max))) {
    if (day * unit > min) numbers.edges.push_back(day * unit);
  }
  if (numbers.step && numbers.edges.size() > 1 && min % *numbers.step != 0 &&
      numbers.edges[1] - min <
          *numbers.step - (min % *numbers.step + *numbers.step) % *numbers.step) {
    refuse_input("not-representable", "step",
                 "step must leave a value in each cell, but none is from {} to the next {}",
                 declared.min, name_of(*declared.period));
  }
  numbers.edges.push_back(max);
  return IntegerCells::make(numbers);
}

}  // namespace

constinit const ColumnKind DateCells::kDate{"date", "days", kKeysOfDate, kDates, true, true};
constinit const ColumnKind DateCells::kDatetime{"datetime", "times", kKeysOfDatetime,
                                                kDatetimes, true,    true};

DateCells DateCells::declare(const ColumnKind& kind, const Settings& settings) {
  Declaration declared{.grain = &kind == &kDate ? Grain::kDay : Grain::kSecond,
                       .min = settings.get<std::string>("min"),
                       .max = settings.get<std::string>("max"),
                       .zone = settings.maybe<std::string>("zone")};
  if (settings.has("spikes")) declared.spikes = settings.get<std::vector<std::string>>("spikes");
  if (const auto step = settings.maybe<std::string>("step")) {
    declared.step = named<TimeStep>(*step);
    if (!declared.step) refuse_name("step", all_names<TimeStep>(), *step, name_list<TimeStep>());
  }
  if (settings.has("bins")) declared.cut_by(settings.get<std::string>("bins"));
  return make(declared);
}

DeclaredSettings DateCells::settings() const {
  DeclaredSettings settings = {{"min", Setting::value(declared_.min)},
                               {"max", Setting::value(declared_.max)}};
  if (declared_.period) {
    settings.emplace_back("bins", Setting::word(std::string(name_of(*declared_.period))));
  }
  if (declared_.bins) settings.emplace_back("bins", Setting::word(std::to_string(*declared_.bins)));
  if (!declared_.spikes.empty()) {
    Setting list{.kind = Setting::Kind::kSequence};
    for (const std::string& spike : declared_.spikes) list.items.push_back(Setting::value(spike));
    settings.emplace_back("spikes", std::move(list));
  }
  if (declared_.step) {
    settings.emplace_back("step", Setting::word(std::string(name_of(*declared_.step))));
  }
  if (declared_.zone) settings.emplace_back("zone", Setting::value(*declared_.zone));
  return settings;
}

void DateCells::add_canonical(std::string& text) const {
  // The beginnings of its cells, whatever words declare them.
  text += fmt::format(" {} {} {} {}", cells_.min(), cells_.max(), cells_.size(),
                      declared_.zone.value_or("clock"));
  if (declared_.period) text += fmt::format(" {}", name_of(*declared_.period));
  const IntegerCells::Declaration& numbers = cells_.declared();
  if (!numbers.spikes.empty()) text += fmt::format(" spikes {}", fmt::join(numbers.spikes, " "));
  if (numbers.step) text += fmt::format(" step {}", *numbers.step);
}

void DateCells::describe(ColumnSchema& schema) const {
  schema.type = ValueType::kMoment;
  schema.moments = form_;
}

void DateCells::Declaration::cut_by(const std::string& text) {
  period = named<Period>(text);
  if (period) return;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    refuse_name("bins", all_names<Period>() + " or a number", text, name_list<Period>());
  }
  bins = number;
}

DateCells DateCells::make(const Declaration& declared) {
  refuse_if(declared.period && declared.bins, "contradicting-parameters", "bins",
            "bins must be a period or a number, but are both");
  std::optional<std::int64_t> offset;
  if (declared.zone) {
    offset = read_offset(*declared.zone);
    if (declared.grain == Grain::kDay || !offset) {
      refuse_input(
          "malformed-text", "zone",
          "zone must be an offset from UTC like Z or +01:00, for a datetime, but is \"{}\"",
          *declared.zone);
    }
  }
  const bool in_days = declared.grain == Grain::kDay;
  const auto place = [&](const char* key, const std::string& text) {
    const auto time = read_time(text);
    if (!time || (time->offset && !offset)) {
      refuse_input("malformed-text", key, "{} must be a {}, but is \"{}\"", key,
                   in_days ? "day like 2026-01-31" : "time like 2026-01-31T12:34:56", text);
    }
    if (in_days) return day_of(time->seconds);
    return time->seconds + (time->offset ? *offset - *time->offset : 0);
  };
  IntegerCells::Declaration numbers{.min = place("min", declared.min),
                                    .max = place("max", declared.max)};
  // A range of days ends with the last one, not with its first second.
  constexpr std::size_t kLettersOfDay = 10;  // of 2026-01-31
  if (!in_days && declared.max.size() == kLettersOfDay) numbers.max += kSecondsOfDay - 1;
  refuse_if(numbers.min > numbers.max, "not-ascending", "min",
            "min must be at most max, but they are {} and {}", declared.min, declared.max);
  for (std::size_t i = 0; i < declared.spikes.size(); ++i) {
    const std::int64_t spike = place("spikes", declared.spikes[i]);
    refuse_if(i > 0 && spike <= numbers.spikes.back(), "not-ascending", "spikes",
              "spikes must be ascending, but {} is followed by {}",
              declared.spikes[i > 0 ? i - 1 : 0], declared.spikes[i]);
    refuse_if(spike < numbers.min || spike > numbers.max, "out-of-range", "spikes",
              "spikes must be from {} to {}, but one is {}", declared.min, declared.max,
              declared.spikes[i]);
    numbers.spikes.push_back(spike);
  }
  return DateCells(declared, offset, cells_of(declared, std::move(numbers)));
}

DateCells::DateCells(Declaration declared, std::optional<std::int64_t> offset, IntegerCells cells)
    : declared_(std::move(declared)),
      form_{.kind = declared_.grain == Grain::kDay ? MomentForm::Kind::kDay
                                                   : MomentForm::Kind::kInstant},
      cells_(std::move(cells)) {
  if (offset) form_.offset = static_cast<std::int32_t>(*offset);
}

std::optional<std::int64_t> DateCells::place_of(std::string_view text) const noexcept {
  const auto time = read_time(without_outer_spaces(text));
  if (!time) return std::nullopt;
  const std::int64_t seconds =
      time->offset ? time->seconds + form_.offset.value_or(0) - *time->offset : time->seconds;
  return declared_.grain == Grain::kDay ? day_of(seconds) : seconds;
}

std::optional<std::int64_t> DateCells::place_of(const Moment& moment) const noexcept {
  const auto [day, second] = shown_by(moment);
  if (day < kFirstDay || day > kLastDay) return std::nullopt;
  const auto& offset = moment.form.offset;
  const std::int64_t seconds =
      day * kSecondsOfDay + second + (offset ? form_.offset.value_or(0) - *offset : 0);
  return declared_.grain == Grain::kDay ? day_of(seconds) : seconds;
}

Reading DateCells::read(std::string_view text) const noexcept {
  if (const auto place = place_of(text)) return read_place(*place);
  const std::string_view trimmed = without_outer_spaces(text);
  if (is_null_word(trimmed)) return {Verdict::kNull, 0};
  return beyond(side_of_far_time(trimmed));
}

Reading DateCells::read(const Moment& moment) const noexcept {
  if (const auto place = place_of(moment)) return read_place(*place);
  return beyond(shown_by(moment).first < kFirstDay ? -1 : 1);
}

Reading DateCells::read_place(std::int64_t place) const noexcept {
  if (!declared_.step || place < cells_.min()) return cells_.read(place);
  // A clock that shows hours alone shows the one that has begun.
  const std::int64_t step = seconds_of(*declared_.step);
  const std::int64_t begun = std::max(divided_down(place, step) * step, cells_.min());
  return {cells_.read(place).verdict, cells_.read(begun).cell};
}

Reading DateCells::beyond(int side) const noexcept {
  if (side == 0) return {Verdict::kUnreadable, 0};
  return {Verdict::kOutside, side < 0 ? 0 : size() - 1};
}

Moment DateCells::value(std::uint32_t cell, std::uint64_t point) const noexcept {
  return {cells_.value(cell, point) - form_.offset.value_or(0), form_};
}

void DateCells::write(std::uint32_t cell, std::uint64_t point, std::string& text) const {
  TextBuffer buffer;
  text += text_of(value(cell, point), buffer);
}

std::string DateCells::expectation() const {
  if (!form_.offset) {
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
