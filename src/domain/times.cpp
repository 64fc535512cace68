#include "domain/times.h"

#include <algorithm>
#include <array>
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
#include "base/words.h"
#include "core/invalid_input.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// A column of days, or of seconds, from min to max.

namespace {

constexpr std::string_view kTimeSchema = R"({
  "description": "2026-01-31, or 2026-01-31T12:34:56, or as the column's format has it.",
  "type": ["string", "number"]})";
constexpr std::string_view kCalendarSchema = R"({
  "description": "day, week (from Monday), month, quarter, year, or a number of cells of near-equal size. Default: a cell for each day or second, up to 2^24.",
  "oneOf": [{"enum": ["day", "week", "month", "quarter", "year"]},
            {"type": "integer", "minimum": 1}]})";
constexpr std::string_view kZoneSchema = R"({
  "description": "The column's clock: a zone such as Europe/Berlin, or an offset from UTC, Z or +01:00. Default: each time's own clock.",
  "type": "string", "pattern": "^(Z|[-+][0-9]{2}(:?[0-9]{2})?|[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*)$"})";
constexpr std::string_view kFormatSchema = R"({
  "description": "How texts of the column are written, with %Y, %m (or %b), %d, %H, %M and %S: %d.%m.%Y; or excel (days since 1899-12-30), or unix (seconds since 1970). Default: ISO 8601.",
  "type": "string", "pattern": "^(excel|unix|.*%Y.*)$"})";
constexpr std::string_view kSpikesSchema = R"({
  "description": "Days or times that many values are, ascending, each in a cell of its own.",
  "type": "array", "items": {"type": ["string", "number"]}})";
constexpr std::string_view kValuesSchema = R"({
  "description": "Instead of all but zone and format: the only days or times, ascending.",
  "type": "array", "items": {"type": ["string", "number"]}})";
constexpr std::string_view kStepSchema = R"({
  "description": "All times are whole minutes, hours or days. Default: second.",
  "enum": ["second", "minute", "hour", "day"]})";
constexpr std::array kKeysOfDate = {
    ColumnKey{"min", false, kTimeSchema},      ColumnKey{"max", false, kTimeSchema},
    ColumnKey{"bins", false, kCalendarSchema}, ColumnKey{"values", false, kValuesSchema},
    ColumnKey{"spikes", false, kSpikesSchema}, ColumnKey{"zone", false, kZoneSchema},
    ColumnKey{"format", false, kFormatSchema}};
constexpr std::array kKeysOfDatetime = {kKeysOfDate[0], kKeysOfDate[1],
                                        kKeysOfDate[2], kKeysOfDate[3],
                                        kKeysOfDate[4], ColumnKey{"step", false, kStepSchema},
                                        kKeysOfDate[5], kKeysOfDate[6]};
constexpr std::array<std::string_view, 9> kDates = {
    "min: 2020-01-31, max: 2026-12-31",
    "min: 2020-01-31, max: 2026-12-31, bins: month",
    "min: 2020-01-31, max: 2026-12-31, bins: 7",
    "min: 2020-01-31, max: 2026-12-31, bins: year, spikes: [2020-01-31, 2024-01-01, 2026-12-31]",
    "min: \"20200131\", max: \"20261231\", bins: month, format: \"%Y%m%d\"",
    "min: \"2020-01\", max: \"2026-12\", bins: quarter, format: \"%Y-%m\"",
    "min: 2020-01-31, max: 2026-12-31, bins: month, zone: Europe/Berlin, format: unix",
    "values: [2020-01-31, 2024-01-01, 2026-12-31]",
    "values: [\"2020-01\", \"2020-07\"], format: \"%Y-%m\""};
