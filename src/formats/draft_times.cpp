#include "formats/draft_times.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/invalid_input.h"
#include "domain/same_value.h"
#include "formats/draft_words.h"
#include "formats/public_files.h"

namespace mollify {

namespace {

constexpr double kSecondsOfOneDay = static_cast<double>(kSecondsOfDay);

/// As a column of the declaration writes the second, which its clock shows.
std::string written(double place, const DateCells::Declaration& declared) {
  const auto second = static_cast<std::int64_t>(place);
  TextBuffer buffer;
  if (declared.grain == Grain::kDay && !declared.format)
    return std::string(text_of(Moment{day_of(second), {}}, buffer));
  MomentForm form{.kind = MomentForm::Kind::kInstant};
  if (declared.format) form.format = &TimeFormat::require(*declared.format);
  if (declared.zone) {
    if (const auto offset = read_offset(*declared.zone))
      form.offset = static_cast<std::int32_t>(*offset);
  }
  return std::string(text_of(Moment{second - form.offset.value_or(0), form}, buffer));
}

/// The first or the last day of a year, and the first one of spreadsheets. The years around 9999 and
/// before the first one have no other days.
std::optional<std::size_t> rows_of_code_day(double place, double /*least*/) {
  constexpr std::size_t kRows = 5, kFirstFarYear = 2900;
  const std::string day = written(place, {.grain = Grain::kDay});
  const std::string_view in_year = std::string_view(day).substr(4);
  if (in_year != "-01-01" && in_year != "-12-31" && day != "1899-12-30") return std::nullopt;
  const bool is_far = std::stoul(day) >= kFirstFarYear || day == "0001-01-01";
  return is_far ? 1 : kRows;
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Days and times in other formats than ISO 8601's.

namespace {

constexpr std::int64_t kBeginOf1800 = -5'364'662'400, kEndOf2200 = 7'289'654'400;
/// Limits for numbers in a column whose name calls them days or seconds. No number of days since
/// 1899 is as great as one of seconds since 1970.
constexpr std::int64_t kBeginOf1950 = -631'152'000, kBeginOf1974 = 126'230'400,
                       kEndOf2100 = 4'133'980'800;
/// Limits for seconds in a column whose name may mean something else.
constexpr std::int64_t kBeginOf1990 = 631'152'000, kEndOf2040 = 2'240'611'200;

/// The meaning of a column's numbers, by its name.
struct NameOfNumbers {
  bool days = false;                // since 1899
  bool maybe_days = false;          // if the numbers are likely days
  bool days_beside_others = false;  // if another column's days are near
  bool seconds = false;             // since 1970
  bool maybe_seconds = false;       // if the numbers are likely times
};

/// "startdate", "dateofbirth", "enddatum": a word that is made of "date" and another one. Other words
/// end like it, as "candidate".
bool is_made_of_date(std::string_view word) {
  constexpr std::array<std::string_view, 34> kOthers = {
      "start", "end",       "begin",   "birth",  "death",   "order",   "ship",  "due",    "from",
      "to",    "visit",     "entry",   "exit",   "event",   "sale",    "sales", "report", "test",
      "admit", "discharge", "invoice", "pay",    "payment", "hire",    "issue", "expiry", "open",
      "close", "create",    "sample",  "survey", "ofbirth", "ofdeath", "time"};
  for (const std::string_view date : {"date", "datum"}) {
    std::string_view rest = word;
    if (rest.ends_with(date)) {
      rest.remove_suffix(date.size());
    } else if (rest.starts_with(date)) {
      rest.remove_prefix(date.size());
    } else {
      continue;
    }
    if (std::find(kOthers.begin(), kOthers.end(), rest) != kOthers.end()) return true;
  }
  return false;
}

/// Only whole words count: "candidate_votes" names no date. A word for a quantity outweighs them, as
/// in "time_s" and "update_count".
NameOfNumbers meant_by_name(std::string_view column) {
  constexpr std::array<std::string_view, 3> kDays = {"date", "datum", "excel"};
  constexpr std::array<std::string_view, 4> kClocks = {"unix", "epoch", "stamp", "timestamp"};
  constexpr std::array<std::string_view, 4> kSeconds = {"date", "datum", "time", "datetime"};
  constexpr std::array<std::string_view, 6> kMaybe = {"created", "updated", "modified",
                                                      "ts",      "day",     "dt"};
  constexpr std::array<std::string_view, 5> kMaybeDays = {"day", "dt", "deadline", "expiry",
                                                          "when"};
  constexpr std::array<std::string_view, 31> kBesideOthers = {
      "start",    "started",   "end",     "ended",     "begin",    "began",     "from",
      "to",       "until",     "since",   "due",       "birth",    "born",      "hired",
      "left",     "joined",    "week",    "month",     "period",   "created",   "updated",
      "modified", "visit",     "visited", "admission", "admitted", "discharge", "discharged",
      "arrival",  "departure", "finished"};
  constexpr std::array<std::string_view, 37> kAmounts = {
      "count",    "counts",   "cost",  "costs",  "pay",  "value",  "values",  "vote",
      "votes",    "number",   "num",   "n",      "sum",  "total",  "average", "avg",
      "mean",     "price",    "rate",  "score",  "diff", "delta",  "sales",   "fee",
      "duration", "distance", "wage",  "salary", "size", "income", "amount",  "position",
      "pos",      "offset",   "index", "row",    "line"};
  constexpr std::array<std::string_view, 17> kUnits = {
      "s", "sec", "secs", "second", "seconds", "ms",   "mins",  "minute", "minutes",
      "h", "hr",  "hrs",  "hour",   "hours",   "days", "weeks", "months"};
  const std::vector<std::string> words = words_of_name(column);
  const auto has_any = [&](std::span<const std::string_view> known) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return std::find(known.begin(), known.end(), word) != known.end();
    });
  };
  // "epoch_s" are seconds since 1970, and "time_s" are seconds of anything.
  const bool is_clock = has_any(kClocks);
  if (has_any(kAmounts) || (!is_clock && has_any(kUnits))) return {};
  const bool are_days = has_any(kDays), are_seconds = is_clock || has_any(kSeconds);
  const bool are_made_of_date = std::any_of(words.begin(), words.end(), is_made_of_date);
  const bool maybe_days = are_made_of_date || has_any(kMaybeDays);
  return {.days = are_days,
          .maybe_days = !are_days && maybe_days,
          .days_beside_others = !are_days && !maybe_days && has_any(kBesideOthers),
          .seconds = are_seconds,
          .maybe_seconds = !are_seconds && (are_made_of_date || has_any(kMaybe))};
}

constexpr std::string_view kDigitsOfMonths = "%Y%m";
/// Of other numbers with six digits, one in eight reads like a month.
constexpr std::size_t kFewestMonths = 6;
/// Fewer numbers in a column such as "created" do not show that they are times.
constexpr std::size_t kFewestTimes = 20;
/// Fewer numbers may be near another column's days by chance.
constexpr std::size_t kFewestBesideOthers = 6;

bool is_count(const TimeFormat& format) { return format.text().find('%') == std::string::npos; }

}  // namespace

