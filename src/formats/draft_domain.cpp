#include "formats/draft_domain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accounting/privacy.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/same_value.h"
#include "domain/times.h"
#include "formats/csv.h"
#include "formats/domain_yaml.h"
#include "formats/draft_numbers.h"
#include "formats/draft_words.h"
#include "formats/public_files.h"
#include "formats/public_values.h"
#include "release/released_model.h"

namespace mollify {

namespace {

constexpr std::size_t kMaxCategories = 1000;
constexpr std::uint64_t kMaxUngrouped = 64;  // days
constexpr std::uint32_t kBins = 10;
constexpr std::size_t kLettersOfADay = std::string_view("2026-01-31").size();
/// Of fewer times nothing says that all are whole minutes.
constexpr std::uint64_t kFewestOfStep = 20;

// -----------------------------------------------------------------------------------------------
// What has been seen of a column.

class ColumnSketch {
 public:
  /// `is_in_memory`: the table has rows and no lines for people.
  ColumnSketch(std::string_view name, bool is_in_memory)
      : name_(name),
        is_in_memory_(is_in_memory),
        formats_(name),
        numbers_{.is_in_memory = is_in_memory},
        days_{.is_in_memory = is_in_memory},
        times_{.is_in_memory = is_in_memory} {}

  void see(std::string_view text, std::uint64_t line) {
    ++seen_;
    if (is_null_word(text)) {
      has_null_ = true;
      seen_numbers_.see_null();
      return;
    }
    if (text == name_) ++named_;
    const bool is_number = seen_numbers_.see(text);
    if (const std::string part = undeclarable_part(text, is_in_memory_); !part.empty()) {
      (is_number ? odd_numbers_ : odd_words_).see(part, line);
      if (!is_number) return;
    }
    numbers_.see(is_number, text, line);
    if (values_.size() <= kMaxCategories || all_integers()) values_.insert(text);
    see_words(text);
    formats_.see(text);
    days_.see(see_day(text), text, line);
    times_.see(see_time(text), text, line);
    if (is_like_a_day(text)) {
      if (like_days_++ == 0) a_day_ = text;
    }
    if (read_clock(text) && of_day_++ == 0) a_time_ = text;
    if (has_decimal_comma(text) && decimal_commas_++ == 0) a_decimal_ = text;
  }

  /// The few values that keep it from being numbers or days, if any.
  [[nodiscard]] std::string few_strangers() const {
    if (numbers_.are_few()) return numbers_.words("numbers");
    if (days_.are_few()) return days_.words("days");
    return times_.are_few() ? times_.words("times") : "";
  }

  /// How to declare what is mostly days or times, but not all of them; empty for
  /// others.
  [[nodiscard]] std::string proposed_days() const {
    if (std::string words = formats_.words_if_ambiguous(); !words.empty()) return words;
    if (all_days() || all_times() || all_numbers() || formats_.found() != nullptr ||
        10 * like_days_ < 9 * days_.seen()) {
      return "";
    }
    if (offsets_ > 0 && times_.of_type > 0 && offsets_ < times_.of_type) {
      return fmt::format(
          "its values look like times, as \"{}\", but some state an offset from UTC and others do "
          "not; written alike they are a datetime",
          a_day_);
    }
    if (!days_.are_few() && times_.are_few() && clocks_ > 0) {
      return fmt::format(
          "{}; without them it is {{type: datetime, min: {}, max: {}, bins: month{}}}",
          times_.words("times"), time_text(first_second_), time_text(last_second_),
          zone() ? fmt::format(", zone: \"{}\"", *zone()) : "");
    }
    const std::string declared =
        fmt::format("{{type: date, min: {}, max: {}, bins: month}}",
                    first_day_.empty() ? "DAY" : first_day_, last_day_.empty() ? "DAY" : last_day_);
    if (days_.are_few())
      return fmt::format("{}; without them it is {}", days_.words("days"), declared);
    return fmt::format("its values look like days, as \"{}\"; written like 2026-01-31 it is {}",
                       a_day_, declared);
  }

  [[nodiscard]] bool holds_times_of_day() const {
    return of_day_ == numbers_.seen() && !all_numbers();
  }
  /// An example, and what to do about it.
  [[nodiscard]] std::string words_of_times_of_day() const {
    return fmt::format(
        "its values are times of day, as \"{}\", which have no type; to keep them, write the day "
        "too, as 2026-01-31T12:34:56",
        a_time_);
  }