constexpr std::array<std::string_view, 10> kDatetimes = {
    "min: 2026-01-01, max: 2026-12-31, bins: month, step: minute",
    "min: 2026-01-01, max: 2026-01-02, bins: 3, step: hour, spikes: [2026-01-02]",
    "min: 2026-01-01, max: \"2026-12-31T23:59:59\"",
    "min: 2026-01-01, max: \"2026-12-31T23:59:59\", bins: week",
    "min: 2026-01-01, max: \"2026-12-31T23:59:59\", bins: 5, zone: Z",
    "min: 2026-01-01, max: \"2026-12-31T23:59:59\", zone: \"-03:30\"",
    "min: 2026-01-01, max: 2026-12-31, bins: day, zone: Europe/Berlin",
    "min: \"01.01.2026 00:00\", max: \"31.12.2026 23:59\", bins: week, format: \"%d.%m.%Y %H:%M\"",
    "min: \"46023\", max: \"46054\", bins: day, format: excel",
    "values: [2026-01-01, \"2026-01-01T09:30:00\"], zone: Europe/Berlin"};

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
  Declaration declared{.grain = &kind == &kDate ? Grain::kDay : Grain::kSecond};
  declared.zone = settings.maybe<std::string>("zone");
  declared.format = settings.maybe<std::string>("format");
  if (settings.has_instead("values", {"min", "max", "bins", "spikes", "step"})) {
    declared.values = settings.get<std::vector<std::string>>("values");
    refuse_if(declared.values.empty(), "wrong-shape", "values",
              "values must list at least one {}, but is empty", &kind == &kDate ? "day" : "time");
    return make(declared);
  }
  declared.min = settings.get<std::string>("min");
  declared.max = settings.get<std::string>("max");
  if (settings.has("spikes")) declared.spikes = settings.get<std::vector<std::string>>("spikes");
  if (const auto step = settings.maybe<std::string>("step")) {
    declared.step = named<TimeStep>(*step);
    if (!declared.step) refuse_name("step", all_names<TimeStep>(), *step, name_list<TimeStep>());
  }
  if (settings.has("bins")) declared.cut_by(settings.get<std::string>("bins"));
  return make(declared);
}

DeclaredSettings DateCells::settings() const {
  DeclaredSettings settings;
  const auto list = [](const std::vector<std::string>& texts) {
    Setting made{.kind = Setting::Kind::kSequence};
    for (const std::string& text : texts) made.items.push_back(Setting::value(text));
    return made;
  };
  if (is_listed()) {
    settings = {{"values", list(declared_.values)}};
  } else {
    settings = {{"min", Setting::value(declared_.min)}, {"max", Setting::value(declared_.max)}};
  }
  if (declared_.period) {
    settings.emplace_back("bins", Setting::word(std::string(name_of(*declared_.period))));
  }
  if (declared_.bins) settings.emplace_back("bins", Setting::word(std::to_string(*declared_.bins)));
  if (!declared_.spikes.empty()) settings.emplace_back("spikes", list(declared_.spikes));
  if (declared_.step) {
    settings.emplace_back("step", Setting::word(std::string(name_of(*declared_.step))));
  }
  if (declared_.zone) settings.emplace_back("zone", Setting::value(*declared_.zone));
  if (declared_.format) settings.emplace_back("format", Setting::value(*declared_.format));
  return settings;
}