DayFormats::DayFormats(std::string_view column) {
  constexpr std::array<std::string_view, 13> kDays = {
      "%Y%m%d",   "%m%d%Y",   "%d%m%Y",   "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y",
      "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%d-%b-%Y", "%d %b %Y", "%d%b%Y"};
  for (const std::string_view day : kDays) {
    for (const std::string_view clock : {"", " %H:%M", " %H:%M:%S"}) {
      left_.push_back({.format = &TimeFormat::require(fmt::format("{}{}", day, clock))});
    }
  }
  left_.push_back({.format = &TimeFormat::require("%Y-%m")});
  for (const std::string_view month : {"%b %Y", "%m/%Y", "%m-%Y"})
    left_.push_back({.format = &TimeFormat::require(month)});
  left_.push_back({.format = &TimeFormat::require(kDigitsOfMonths)});
  const NameOfNumbers meant = meant_by_name(column);
  if (meant.days || meant.maybe_days || meant.days_beside_others) {
    left_.push_back({.format = &TimeFormat::require("excel"),
                     .is_guess = !meant.days,
                     .needs_others = meant.days_beside_others});
  }
  if (meant.seconds || meant.maybe_seconds)
    left_.push_back({.format = &TimeFormat::require("unix"), .is_guess = meant.maybe_seconds});
}