  /// How to write numbers that no column reads as they are meant; empty for others.
  [[nodiscard]] std::string proposed_numbers() const {
    if (decimal_commas_ > 0 && !seen_numbers_.have_point() &&
        decimal_commas_ + numbers_.of_type == numbers_.seen())
      return fmt::format(
          "its values look like numbers with a decimal comma, as \"{}\"; write a point instead",
          a_decimal_);
    const std::uint64_t percents = seen_numbers_.percents();
    const bool are_mixed = percents != numbers_.of_type ||
                           percents_are_hundredths(seen_numbers_.min(), seen_numbers_.max());
    if (percents > 0 && all_numbers() && are_mixed)
      return fmt::format(
          "only some of its values are percents, as \"{}\", or all are at most 1 %; write them "
          "without a percent sign",
          seen_numbers_.a_percent());
    return "";
  }

  [[nodiscard]] bool holds_only_nulls() const { return values_.size() == 0; }

  /// Says that values are left out because no domain can declare them; empty without them. A number
  /// may have tabs around it.
  [[nodiscard]] std::string undeclarable() const {
    const std::uint64_t count = odd_words_.count + (is_text() ? odd_numbers_.count : 0);
    if (count == 0) return "";
    const Undeclarable& first = odd_words_.count == 0 || (is_text() && odd_numbers_.count > 0 &&
                                                          odd_numbers_.line < odd_words_.line)
                                    ? odd_numbers_
                                    : odd_words_;
    const std::string words = first.words(is_in_memory_);
    if (holds_only_nulls()) return words;
    return fmt::format("{}; {} left out of it", words,
                       count == 1 ? "this value is" : fmt::format("{} such values are", count));
  }

  /// Whether the column's name reads like one of its values: a number, day or time in a column of
  /// these, or a word that comes in it, in more rows than repeat the header. Nothing where the
  /// values do not tell.
  [[nodiscard]] std::optional<bool> is_named_like_a_value(std::uint64_t headers) const {
    if (holds_only_nulls()) return std::nullopt;
    if (const auto* format = formats_.found()) return format->read(name_).has_value();
    if (all_numbers()) {
      UnmarkedBuffer buffer;
      return read_number(name_) || read_number(without_marks(name_, false, buffer));
    }
    if (all_days() || all_times()) return read_time(name_).has_value();
    const bool comes_again = !has_many_values() && 3 * values_.size() < seen_;
    if (!comes_again) return std::nullopt;
    return named_ > headers;
  }
  [[nodiscard]] bool is_of_numbers() const { return all_numbers() && !holds_only_nulls(); }
  /// More than 100 different words: a person may be behind each.
  [[nodiscard]] bool has_many_words() const {
    constexpr std::size_t kMany = 100;
    return is_text() && values_.size() > kMany;
  }
  /// So few different values, each often, that none of them is one person's.
  [[nodiscard]] bool has_few_answers() const {
    constexpr std::size_t kMost = 20;
    return values_.size() <= kMost && 3 * values_.size() < seen_;
  }
  /// More different numbers than groups have, as codes of persons or firms.
  [[nodiscard]] bool has_many_codes() const {
    constexpr std::size_t kMany = 100;
    return all_integers() && values_.size() > kMany;
  }
  /// A note about infinite numbers; empty without them.
  [[nodiscard]] std::string infinities() const {
    if (!is_of_numbers() || seen_numbers_.infinite() == 0) return "";
    return fmt::format("{} infinite, and the nearest cell holds it",
                       seen_numbers_.infinite() == 1
                           ? std::string("1 value is")
                           : fmt::format("{} values are", seen_numbers_.infinite()));
  }
  /// The values for people: "411 integers from 18 to 95".
  [[nodiscard]] std::string words() const {
    if (is_of_numbers()) return seen_numbers_.words();
    if (all_days()) return fmt::format("days from {} to {}", first_day_, last_day_);
    if (all_times())
      return fmt::format("times from {} to {}", time_text(first_second_), time_text(last_second_));
    return fmt::format("{} different words", values_.size());
  }
  [[nodiscard]] std::uint64_t seen() const { return seen_; }
  [[nodiscard]] bool is_text() const { return !all_numbers() && !are_moments(); }
  /// More values than a column of groups has.
  [[nodiscard]] bool has_many_values() const { return values_.size() > kMaxCategories; }
  /// More values than a categorical column is drafted with.
  [[nodiscard]] bool is_too_wide() const { return is_text() && has_many_values(); }