void DateCells::add_canonical(std::string& text) const {
  // The beginnings of its cells, whatever words declare them.
  text += fmt::format(" {} {} {} {}", cells_.min(), cells_.max(), cells_.size(),
                      declared_.zone.value_or("clock"));
  if (declared_.period) text += fmt::format(" {}", name_of(*declared_.period));
  const IntegerCells::Declaration& numbers = cells_.declared();
  if (is_listed()) text += fmt::format(" values {}", fmt::join(numbers.values, " "));
  if (!numbers.spikes.empty()) text += fmt::format(" spikes {}", fmt::join(numbers.spikes, " "));
  if (numbers.step) text += fmt::format(" step {}", *numbers.step);
  if (format_ != nullptr)
    text += fmt::format(" format {}:{}", format_->text().size(), format_->text());
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
  DateCells made(declared);
  made.require_fitting_format();
  if (made.is_listed()) {
    made.declared_.min = declared.values.front();
    made.declared_.max = declared.values.back();
    made.cells_ = IntegerCells::make({.values = made.declared_places("values", declared.values)});
    return made;
  }
  IntegerCells::Declaration numbers{.min = made.declared_place("min", declared.min),
                                    .max = made.declared_place("max", declared.max, true),
                                    .spikes = made.declared_places("spikes", declared.spikes),
                                    .step = made.step_};
  refuse_if(numbers.min > numbers.max, "not-ascending", "min",
            "min must be at most max, but they are {} and {}", declared.min, declared.max);
  for (std::size_t i = 0; i < numbers.spikes.size(); ++i) {
    refuse_if(numbers.spikes[i] < numbers.min || numbers.spikes[i] > numbers.max, "out-of-range",
              "spikes", "spikes must be from {} to {}, but one is {}", declared.min, declared.max,
              declared.spikes[i]);
  }
  if (made.format_ != nullptr && made.format_->unit() > TimeFormat::Unit::kDay) {
    made.cut_by_units(numbers);
  } else {
    made.cells_ = cells_of(declared, std::move(numbers));
  }
  return made;
}

std::vector<std::int64_t> DateCells::declared_places(const char* key,
                                                     const std::vector<std::string>& texts) const {
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::int64_t declared = declared_place(key, texts[i]);
    const std::int64_t place = is_listed() ? start_of_unit(declared) : declared;
    refuse_if(i > 0 && place <= places.back(), "not-ascending", key,
              "{} must be ascending, but {} is followed by {}", key, texts[i > 0 ? i - 1 : 0],
              texts[i]);
    places.push_back(place);
  }
  return places;
}

DateCells::DateCells(Declaration declared) : declared_(std::move(declared)) {
  if (declared_.zone) {
    const auto offset = read_offset(*declared_.zone);
    clock_ = offset ? Clock{.offset = *offset} : Clock{.zone = &Zone::require(*declared_.zone)};
  }
  if (declared_.format) format_ = &TimeFormat::require(*declared_.format);
  if (!in_days() && format_ != nullptr) {
    constexpr std::array<std::int64_t, 4> kSecondsOfUnits = {1, 60, 3600, kSecondsOfDay};
    const auto unit =
        std::min(static_cast<std::size_t>(format_->unit()), kSecondsOfUnits.size() - 1);
    if (unit > 0) step_ = kSecondsOfUnits[unit];
  }
  if (declared_.step) step_ = std::max(step_.value_or(1), seconds_of(*declared_.step));
  form_.format = format_;
  if (!in_days()) form_.kind = MomentForm::Kind::kInstant;
  // Days state no offset, but may be written as seconds of UTC.
  if (clock_ && (!in_days() || (format_ != nullptr && format_->counts_seconds()))) {
    form_.zone = clock_->zone;
    if (form_.zone == nullptr) form_.offset = static_cast<std::int32_t>(clock_->offset);
  }
}

void DateCells::require_fitting_format() const {
  if (format_ == nullptr || format_->unit() <= TimeFormat::Unit::kDay) return;
  if (!in_days()) {
    refuse_input(
        "contradicting-parameters", "format", {WayOut::declare("type", "date")},
        "format must have %Y, %m (or %b) and %d for a datetime, but is \"{}\": declare a date",
        format_->text());
  }
  const bool of_months = format_->unit() == TimeFormat::Unit::kMonth;
  const Period least = of_months ? Period::kMonth : Period::kYear;
  if (declared_.period && *declared_.period < least) {
    refuse_input(
        "contradicting-parameters", "bins", {WayOut::declare("bins", std::string(name_of(least)))},
        "bins must be {}, or a number, because the format \"{}\" shows no days, but is {}",
        of_months ? "month, quarter or year" : "year", format_->text(), name_of(*declared_.period));
  }
  if (!declared_.spikes.empty()) {
    refuse_input("contradicting-parameters", "spikes", {WayOut::leave("spikes")},
                 "spikes must be left out, because the format \"{}\" shows no days",
                 format_->text());
  }
}