void DayFormats::see(std::string_view text) {
  if (left_.empty()) return;
  if (value_.empty()) value_ = text;
  std::erase_if(left_, [&](Candidate& one) {
    const auto time = one.format->read(text);
    if (!time) return true;
    const bool is_number = is_count(*one.format);
    const std::int64_t last = one.is_guess ? kEndOf2040 : is_number ? kEndOf2100 : kEndOf2200;
    const std::int64_t first = !is_number                     ? kBeginOf1800
                               : one.is_guess                 ? kBeginOf1990
                               : one.format->counts_seconds() ? kBeginOf1974
                                                              : kBeginOf1950;
    one.places.see(static_cast<double>(time->seconds));
    one.has_clocks = one.has_clocks || !time->is_day;
    const bool is_outside = time->seconds < first || time->seconds >= last;
    return is_outside &&
           (is_number || !rows_of_code_day(static_cast<double>(time->seconds), 0).has_value());
  });
}

void DayFormats::see_other_days(double first, double last) {
  constexpr double kYear = 366 * kSecondsOfOneDay;
  for (Candidate& one : left_) {
    const bool is_near = one.places.min() >= first - kYear && one.places.max() <= last + kYear;
    if (is_near && one.places.different().size() >= kFewestBesideOthers) {
      one.needs_others = false;
      one.is_guess = false;
    }
  }
}

const TimeFormat* DayFormats::found() const {
  if (left_.size() != 1 || left_.front().needs_others) return nullptr;
  const Candidate& one = left_.front();
  if (one.format->text() == kDigitsOfMonths && one.places.different().size() < kFewestMonths)
    return nullptr;
  if (one.is_guess && one.places.different().size() < kFewestTimes) return nullptr;
  // A single number may be anything.
  const bool is_number =
      is_count(*one.format) || one.format->text().find_first_not_of("%Ymd") == std::string::npos;
  return is_number && one.places.min() == one.places.max() ? nullptr : one.format;
}

std::vector<std::string> DayFormats::texts() const {
  std::vector<std::string> texts;
  if (left_.size() == 1 && found() == nullptr) return texts;
  for (const Candidate& one : left_) texts.push_back(one.format->text());
  return texts;
}

DateCells::Declaration DayFormats::declared(const Candidate& candidate) {
  DateCells::Declaration made{.grain = candidate.has_clocks ? Grain::kSecond : Grain::kDay,
                              .format = candidate.format->text()};
  made.min = written(candidate.places.min(), made);
  made.max = written(candidate.places.max(), made);
  return made;
}

std::string DayFormats::words_if_ambiguous() const {
  if (left_.size() < 2 || value_.empty()) return "";
  const auto words = [](const Candidate& one) {
    const DateCells::Declaration as = declared(one);
    return fmt::format("{{type: {}, min: \"{}\", max: \"{}\", bins: month, format: \"{}\"}}",
                       as.grain == Grain::kDay ? "date" : "datetime", as.min, as.max, *as.format);
  };
  return fmt::format(
      "its values look like days, as \"{}\", but nothing shows whether the day or the month comes "
      "first; declare {} or {}",
      value_, words(left_[0]), words(left_[1]));
}

// -----------------------------------------------------------------------------------------------
// What has been seen of a column's days and times.