  /// What about the values may tell who somebody is; nullptr if nothing.
  [[nodiscard]] const char* suspicion() const {
    constexpr std::uint64_t kFewRecords = 20;
    if (2 * addresses_ > seen_) return "its values look like e-mail addresses";
    // Answers of many words that come again are one of a few to choose from.
    const bool comes_again = !has_many_values() && 3 * values_.size() < seen_;
    if (4 * sentences_ > seen_ && !comes_again) return "its values look like free text";
    // Days and times are measured, and so are numbers that are not spread as evenly as identifiers.
    const bool nearly_all_differ = seen_ >= kFewRecords && 20 * values_.size() >= 19 * seen_;
    if (nearly_all_differ && all_numbers() && !are_moments() &&
        seen_numbers_.are_spread_like_identifiers()) {
      return "nearly every value is another, and they are spread as evenly as identifiers";
    }
    if (nearly_all_differ && is_text()) return "nearly every value is another, as in an identifier";
    if (has_many_words() && !comes_again) return "few of its values come again";
    return are_identifiers() ? "its values look like identifiers" : nullptr;
  }

  // Nothing if the column holds nulls only.
  [[nodiscard]] std::optional<Cells> cells() const {
    if (holds_only_nulls()) return std::nullopt;
    if (auto words = booleans()) return words;
    if (formats_.found() != nullptr) return formatted();
    if (all_numbers() && seen_numbers_.make_cells()) return seen_numbers_.cells();
    if (all_days()) return days();
    if (all_times()) return times();
    std::vector<std::string> words;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (undeclarable_part(values_[i], is_in_memory_).empty()) words.emplace_back(values_[i]);
    }
    return words_as_cells(std::move(words), seen_numbers_.have_codes());
  }

  [[nodiscard]] bool has_null() const { return has_null_; }
  [[nodiscard]] bool has_codes() const { return seen_numbers_.have_codes(); }

 private:
  void see_words(std::string_view text) {
    constexpr auto kWordsOfASentence = 4;
    if (std::count(text.begin(), text.end(), ' ') >= kWordsOfASentence) ++sentences_;
    if (text.find('@') != std::string_view::npos) ++addresses_;
  }

  [[nodiscard]] bool are_moments() const {
    return all_days() || all_times() || formats_.found() != nullptr;
  }

  /// Many words that differ in their digits only, or of letters and digits in few records each.
  [[nodiscard]] bool are_identifiers() const {
    constexpr std::size_t kFew = 60;  // weeks, wards and the like
    constexpr std::uint64_t kRecordsOfOne = 20;
    if (!is_text() || values_.size() <= kFew) return false;
    std::set<std::string> rests;
    std::size_t codes = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      std::string rest(values_[i]);
      const auto letters = std::count_if(rest.begin(), rest.end(), is_letter);
      const auto digits = std::erase_if(rest, is_digit);
      if (digits > 0 && letters > 0 && rest.find(' ') == std::string::npos) ++codes;
      rests.insert(std::move(rest));
    }
    if (10 * codes < 9 * values_.size()) return false;
    return rests.size() == 1 || seen_ < kRecordsOfOne * values_.size();
  }
  static bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
  static bool is_letter(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
  }