void DateCells::cut_by_units(IntegerCells::Declaration& numbers) {
  const bool of_months = format_->unit() == TimeFormat::Unit::kMonth;
  const Period unit = of_months ? Period::kMonth : Period::kYear;
  starts_ = beginnings(unit, numbers.min, numbers.max);
  const std::size_t count = starts_.size();
  numbers.min = starts_.front();
  numbers.edges = {numbers.min};
  if (declared_.bins) {
    refuse_outside({.least = 1, .most = static_cast<double>(count)},
                   static_cast<double>(*declared_.bins), "bins",
                   "bins must be from 1 to {}, but are {}",
                   counted(count, std::string(name_of(unit))), *declared_.bins);
    for (std::size_t bin = 1; bin < *declared_.bins; ++bin) {
      numbers.edges.push_back(starts_[bin * count / *declared_.bins]);
    }
  } else {
    for (const std::int64_t day :
         beginnings(declared_.period.value_or(unit), numbers.min, numbers.max)) {
      if (day > numbers.min) numbers.edges.push_back(day);
    }
  }
  numbers.edges.push_back(numbers.max);
  cells_ = IntegerCells::make(numbers);
}

std::optional<TimeText> DateCells::time_in(std::string_view text) const noexcept {
  if (format_ != nullptr) {
    const auto time = format_->read(text);
    // As ISO 8601 has it, the month would be read as the day.
    if (time || format_->text().find("%Y-%d") != std::string::npos) return time;
  }
  return read_time(text);
}

std::int64_t DateCells::declared_place(const char* key, const std::string& text,
                                       bool is_end) const {
  const auto time = time_in(text);
  if (!time || (time->offset && !clock_ && (format_ == nullptr || !format_->counts_seconds()))) {
    const char* const like = in_days() ? "day like 2026-01-31" : "time like 2026-01-31T12:34:56";
    if (format_ == nullptr)
      refuse_input("malformed-text", key, "{} must be a {}, but is \"{}\"", key, like, text);
    refuse_input("malformed-text", key, "{} must be a {}, or have the format \"{}\", but is \"{}\"",
                 key, like, format_->text(), text);
  }
  const std::int64_t place = place_of(*time);
  if (!is_end) return place;
  // A range of days ends with the last one, not with its first second; so does one of months.
  if (!in_days()) return time->is_day ? place + kSecondsOfDay - 1 : place;
  if (format_ == nullptr || format_->unit() <= TimeFormat::Unit::kDay) return place;
  const bool of_months = format_->unit() == TimeFormat::Unit::kMonth;
  constexpr std::int64_t kDaysOfMonths = 31, kDaysOfYears = 366;
  return beginnings(of_months ? Period::kMonth : Period::kYear, place,
                    place + (of_months ? kDaysOfMonths : kDaysOfYears))[1] -
         1;
}

std::int64_t DateCells::place_of(const TimeText& time) const noexcept {
  std::int64_t seconds = time.seconds;
  if (time.offset && clock_) seconds = clock_->shown_at(seconds - *time.offset);
  return in_days() ? day_of(seconds) : seconds;
}

std::optional<std::int64_t> DateCells::place_of(std::string_view text) const noexcept {
  const auto time = time_in(without_outer_spaces(text));
  return time ? std::optional(place_of(*time)) : std::nullopt;
}

std::optional<std::int64_t> DateCells::place_of(const Moment& moment) const noexcept {
  const auto [day, second] = shown_by(moment);
  if (day < kFirstDay || day > kLastDay) return std::nullopt;
  const bool is_of_day = moment.form.kind == MomentForm::Kind::kDay;
  if (!clock_ || is_of_day || !moment.form.states_offset()) {
    return in_days() ? day : day * kSecondsOfDay + second;
  }
  const std::int64_t seconds = clock_->shown_at(divided_down(moment.count, moment.form.per_second));
  return in_days() ? day_of(seconds) : seconds;
}