namespace {

constexpr std::uint64_t kMostDaysUngrouped = 64;
/// Fewer times do not show that all are whole minutes.
constexpr std::uint64_t kFewestOfStep = 20;

/// Whether the three numbers may be a day, a month and a year of two or four digits; a version, as 1.10.0, is not a day.
bool may_be_a_day(const std::array<std::string_view, 3>& parts) {
  constexpr int kMostDays = 31, kMostMonths = 12;
  constexpr std::size_t kYear = 4, kShortYear = 2;
  const auto is_up_to = [](std::string_view part, int most) {
    const int number = std::stoi(std::string(part));
    return part.size() <= 2 && number >= 1 && number <= most;
  };
  const auto fits = [&](std::string_view year, std::string_view one, std::string_view other) {
    const bool has_month = is_up_to(one, kMostMonths) || is_up_to(other, kMostMonths);
    return (year.size() == kYear || year.size() == kShortYear) && has_month &&
           is_up_to(one, kMostDays) && is_up_to(other, kMostDays);
  };
  return fits(parts[2], parts[0], parts[1]) || fits(parts[0], parts[1], parts[2]);
}

/// Three numbers with equal marks between them that may be a day; a time may follow.
bool is_like_a_day(std::string_view text) {
  constexpr std::size_t kMostDigits = 4;
  text = text.substr(0, text.find_first_of(" T"));
  const std::size_t at = text.find_first_of("-/.");
  if (at == std::string_view::npos) return false;
  const std::size_t next = text.find(text[at], at + 1);
  if (next == std::string_view::npos) return false;
  const std::array<std::string_view, 3> parts = {
      text.substr(0, at), text.substr(at + 1, next - at - 1), text.substr(next + 1)};
  const bool are_numbers = std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
    return !part.empty() && part.size() <= kMostDigits &&
           part.find_first_not_of("0123456789") == std::string_view::npos;
  });
  return are_numbers && may_be_a_day(parts);
}

/// The finest period that the format tells apart.
Period finest_of(const DateCells::Declaration& declared) {
  if (!declared.format) return Period::kDay;
  const TimeFormat::Unit unit = TimeFormat::require(*declared.format).unit();
  return unit == TimeFormat::Unit::kMonth  ? Period::kMonth
         : unit == TimeFormat::Unit::kYear ? Period::kYear
                                           : Period::kDay;
}

/// Whether the few places are all days, months or years of their range.
bool fill_their_range(DateCells::Declaration declared, std::size_t few, double days) {
  constexpr double kMostDaysOfFew = 366.0 * (PlacesSeen::kMostListed + 1);
  if (declared.grain == Grain::kSecond || days > kMostDaysOfFew) return false;
  declared.period = finest_of(declared);
  return DateCells::make(declared).size() == few;
}

/// "infinity", as databases write what lies after all days.
bool is_infinity(std::string_view text) {
  return text.find("inf") < 2 && text.find(' ') == std::string_view::npos &&
         side_of_far_time(text) != 0;
}

Period period_of(double days) {
  constexpr double kMostDaysByMonth = 5 * 366;
  return days <= kMostDaysUngrouped ? Period::kDay
         : days <= kMostDaysByMonth ? Period::kMonth
                                    : Period::kYear;
}

}  // namespace

void MomentsSeen::see(std::string_view text, std::uint64_t line) {
  if (is_infinity(text)) {
    ++infinite_;
    return;
  }
  if (is_word_for_unknown(text)) return;
  formats_.see(text);
  if (is_like_a_day(text) && like_days_++ == 0) a_day_ = text;
  const auto time = read_time(text);
  const bool is_day = time && time->seconds % kSecondsOfDay == 0 && time->fraction.empty();
  days_.see(is_day, text, line);
  times_.see(time.has_value(), text, line);
  if (!time) return;
  if (is_day) {
    const std::string day = written(static_cast<double>(time->seconds), {.grain = Grain::kDay});
    if (first_day_.empty() || day < first_day_) first_day_ = day;
    if (day > last_day_) last_day_ = day;
  }
  if (time->offset || !is_day) ++clocks_;
  if (time->offset) ++offsets_;
  const std::int64_t offset = time->offset.value_or(offset_.value_or(0));
  have_one_offset_ = have_one_offset_ && offset_.value_or(offset) == offset;
  offset_ = offset;
  common_seconds_ = time->fraction.empty() ? std::gcd(common_seconds_, time->seconds) : 1;
  places_.see(static_cast<double>(time->seconds));
}