  /// "12,50" or "1.234,5", but not "1,234", which is a number.
  static bool has_decimal_comma(std::string_view text) {
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos || comma == 0 || comma + 1 == text.size()) return false;
    std::string_view whole = text.substr(0, comma);
    if (whole.starts_with('-')) whole.remove_prefix(1);
    const std::string_view part = text.substr(comma + 1);
    UnmarkedBuffer buffer;
    return without_marks(text, false, buffer).empty() && !whole.empty() &&
           is_digit(whole.front()) && std::all_of(part.begin(), part.end(), is_digit) &&
           whole.find_first_not_of("0123456789.") == std::string_view::npos;
  }

  /// Three numbers with equal marks between them, perhaps with a year; a time may follow.
  static bool is_like_a_day(std::string_view text) {
    constexpr std::size_t kMostDigits = 4;
    char mark = 0;
    std::size_t digits = 0, parts = 1;
    for (const char letter : text.substr(0, text.find_first_of(" T"))) {
      if (letter >= '0' && letter <= '9') {
        if (++digits > kMostDigits) return false;
        continue;
      }
      if (digits == 0 || (letter != '-' && letter != '/' && letter != '.')) return false;
      if (mark != 0 && letter != mark) return false;
      mark = letter;
      digits = 0;
      ++parts;
    }
    return parts == 3 && digits > 0;
  }

  /// Whether it is one; so are midnights without an offset, as data frames write days.
  bool see_day(std::string_view text) {
    const auto time = read_time(text);
    if (!time || time->offset || time->seconds % kSecondsOfDay != 0) return false;
    text = text.substr(0, kLettersOfADay);
    if (first_day_.empty() || text < first_day_) first_day_ = text;
    if (text > last_day_) last_day_ = text;
    return true;
  }

  /// Whether it is one, or a day.
  bool see_time(std::string_view text) {
    const auto time = read_time(text);
    if (!time) return false;
    if (time->offset || time->seconds % kSecondsOfDay != 0) ++clocks_;
    if (time->offset) ++offsets_;
    const std::int64_t offset = time->offset.value_or(offset_.value_or(0));
    have_one_offset_ = have_one_offset_ && offset_.value_or(offset) == offset;
    offset_ = offset;
    const std::int64_t at = time->seconds;
    common_seconds_ = time->fraction.empty() ? std::gcd(common_seconds_, at) : 1;
    first_second_ = std::min(first_second_, at);
    last_second_ = std::max(last_second_, at);
    return true;
  }

  static Period period_of(std::uint64_t days) {
    return days <= kMaxUngrouped ? Period::kDay : days <= 5 * 366 ? Period::kMonth : Period::kYear;
  }

  [[nodiscard]] Cells days() const {
    DateCells::Declaration declared{.min = first_day_, .max = last_day_};
    declared.period = period_of(DateCells::make(declared).cells().count());
    return DateCells::make(declared);
  }

  /// The days or times in the one format that all have.
  [[nodiscard]] Cells formatted() const {
    DateCells::Declaration declared = formats_.declaration();
    const std::int64_t unit = declared.grain == Grain::kDay ? 1 : kSecondsOfDay;
    const std::uint64_t days =
        DateCells::make(declared).cells().count() / static_cast<std::uint64_t>(unit) + 1;
    const bool has_days = formats_.found()->unit() <= TimeFormat::Unit::kDay;
    declared.period = std::max(period_of(days), has_days ? Period::kDay : Period::kMonth);
    return DateCells::make(declared);
  }

  /// The offset that all times state. If they state several, each time is on its own clock.
  [[nodiscard]] std::optional<std::string> zone() const {
    if (offsets_ == 0 || !have_one_offset_) return std::nullopt;
    constexpr std::size_t kLettersBefore = std::string_view("1970-01-01T00:00:00").size();
    return time_text(0).substr(kLettersBefore);
  }

  /// As a column of that zone writes it.
  [[nodiscard]] std::string time_text(std::int64_t second) const {
    TextBuffer buffer;
    MomentForm form{.kind = MomentForm::Kind::kInstant};
    if (offsets_ > 0 && have_one_offset_) form.offset = static_cast<std::int32_t>(*offset_);
    return std::string(text_of(Moment{second - form.offset.value_or(0), form}, buffer));
  }

  [[nodiscard]] Cells times() const {
    DateCells::Declaration declared{.grain = Grain::kSecond,
                                    .min = time_text(first_second_),
                                    .max = time_text(last_second_),
                                    .zone = zone()};
    if (times_.seen() >= kFewestOfStep) {
      for (const auto& [step, seconds] : {std::pair{TimeStep::kMinute, std::int64_t{60}},
                                          std::pair{TimeStep::kHour, std::int64_t{3600}}}) {
        if (common_seconds_ % seconds == 0) declared.step = step;
      }
    }
    const auto span = static_cast<std::uint64_t>(last_second_ - first_second_);
    constexpr std::uint64_t kFewDays = 2;  // make too few cells
    if (span > kFewDays * kSecondsOfDay) {
      declared.period = period_of(span / kSecondsOfDay + 1);
    } else if (span >= kMaxUngrouped) {
      declared.bins = kBins;
    }
    return DateCells::make(declared);
  }

  [[nodiscard]] bool all_numbers() const {
    return numbers_.others == 0 && seen_numbers_.count() > 0;
  }
  [[nodiscard]] bool all_integers() const { return seen_numbers_.are_integers() && all_numbers(); }
  [[nodiscard]] bool all_days() const { return days_.others == 0; }
  /// All with an offset from UTC, or none.
  [[nodiscard]] bool all_times() const {
    return times_.others == 0 && clocks_ > 0 && (offsets_ == 0 || offsets_ == times_.of_type);
  }

  [[nodiscard]] std::optional<Cells> booleans() const {
    if (values_.size() != 2) return std::nullopt;
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kPairs = {
        {{"false", "true"}, {"f", "t"}, {"no", "yes"}, {"n", "y"}}};
    for (const auto& [no, yes] : kPairs) {
      for (const auto& [a, b] : {std::pair{0U, 1U}, std::pair{1U, 0U}}) {
        if (equal_ignoring_case(values_[a], no) && equal_ignoring_case(values_[b], yes)) {
          // A data frame has truths, and its CSV file has False or FALSE.
          if (no == "false") return BooleanWords::make();
          return BooleanWords::make(std::string(values_[a]), std::string(values_[b]));
        }
      }
    }
    return std::nullopt;
  }

  std::string_view name_;
  bool is_in_memory_;
  std::uint64_t named_ = 0;  // values that are the column's name
  Undeclarable odd_words_, odd_numbers_;
  // No more than decide whether the column is categorical; all integers, which may be identifiers.
  StringIndex values_;
  std::uint64_t seen_ = 0;
  std::uint64_t sentences_ = 0;  // values of five words or more
  std::uint64_t addresses_ = 0;  // values with an @
  std::uint64_t like_days_ = 0;
  std::uint64_t of_day_ = 0;  // times without a day
  std::uint64_t decimal_commas_ = 0;
  std::string first_day_, last_day_, a_day_, a_time_, a_decimal_;
  std::uint64_t clocks_ = 0;              // times that are more than a day
  std::uint64_t offsets_ = 0;             // times that state one from UTC
  std::optional<std::int64_t> offset_{};  // that the last one of these stated
  bool have_one_offset_ = true;
  DayFormats formats_;
  std::int64_t first_second_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_second_ = std::numeric_limits<std::int64_t>::min();
  Strangers numbers_, days_, times_;
  NumbersSeen seen_numbers_;
  bool has_null_ = false;
  std::int64_t common_seconds_ = 0;  // divides the times
};