Moment DateCells::moment_at(std::int64_t place) const noexcept {
  return {in_days() || !clock_ ? place : clock_->instant_of(place), form_};
}

Reading DateCells::read(std::string_view text) const noexcept {
  if (const auto place = place_of(text)) return read_place(*place);
  const std::string_view trimmed = without_outer_spaces(text);
  if (is_null_word(trimmed)) return {Verdict::kNull, 0};
  const int side = side_of_far_time(trimmed);
  return beyond(side == 0 && format_ != nullptr ? format_->side_of_far_time(trimmed) : side);
}

Reading DateCells::read(const Moment& moment) const noexcept {
  if (const auto place = place_of(moment)) return read_place(*place);
  return beyond(shown_by(moment).first < kFirstDay ? -1 : 1);
}

std::int64_t DateCells::start_of_unit(std::int64_t place) const noexcept {
  if (step_) return divided_down(place, *step_) * *step_;
  if (format_ == nullptr || format_->unit() <= TimeFormat::Unit::kDay) return place;
  using namespace std::chrono;
  const year_month_day date{sys_days{std::chrono::days(place)}};
  const bool of_months = format_->unit() == TimeFormat::Unit::kMonth;
  const sys_days start = date.year() / (of_months ? date.month() : January) / 1;
  return start.time_since_epoch().count();
}

Reading DateCells::read_place(std::int64_t place) const noexcept {
  if (is_listed()) return cells_.read(start_of_unit(place));
  if (!step_ || place < cells_.min()) return cells_.read(place);
  // A clock that shows hours alone shows the one that has begun.
  const std::int64_t begun = std::max(divided_down(place, *step_) * *step_, cells_.min());
  return {cells_.read(place).verdict, cells_.read(begun).cell};
}

Reading DateCells::beyond(int side) const noexcept {
  if (side == 0) return {Verdict::kUnreadable, 0};
  return {Verdict::kOutside, side < 0 ? 0 : size() - 1};
}

std::vector<std::int64_t>::const_iterator DateCells::start_in(std::uint32_t cell) const noexcept {
  if (cell == size()) return starts_.end();
  return std::lower_bound(starts_.begin(), starts_.end(), cells_.value(cell, 0));
}

std::uint64_t DateCells::points(std::uint32_t cell) const noexcept {
  if (starts_.empty()) return cells_.points(cell);
  return static_cast<std::uint64_t>(start_in(cell + 1) - start_in(cell));
}

Moment DateCells::value(std::uint32_t cell, std::uint64_t point) const noexcept {
  if (starts_.empty()) return moment_at(cells_.value(cell, point));
  return moment_at(*(start_in(cell) + static_cast<std::ptrdiff_t>(point)));
}

void DateCells::write(std::uint32_t cell, std::uint64_t point, std::string& text) const {
  TextBuffer buffer;
  text += text_of(value(cell, point), buffer);
}

std::string DateCells::expectation() const {
  if (is_listed() && size() > 1) {
    std::string first, last;
    write(0, 0, first);
    write(size() - 1, 0, last);
    return fmt::format("one of {} {}s from {} to {}", size(), in_days() ? "day" : "time", first,
                       last);
  }
  if (!form_.states_offset() && format_ == nullptr) {
    return fmt::format("a {} from {} to {}", in_days() ? "day" : "time", declared_.min,
                       declared_.max);
  }
  // As values are written: with their zone, for a value may state another one.
  std::string min, max;
  write(0, 0, min);
  write(size() - 1, points(size() - 1) - 1, max);
  return fmt::format("a {} from {} to {}", in_days() ? "day" : "time", min, max);
}

}  // namespace mollify