std::string MomentsSeen::few_strangers() const {
  if (days_.are_few()) return days_.words("days");
  return times_.are_few() ? times_.words("times") : "";
}

std::string MomentsSeen::proposed() const {
  if (std::string words = formats_.words_if_ambiguous(); !words.empty()) return words;
  if (are_moments() || days_.seen() == 0 || 10 * like_days_ < 9 * days_.seen()) return "";
  if (offsets_ > 0 && times_.of_type > 0 && offsets_ < times_.of_type) {
    return fmt::format(
        "its values look like times, as \"{}\", but some state an offset from UTC and others do "
        "not; written alike they are a datetime",
        a_day_);
  }
  if (!days_.are_few() && times_.are_few() && clocks_ > 0) {
    const DateCells::Declaration made = declaration();
    return fmt::format("{}; without them it is {{type: datetime, min: {}, max: {}, bins: month{}}}",
                       times_.words("times"), written(places_.min(), made),
                       written(places_.max(), made),
                       made.zone ? fmt::format(", zone: \"{}\"", *made.zone) : "");
  }
  const std::string declared =
      fmt::format("{{type: date, min: {}, max: {}, bins: month}}",
                  first_day_.empty() ? "DAY" : first_day_, last_day_.empty() ? "DAY" : last_day_);
  if (days_.are_few())
    return fmt::format("{}; without them it is {}", days_.words("days"), declared);
  return fmt::format("its values look like days, as \"{}\"; written like 2026-01-31 it is {}",
                     a_day_, declared);
}

std::optional<std::string> MomentsSeen::zone() const {
  if (offsets_ == 0 || !have_one_offset_) return std::nullopt;
  constexpr std::size_t kLettersBefore = std::string_view("1970-01-01T00:00:00").size();
  const MomentForm form{.kind = MomentForm::Kind::kInstant,
                        .offset = static_cast<std::int32_t>(*offset_)};
  TextBuffer buffer;
  return std::string(text_of(Moment{0, form}, buffer).substr(kLettersBefore));
}

DateCells::Declaration MomentsSeen::declaration() const {
  if (format() != nullptr) return formats_.declaration();
  if (all_days()) return {.grain = Grain::kDay};
  DateCells::Declaration declared{.grain = Grain::kSecond, .zone = zone()};
  if (times_.seen() < kFewestOfStep) return declared;
  for (const auto& [step, seconds] : {std::pair{TimeStep::kMinute, std::int64_t{60}},
                                      std::pair{TimeStep::kHour, std::int64_t{3600}}}) {
    if (common_seconds_ % seconds == 0) declared.step = step;
  }
  return declared;
}

std::string MomentsSeen::words() const {
  const DateCells::Declaration made = declaration();
  const std::size_t few = places().different().size();
  return fmt::format("{}{} from {} to {}",
                     few <= PlacesSeen::kMostListed ? fmt::format("{} different ", few) : "",
                     made.grain == Grain::kDay ? "days" : "times", written(places().min(), made),
                     written(places().max(), made));
}