/// Facts about a column, and why it is left out; empty if it is not.
struct DraftedColumn {
  std::string name;
  ColumnSketch sketch;
  /// Words in an order, if the table's type of the column lists them.
  std::optional<std::vector<std::string>> words{};
  std::string left_out{};
};

/// Why columns are left out: of the first ones, where there are many.
std::string reasons_of(const std::vector<DraftedColumn>& columns) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t i = 0; i < columns.size() && i < kMost; ++i) {
    text += fmt::format("{}\"{}\": {}", i == 0 ? ": " : "; ", columns[i].name, columns[i].left_out);
  }
  if (columns.size() > kMost) text += fmt::format("; and {} more", columns.size() - kMost);
  return text;
}

Domain domain_of(const std::vector<DraftedColumn>& columns, const std::string& public_csv) {
  std::vector<Column> made;
  for (const auto& [name, sketch, words, left_out] : columns) {
    try {
      if (!left_out.empty()) continue;
      auto cells = words ? ordered_cells(*words) : sketch.cells();
      if (!cells) continue;
      // A null stays one, also where the public table has none, and an unknown word becomes null:
      // it is not to become the first one, which may be somebody's.
      Mapping mapping{.null_is_category = true};
      if (!kind_of(*cells).bounded) mapping.outside_value = "";
      made.push_back(Column::make(name, std::move(*cells), std::move(mapping)));
    } catch (const InvalidInput& error) {
      throw InvalidInput(error, fmt::format("{} column \"{}\": {}", public_csv, name, error.what()),
                         Concern::in_file(public_csv, 0, name));
    }
  }
  if (made.empty()) {
    refuse_input("empty-input", Concern::in_file(public_csv),
                 "{} must have a column to draft a domain from, but none is left{}", public_csv,
                 reasons_of(columns));
  }
  try {
    return Domain::make(std::move(made));
  } catch (const InvalidInput& error) {
    throw InvalidInput(error, fmt::format("{}: {}; choose other columns", public_csv, error.what()),
                       Concern::in_file(public_csv));
  }
}

/// What of a column may tell who somebody is; empty if nothing does. Words in an order are not
/// texts that somebody wrote, or identifiers.
std::string suspicion_of(const DraftedColumn& column) {
  const ColumnSketch& sketch = column.sketch;
  const bool is_text = column.words || sketch.is_text();
  if (!column.words) {
    if (const char* suspicion = sketch.suspicion()) return suspicion;
  }
  const bool has_many =
      sketch.has_many_values() || sketch.has_many_words() || sketch.has_many_codes();
  const bool names_many = names_a_unit(column.name) && has_many;
  const bool is_an_answer = !column.words && sketch.has_few_answers();
  const bool is_somebody = names_somebody(column.name, is_text) && !is_an_answer;
  return names_many || is_somebody || names_an_id(column.name) ? "its name says so" : "";
}

