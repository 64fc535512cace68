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
#include "formats/public_files.h"
#include "formats/public_values.h"

namespace mollify {

namespace {

constexpr std::size_t kMaxCategories = 1000;
constexpr std::uint64_t kMaxUngrouped = 64;
constexpr std::uint32_t kBins = 10;
constexpr std::size_t kLettersOfADay = std::string_view("2026-01-31").size();
/// Integers beyond are not taken for such, if they are written with a point.
constexpr double kMostExact = 0x1p53;
/// Numbers of this many decimals or more are measured, not written in steps.
constexpr std::size_t kMostDecimals = 6;
constexpr double kPartsOfOne = 1e5;  // of the others
/// Of fewer times nothing says that all are whole minutes.
constexpr std::uint64_t kFewestOfStep = 20;
/// A gap begins this part of the values' spread behind the greatest of them.
constexpr double kPartsOfSpread = 1000;

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
      return;
    }
    if (text == name_) ++named_;
    const bool is_number = see_number(text);
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
    if (decimal_commas_ > 0 && !has_point_ && decimal_commas_ + numbers_.of_type == numbers_.seen())
      return fmt::format(
          "its values look like numbers with a decimal comma, as \"{}\"; write a point instead",
          a_decimal_);
    const bool are_mixed = percents_ != numbers_.of_type || percents_are_hundredths(min_, max_);
    if (percents_ > 0 && all_numbers() && are_mixed)
      return fmt::format(
          "only some of its values are percents, as \"{}\", or all are at most 1 %; write them "
          "without a percent sign",
          a_percent_);
    return "";
  }

  [[nodiscard]] bool holds_only_nulls() const { return values_.size() == 0; }

  /// The first value that no domain can declare, and what becomes of such values; empty if there is
  /// none. A number may have tabs around it.
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
  /// Words of so many kinds that a person may be behind each.
  [[nodiscard]] bool has_many_words() const {
    constexpr std::size_t kMany = 100;
    return is_text() && values_.size() > kMany;
  }
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
    // Numbers with a point or a mark are measured, and so are days and times; integers may count.
    const bool nearly_all_differ = 20 * values_.size() >= 19 * seen_;
    const bool is_measured = all_numbers() && (has_point_ || has_mark_);
    if (seen_ >= kFewRecords && nearly_all_differ && !is_measured && !are_moments()) {
      return "nearly every value is another, as in an identifier";
    }
    if (has_many_words() && !comes_again) return "few of its values come again";
    return are_identifiers() ? "its values look like identifiers" : nullptr;
  }

  // Nothing if the column holds nulls only.
  [[nodiscard]] std::optional<Cells> cells() const {
    if (holds_only_nulls()) return std::nullopt;
    if (auto words = booleans()) return words;
    if (formats_.found() != nullptr) return formatted();
    if (all_integers()) return integers();
    if (all_numbers() && (min_ < max_ || !few_numbers().empty())) return numbers();
    if (all_days()) return days();
    if (all_times()) return times();
    std::vector<std::string> sorted;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (undeclarable_part(values_[i], is_in_memory_).empty()) sorted.emplace_back(values_[i]);
    }
    std::sort(sorted.begin(), sorted.end());
    if (has_codes_) return Categories::make(sorted, false, true);
    if (are_ranges(sorted)) return Categories::make(sorted, true);
    // Of the ways in which one number is written the first one is enough.
    std::set<std::string, std::less<>> seen;
    std::erase_if(sorted, [&seen](const std::string& value) {
      SameValueBuffer buffer;
      const auto same = same_value_text(value, buffer);
      return same && !seen.emplace(*same).second;
    });
    return Categories::make(sorted);
  }

  [[nodiscard]] bool has_null() const { return has_null_; }

 private:
  /// "0-4", "<5", "90+": the numbers that it begins and ends with; nothing for another word.
  static std::optional<std::pair<double, double>> range_in(std::string_view word) {
    const bool is_below = word.starts_with('<'), is_above = word.starts_with('>');
    if (is_below || is_above) word.remove_prefix(word.substr(1).starts_with('=') ? 2 : 1);
    const bool is_open = word.ends_with('+');
    if (is_open) word.remove_suffix(1);
    const std::size_t mark = word.find('-', 1);
    const auto low = read_number(word.substr(0, mark));
    if (!low || !std::isfinite(*low)) return std::nullopt;
    constexpr double kEnd = std::numeric_limits<double>::infinity();
    if (is_below) return std::pair{-kEnd, *low};
    if (is_above || is_open) return std::pair{*low, kEnd};
    const auto high = mark == word.npos ? low : read_number(word.substr(mark + 1));
    if (!high || !(*high >= *low) || !std::isfinite(*high)) return std::nullopt;
    return std::pair{*low, *high};
  }

  /// True for ranges of numbers, which are then sorted by them.
  static bool are_ranges(std::vector<std::string>& words) {
    const auto is_range = [](const std::string& word) { return range_in(word).has_value(); };
    const auto has_two = [](const std::string& word) {
      const auto range = range_in(word);
      return range && range->first < range->second;
    };
    if (!std::all_of(words.begin(), words.end(), is_range)) return false;
    if (std::count_if(words.begin(), words.end(), has_two) < 2) return false;
    std::stable_sort(words.begin(), words.end(), [](const auto& one, const auto& other) {
      return range_in(one) < range_in(other);
    });
    return true;
  }

  /// All values of the numbers, ascending, if they are few and come again.
  [[nodiscard]] std::vector<double> few_numbers() const {
    constexpr std::size_t kMostListed = 20;
    constexpr std::size_t kTimesEach = 5;  // of few rows nothing comes again
    std::set<double> all;
    if (values_.size() > kMaxCategories) return {};
    for (std::size_t i = 0; i < values_.size(); ++i) {
      UnmarkedBuffer buffer;
      const std::string_view unmarked = without_marks(values_[i], false, buffer);
      all.insert(read_number(unmarked.empty() ? values_[i] : unmarked).value_or(0));
    }
    if (all.size() > kMostListed || kTimesEach * all.size() > seen_) return {};
    return {all.begin(), all.end()};
  }

  void see_words(std::string_view text) {
    constexpr auto kWordsOfASentence = 4;
    if (std::count(text.begin(), text.end(), ' ') >= kWordsOfASentence) ++sentences_;
    if (text.find('@') != std::string_view::npos) ++addresses_;
  }

  [[nodiscard]] bool is_text() const { return !all_numbers() && !are_moments(); }
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

  /// Whether it is one.
  bool see_number(std::string_view written) {
    UnmarkedBuffer buffer;
    const std::string_view unmarked = without_marks(written, false, buffer);
    const std::string_view text = unmarked.empty() ? written : unmarked;
    const std::string_view digits = text.substr(text.front() == '-' ? 1 : 0);
    const bool padded = digits.size() > 1 && digits[0] == '0' && digits[1] != '.';
    has_codes_ = has_codes_ || (padded && read_number(text));
    const auto number = padded ? std::nullopt : read_number(text);
    if (!number || !std::isfinite(*number)) return false;
    has_mark_ = has_mark_ || !unmarked.empty();
    if (written.ends_with('%') && percents_++ == 0) a_percent_ = written;
    min_ = std::min(min_, *number);
    max_ = std::max(max_, *number);
    sample_.see(*number);
    const std::size_t point = text.find('.');
    const bool has_point = point != std::string_view::npos;
    const bool has_exponent = text.find_first_of("eE") != std::string_view::npos;
    const std::size_t decimals = has_point ? text.find_last_not_of('0') - point
                                           : std::size_t{has_exponent ? kMostDecimals : 0};
    decimals_ = std::max(decimals_, decimals);
    if (decimals < kMostDecimals && std::fabs(*number) < kMostExact / kPartsOfOne) {
      common_parts_ = std::gcd(common_parts_, std::llround(*number * kPartsOfOne));
    }
    has_point_ = has_point_ || has_point;
    // 3.0 is an integer: programs write a column of integers like this as soon as one is missing.
    const auto integer =
        has_point && std::fabs(*number) > kMostExact ? std::nullopt : read_integer(text);
    if (!integer) {
      all_integers_ = false;
      return true;
    }
    const bool has_size = *integer != std::numeric_limits<std::int64_t>::min();
    common_divisor_ = has_size ? std::gcd(common_divisor_, *integer) : 1;
    min_integer_ = std::min(min_integer_, *integer);
    max_integer_ = std::max(max_integer_, *integer);
    return true;
  }

  [[nodiscard]] bool all_numbers() const { return numbers_.others == 0; }
  [[nodiscard]] bool all_integers() const { return all_integers_ && all_numbers(); }
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
          return BooleanWords::make(std::string(values_[a]), std::string(values_[b]));
        }
      }
    }
    return std::nullopt;
  }

  /// Each alone, if there are few, or in cells of about as many values. A frequent one is a cell.
  [[nodiscard]] Cells integers() const {
    const std::uint64_t span =
        static_cast<std::uint64_t>(max_integer_) - static_cast<std::uint64_t>(min_integer_);
    const bool has_step = common_divisor_ > 1 && sample_.is_enough();
    if (span < kMaxUngrouped && !has_step) return IntegerCells::make(min_integer_, max_integer_);
    IntegerCells::Declaration declared{.min = min_integer_, .max = max_integer_};
    if (std::max(-min_, max_) <= kMostExact) {
      for (const double number : few_numbers())
        declared.values.push_back(static_cast<std::int64_t>(number));
      if (!declared.values.empty()) return IntegerCells::make(declared);
    }
    if (has_step) declared.step = common_divisor_;
    if (!sample_.is_enough() || std::max(-min_, max_) > kMostExact) {
      const auto step = static_cast<std::uint64_t>(declared.step.value_or(1));
      declared.bins = std::min<std::uint64_t>(kBins, span / step + 1);
      return IntegerCells::make(declared);
    }
    std::vector<double> sorted = sample_.sorted();
    for (const double spike : spikes_of(sorted)) {
      declared.spikes.push_back(static_cast<std::int64_t>(spike));
      std::erase(sorted, spike);
    }
    std::set<std::int64_t> edges;
    for (const double edge : quantiles_of(sorted, min_, max_, kBins)) {
      edges.insert(static_cast<std::int64_t>(edge));
    }
    const std::vector<double> spikes(declared.spikes.begin(), declared.spikes.end());
    const auto step = static_cast<double>(declared.step.value_or(1));
    for (const double end : ends_beside_spikes(sorted, spikes, min_, max_, step)) {
      edges.insert(static_cast<std::int64_t>(end));
    }
    std::erase_if(edges,
                  [&](std::int64_t edge) { return edge < min_integer_ || edge > max_integer_; });
    edges.insert({min_integer_, max_integer_});
    declared.edges = {edges.begin(), edges.end()};
    return IntegerCells::make(declared);
  }

  static std::set<double> as_set(const std::vector<double>& numbers) {
    return {numbers.begin(), numbers.end()};
  }

  [[nodiscard]] Cells numbers() const {
    NumberCells::Declaration declared{.min = min_, .max = max_};
    if (const auto few = few_numbers(); !few.empty()) {
      declared.values = few;
      return NumberCells::make(declared);
    }
    if (!sample_.is_enough()) return NumberCells::make(min_, max_, kBins);
    if (decimals_ < kMostDecimals && common_parts_ > 0)
      declared.step = DecimalLattice(1 - static_cast<int>(kMostDecimals)).value(common_parts_);
    std::vector<double> sorted = sample_.sorted();
    declared.spikes = spikes_of(sorted);
    for (const double spike : declared.spikes) std::erase(sorted, spike);
    std::set<double> edges{min_, max_};
    edges.merge(as_set(quantiles_of(sorted, min_, max_, kBins)));
    const double spread = sorted.empty() ? 0 : sorted.back() - sorted.front();
    edges.merge(as_set(ends_beside_spikes(sorted, declared.spikes, min_, max_,
                                          declared.step.value_or(spread / kPartsOfSpread))));
    declared.edges = {edges.begin(), edges.end()};
    return with_step_if_it_fits(declared);
  }

  /// Cells that hold no multiple of the step have none, and where no decimal number lies they are
  /// equal.
  [[nodiscard]] Cells with_step_if_it_fits(NumberCells::Declaration declared) const {
    for (const bool has_step : {true, false}) {
      if (!has_step) declared.step.reset();
      try {
        return NumberCells::make(declared);
      } catch (const InvalidInput&) {
      }
    }
    return NumberCells::make(min_, max_, kBins);
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
  std::uint64_t percents_ = 0;
  std::string first_day_, last_day_, a_day_, a_time_, a_decimal_, a_percent_;
  std::uint64_t clocks_ = 0;              // times that are more than a day
  std::uint64_t offsets_ = 0;             // times that state one from UTC
  std::optional<std::int64_t> offset_{};  // that the last one of these stated
  bool have_one_offset_ = true;
  DayFormats formats_;
  std::int64_t first_second_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_second_ = std::numeric_limits<std::int64_t>::min();
  Strangers numbers_, days_, times_;
  NumberSample sample_;
  bool has_point_ = false;  // a number's text
  bool has_mark_ = false;   // commas between thousands, a percent sign
  bool has_null_ = false;
  bool has_codes_ = false;           // numbers with leading zeros
  std::size_t decimals_ = 0;         // of the number that has most
  std::int64_t common_seconds_ = 0;  // divides the times
  std::int64_t common_parts_ = 0;    // divides the numbers, in parts of 10^-5
  std::int64_t common_divisor_ = 0;  // of the integers
  bool all_integers_ = true;         // of the numbers
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
  std::int64_t min_integer_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_integer_ = std::numeric_limits<std::int64_t>::min();
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
      auto cells = words ? Categories::make(*words, true) : sketch.cells();
      if (!cells) continue;
      Mapping mapping{.null_is_category = sketch.has_null()};
      // An unknown word is not to become the first one, which may be somebody's.
      if (std::holds_alternative<Categories>(*cells)) {
        mapping = {.null_is_category = true, .outside_value = ""};
      }
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
  if (column.words) return names_somebody(column.name) ? "its name says so" : "";
  if (const char* suspicion = column.sketch.suspicion()) return suspicion;
  const bool has_many = column.sketch.has_many_values() || column.sketch.has_many_words();
  const bool names_many = names_a_unit(column.name) && has_many;
  return names_many || names_somebody(column.name) ? "its name says so" : "";
}

std::string reason_of_suspicion(const DraftedColumn& column, bool is_asked_for) {
  const std::string suspicion = is_asked_for ? "" : suspicion_of(column);
  if (suspicion.empty()) return "";
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
      static_cast<void>(Categories::make(*column.words, true));
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

std::string DomainDraft::yaml() const { return domain_yaml(domain, notes, Defaults::kSpelledOut); }

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
  if (!domain.is_enumerable()) {
    notes.push_back(fmt::format(
        "This domain is for {}; {} choose from public candidates of it. In {} there can be at most "
        "{} possible records, and here are {:.3g}: draft fewer columns for it ({}).",
        method_words("marginals"),
        methods_words(std::array<std::string_view, 2>{"local", "integral"}),
        method_words("central"), Domain::kMaxOutcomes, domain.product(), flag_words("columns")));
  }
  return {std::move(domain), std::move(notes)};
}

}  // namespace mollify