std::vector<double> MomentsSeen::likely_ones(const PlacesWithoutCodes& rest,
                                             DateCells::Declaration declared) const {
  constexpr std::size_t kFewestOnGrid = 12, kRowsOfEach = 5;
  constexpr std::int64_t kPartOfRange = 7;
  const std::size_t different = rest.different.size();
  const std::uint64_t rows = places().count();
  if (different < 2 || (different < kFewestOnGrid && rows < 2 * different)) return {};
  const auto clock_of = [](std::int64_t second) { return second - day_of(second) * kSecondsOfDay; };
  std::vector<std::int64_t> seconds, days;
  for (const auto& [place, times] : rest.different) {
    seconds.push_back(static_cast<std::int64_t>(place));
    if (days.empty() || days.back() < day_of(seconds.back()))
      days.push_back(day_of(seconds.back()));
  }
  const std::int64_t clock = clock_of(seconds.front());
  const bool have_one_clock = std::all_of(seconds.begin(), seconds.end(),
                                          [&](std::int64_t one) { return clock_of(one) == clock; });
  const bool in_seconds = declared.grain == Grain::kSecond;
  const std::int64_t range = days.back() - days.front() + 1;
  std::vector<std::int64_t> listed;
  if (have_one_clock) {
    listed = days_on_grid(days);
    // One time of every day.
    if (listed.empty() && in_seconds && different >= kFewestOnGrid &&
        range <= static_cast<std::int64_t>(kMostOnGrid)) {
      listed.resize(static_cast<std::size_t>(range));
      std::iota(listed.begin(), listed.end(), days.front());
    }
    for (std::int64_t& place : listed) place = place * kSecondsOfDay + clock;
    // All months are on the grid of their first days.
    declared.period = finest_of(declared);
    if (declared.period != Period::kDay && listed.size() >= DateCells::make(declared).size())
      return {};
  } else {
    const auto seconds_of_step = [&] {
      switch (declared.step.value_or(TimeStep::kSecond)) {
        case TimeStep::kDay:
          return kSecondsOfDay;
        case TimeStep::kHour:
          return std::int64_t{3600};
        case TimeStep::kMinute:
          return std::int64_t{60};
        case TimeStep::kSecond:
          break;
      }
      return std::int64_t{1};
    };
    listed = places_on_grid(seconds, seconds_of_step());
  }
  const bool are_rare = kPartOfRange * static_cast<std::int64_t>(days.size()) <= range;
  if (listed.empty() && are_rare && rows >= kRowsOfEach * different) listed = seconds;
  return {listed.begin(), listed.end()};
}

CellsAndCodes MomentsSeen::cells() const {
  constexpr double kFewDays = 2;  // make too few cells
  constexpr std::uint64_t kBins = 10;
  const PlacesWithoutCodes rest = places().without_codes(&rows_of_code_day, false);
  DateCells::Declaration declared = declaration();
  std::vector<MissingCode> codes;
  for (const double code : rest.codes) codes.push_back({written(code, declared), kLabelOfCode});
  declared.min = written(rest.min, declared);
  declared.max = written(rest.max, declared);
  const double span = rest.max - rest.min;
  const double days = span / kSecondsOfOneDay + 1;
  const Period finest = finest_of(declared);
  // Days that come once are not all that there can be.
  const bool come_again = places().count() >= 2 * places().different().size();
  if (places().are_few(nulls_) && come_again &&
      !fill_their_range(declared, rest.different.size(), days)) {
    for (const auto& [place, times] : rest.different)
      declared.values.push_back(written(place, declared));
    declared.step.reset();
    return {DateCells::make(declared), std::move(codes)};
  }
  for (const double place : likely_ones(rest, declared))
    declared.values.push_back(written(place, declared));
  if (!declared.values.empty()) {
    declared.step.reset();
    return {DateCells::make(declared), std::move(codes)};
  }
  const bool in_days = declared.grain == Grain::kDay;
  if (in_days || declared.format || span > kFewDays * kSecondsOfOneDay) {
    declared.period = std::max(period_of(days), finest);
  } else if (span >= kMostDaysUngrouped) {
    declared.bins = kBins;
  } else {
    return {DateCells::make(declared), std::move(codes)};
  }
  if (finest == Period::kDay && !(in_days && declared.period == Period::kDay)) {
    for (const double spike : spikes_of(rest.sorted))
      declared.spikes.push_back(written(spike, declared));
  }
  return {DateCells::make(declared), std::move(codes)};
}

}  // namespace mollify