std::string reason_of_suspicion(const DraftedColumn& column, bool is_asked_for) {
  const std::string suspicion = is_asked_for ? "" : suspicion_of(column);
  if (suspicion.empty()) return "";
  // Few values that keep a column from being numbers are the reason why it looks like texts.
  const std::string few = column.words ? "" : column.sketch.few_strangers();
  if (!few.empty() && !names_somebody(column.name, true) && !names_an_id(column.name)) return few;
  return fmt::format("it may tell who somebody is ({}); name it in {} if that is meant", suspicion,
                     flag_words("columns"));
}

/// `is_asked_for`: by its name, so that whom it names is meant.
std::string reason_to_leave_out(const DraftedColumn& column, bool is_asked_for) {
  const ColumnSketch& sketch = column.sketch;
  if (const std::string part = undeclarable_part(column.name, false); !part.empty()) {
    return fmt::format("its name holds {}, which no domain can declare", part);
  }
  if (column.words) {
    if (column.words->size() > kMaxCategories) {
      return fmt::format("its type lists more than {} values", kMaxCategories);
    }
    try {
      static_cast<void>(ordered_cells(*column.words));
    } catch (const InvalidInput& error) {
      return fmt::format("the values that its type lists cannot be declared ({})", error.what());
    }
    return reason_of_suspicion(column, is_asked_for);
  }
  if (sketch.holds_only_nulls()) {
    const std::string odd = sketch.undeclarable();
    return odd.empty() ? "it holds nulls only" : odd;
  }
  if (const std::string days = sketch.proposed_days(); !days.empty()) return days;
  if (std::string numbers = sketch.proposed_numbers(); !numbers.empty()) return numbers;
  if (sketch.holds_times_of_day() && (!is_asked_for || sketch.is_too_wide())) {
    return sketch.words_of_times_of_day();
  }
  if (sketch.is_too_wide()) {
    const std::string few = sketch.few_strangers();
    return few.empty()
               ? fmt::format("it has more than {} values that are not numbers", kMaxCategories)
               : few;
  }
  const std::string suspicion = reason_of_suspicion(column, is_asked_for);
  if (!suspicion.empty()) return suspicion;
  try {
    static_cast<void>(sketch.cells());
  } catch (const InvalidInput& error) {
    return fmt::format("no cells can be made of its values ({})", error.what());
  }
  return "";
}

/// A column's values and rows, for people.
std::string seen_words(const DraftedColumn& column) {
  const ColumnSketch& sketch = column.sketch;
  const std::string values =
      column.words ? fmt::format("a type of {} words", column.words->size()) : sketch.words();
  return fmt::format("{} in {}{}", values, counted(sketch.seen(), "row"),
                     sketch.has_null() ? ", some of them null" : "");
}

/// Why numbers have these cells.
template <class Numbers>
std::string reason_of_numbers(const Numbers& cells) {
  const auto& declared = cells.declared();
  if (!declared.values.empty()) return "so few that they are listed";
  std::string text;
  if (declared.edges.empty() && !declared.bins) {
    text = "so few that each is a cell";
  } else if (declared.edges.empty()) {
    text =
        fmt::format("{} equal cells, because few rows do not tell where values lie", cells.size());
  } else {
    text = fmt::format("{} cells, cut so that the mean stays", cells.size());
  }
  if (!declared.spikes.empty())
    text += fmt::format("; spikes are frequent or far from the others ({})",
                        fmt::join(declared.spikes, ", "));
  if (declared.step) text += fmt::format("; all are multiples of {}", *declared.step);
  return text;
}

/// Why a column was declared as it is, for people.
std::string reason_of(const Cells& cells, const DraftedColumn& column) {
  if (const auto* integers = std::get_if<IntegerCells>(&cells)) return reason_of_numbers(*integers);
  if (const auto* numbers = std::get_if<NumberCells>(&cells)) return reason_of_numbers(*numbers);
  if (std::holds_alternative<Categories>(cells)) {
    if (column.words) return "an ordinal, because the table's type of the column lists them";
    if (is_ordered(cells)) return "an ordinal, because all are ranges of numbers";
    return column.sketch.has_codes()
               ? "verbatim, because numbers begin with a zero"
               : "a category, because they have no order that a draft can see";
  }
  if (std::holds_alternative<BooleanWords>(cells)) return "a boolean, because they mean no and yes";
  return fmt::format("as many cells as the time that they span needs ({})",
                     std::get<DateCells>(cells).size());
}

/// Whether the numbers ascend, or descend in equal steps: so do years, ages and doses, which name the
/// columns of many tables.
bool are_in_order(const std::vector<double>& numbers) {
  bool ascend = true;
  bool descend = true;
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    const double step = numbers[i] - numbers[i - 1];
    ascend = ascend && step > 0;
    descend = descend && step < 0 && step == numbers[1] - numbers[0];
  }
  return numbers.size() > 1 && (ascend || descend);
}

/// Whether the names of the columns look like a record of the table: each reads like a value of its
/// column, as far as the column's values tell. Numbers in their order are names of years and the
/// like, if no other column tells.
bool is_named_by_a_record(const std::vector<DraftedColumn>& columns, std::uint64_t headers) {
  std::vector<double> numbers;
  bool tells = false;
  for (const DraftedColumn& column : columns) {
    const auto is_alike = column.sketch.is_named_like_a_value(headers);
    if (!is_alike) continue;
    if (!*is_alike) return false;
    if (!column.sketch.is_of_numbers()) {
      tells = true;
      continue;
    }
    UnmarkedBuffer buffer;
    const std::string_view unmarked = without_marks(column.name, false, buffer);
    numbers.push_back(*read_number(unmarked.empty() ? column.name : unmarked));
  }
  return tells || (!numbers.empty() && !are_in_order(numbers));
}

/// Names that are numbers and come twice are a record: no draft can be made of these columns.
void refuse_repeated_numbers(const CsvReader& csv) {
  std::set<std::string_view> known;
  for (const std::string& name : csv.header()) {
    if (known.insert(name).second || !read_number(name)) continue;
    refuse_input("malformed-file", csv.is_in_memory() ? Concern() : Concern::in_file(csv.path(), 1),
                 "{} must have a name for each column, but \"{}\" comes twice, as in a record. If "
                 "{} is a record, put a line of names before it",
                 csv.path(), name, csv.is_in_memory() ? "the list of names" : "the first line");
  }
}

/// Other separators make one column of all.
void require_commas(const CsvReader& csv) {
  if (csv.header().size() != 1) return;
  for (const auto& [letter, name] :
       {std::pair{';', "semicolons"}, std::pair{'\t', "tabs"}, std::pair{'|', "bars"}}) {
    if (csv.header().front().find(letter) == std::string::npos) continue;
    refuse_input("malformed-file", Concern::in_file(csv.path(), 1),
                 "{} must have commas between its fields, but its first line has {} and no comma",
                 csv.path(), name);
  }
}

}  // namespace

std::string DomainDraft::yaml() const {
  std::vector<std::string> comments = notes;
  comments.insert(comments.end(), seen.begin(), seen.end());
  return domain_yaml(domain, comments, Defaults::kSpelledOut);
}

DomainDraft draft_domain(const std::string& public_csv, const std::vector<std::string>& columns,
                         const std::vector<std::string>& excluded,
                         std::optional<std::string_view> bytes,
                         const std::vector<std::pair<std::string, std::string>>& unread,
                         const std::map<std::string, std::vector<std::string>>& words) {
  CsvReader csv(public_csv, bytes);
  require_commas(csv);
  refuse_repeated_numbers(csv);
  std::vector<std::string> names = columns.empty() ? csv.header() : columns;
  const auto is_excluded = [&](const std::string& name) {
    return std::find(excluded.begin(), excluded.end(), name) != excluded.end();
  };
  std::vector<std::string> unread_notes;
  for (const auto& [name, reason] : unread) {
    if (std::find(columns.begin(), columns.end(), name) != columns.end() && !is_excluded(name)) {
      refuse_input("unsupported-type", Concern::of_column(name),
                   "column \"{}\" of {} cannot be drafted: {}", printable(name), public_csv,
                   reason);
    }
    if (!columns.empty() || is_excluded(name)) continue;
    unread_notes.push_back(fmt::format("Column \"{}\" is left out: {}.", printable(name), reason));
  }
  for (const std::string& name : excluded) {
    const bool is_unread = std::any_of(unread.begin(), unread.end(),
                                       [&](const auto& one) { return one.first == name; });
    if (!is_unread) static_cast<void>(csv.position(name, {"to be left out", "exclude"}));
    std::erase(names, name);
  }
  std::vector<std::size_t> positions;
  positions.reserve(names.size());
  std::vector<DraftedColumn> drafted;
  for (const std::string& name : names) {
    positions.push_back(csv.position(name, {"to draft from", "columns"}));
    drafted.push_back({.name = name, .sketch = ColumnSketch(name, csv.is_in_memory())});
    if (const auto listed = words.find(name); listed != words.end()) {
      drafted.back().words = listed->second;
    }
  }
  std::uint64_t records = 0;
  std::uint64_t headers = 0;  // records that repeat the names
  for (; csv.next(); ++records) {
    csv.require_well_formed();
    if (std::equal(csv.header().begin(), csv.header().end(), csv.fields().begin())) ++headers;
    for (std::size_t i = 0; i < drafted.size(); ++i) {
      drafted[i].sketch.see(csv.fields()[positions[i]], csv.line_number());
    }
  }

  if (records == 0) {
    refuse_input("empty-input", Concern::in_file(public_csv),
                 "{} must have rows to draft a domain from, but has none", public_csv);
  }
  std::vector<std::string> notes = {
      fmt::format("Drafted from {} ({}), which must be public. Never draft from private data.",
                  public_csv, counted(records, "record")),
      "Review it before use: bounds and categories are those that happened to be in that file."};
  if (columns.empty() && is_named_by_a_record(drafted, headers)) {
    const auto some = std::span(csv.header()).first(std::min<std::size_t>(csv.header().size(), 5));
    notes.push_back(printable(fmt::format(
        "The names of the columns look like a record ({}{}). If {}, put a line of names before it.",
        fmt::join(some, ", "), some.size() < csv.header().size() ? ", ..." : "",
        csv.is_in_memory() ? "the table was read from a file without names"
                           : "the file's first line is one")));
  }
  notes.insert(notes.end(), unread_notes.begin(), unread_notes.end());
  for (DraftedColumn& column : drafted) {
    column.left_out = reason_to_leave_out(column, !columns.empty());
    if (!column.left_out.empty()) {
      notes.push_back(
          fmt::format("Column \"{}\" is left out: {}.", printable(column.name), column.left_out));
      continue;
    }
    if (const std::string odd = column.sketch.undeclarable(); !odd.empty()) {
      notes.push_back(fmt::format("Column \"{}\": {}.", column.name, odd));
    }
    if (const std::string infinities = column.sketch.infinities(); !infinities.empty()) {
      notes.push_back(fmt::format("Column \"{}\": {}.", column.name, infinities));
    }
    if (const std::string few = column.sketch.few_strangers(); !few.empty() && !column.words) {
      notes.push_back(fmt::format("Column \"{}\" is taken for words: {}.", column.name, few));
    }
    // One that was asked for by its name.
    if (const std::string suspicion = suspicion_of(column); !suspicion.empty()) {
      notes.push_back(fmt::format(
          "Column \"{}\" may tell who somebody is: {}. Leave it out ({}) unless that is "
          "meant.",
          column.name, suspicion, flag_words("exclude")));
    }
  }
  Domain domain = domain_of(drafted, public_csv);
  std::vector<std::string> seen;
  for (const Column& column : domain.columns()) {
    const auto of = std::find_if(drafted.begin(), drafted.end(), [&](const DraftedColumn& one) {
      return one.name == column.name();
    });
    seen.push_back(fmt::format("\"{}\" has {}: {}.", column.name(), seen_words(*of),
                               reason_of(column.cells(), *of)));
  }
  if (domain.columns().size() > kMostColumnsOfATable) {
    notes.push_back(
        fmt::format("This domain has {} columns, and {} takes at most {}: draft those that you "
                    "release together "
                    "({}).",
                    domain.columns().size(), method_words("marginals"), kMostColumnsOfATable,
                    flag_words("columns")));
  } else if (!domain.is_enumerable()) {
    notes.push_back(fmt::format(
        "This domain is for {}; {} choose from public candidates of it. In {} there can be at most "
        "{} possible records, and here are {:.3g}: draft fewer columns for it ({}).",
        method_words("marginals"),
        methods_words(std::array<std::string_view, 2>{"local", "integral"}),
        method_words("central"), Domain::kMaxOutcomes, domain.product(), flag_words("columns")));
  }
  return {std::move(domain), std::move(notes), std::move(seen)};
}

}  // namespace mollify
