#include "formats/draft_domain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
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
#include "formats/draft_times.h"
#include "formats/draft_words.h"
#include "formats/public_files.h"
#include "formats/public_values.h"
#include "release/released_model.h"

namespace mollify {

namespace {

constexpr std::size_t kMaxCategories = 1000;

// -----------------------------------------------------------------------------------------------
// What has been seen of a column.

class ColumnSketch {
 public:
  /// `is_in_memory`: the table has rows and no lines for people.
  ColumnSketch(std::string_view name, bool is_in_memory)
      : name_(name),
        is_in_memory_(is_in_memory),
        moments_(name, is_in_memory),
        numbers_{.is_in_memory = is_in_memory} {}

  void see(std::string_view text, std::uint64_t line) {
    ++seen_;
    if (is_null_word(text)) {
      seen_numbers_.see_null();
      moments_.see_null();
      if (text.empty()) {
        has_empty_ = true;
      } else {
        null_words_.insert(text);
      }
      return;
    }
    if (text == name_) ++named_;
    const bool is_number = seen_numbers_.see(text);
    const bool is_unknown = !is_number && is_word_for_unknown(text);
    if (is_unknown || (!is_number && is_bound(text))) {
      ++(is_unknown ? unknown_ : bounds_);
      if (unknown_words_.size() < kMostUnknown) unknown_words_.insert(text);
    }
    if (const std::string part = undeclarable_part(text, is_in_memory_); !part.empty()) {
      (is_number ? odd_numbers_ : odd_words_).see(part, line);
      if (!is_number) return;
    }
    numbers_.see(is_number, text, line);
    if (values_.size() <= kMaxCategories || all_integers()) see_different(text);
    see_words(text);
    moments_.see(text, line);
    if (read_clock(text) && of_day_++ == 0) a_time_ = text;
    if (has_decimal_comma(text) && decimal_commas_++ == 0) a_decimal_ = text;
  }

  /// The few values that keep it from being numbers or days, if any.
  /// `are_ordered`: the column is an ordinal of them.
  [[nodiscard]] std::string few_strangers(bool are_ordered = false) const {
    if (all_numbers() || (numbers_.others > 0 && numbers_.are_digits)) return "";
    return numbers_.are_few() ? numbers_.words("numbers", are_ordered) : moments_.few_strangers();
  }

  /// How to declare what is mostly days or times, but not all of them; empty for others.
  [[nodiscard]] std::string proposed_days() const {
    return all_numbers() && moments_.format() == nullptr ? "" : moments_.proposed();
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
    if (holds_only_nulls() || is_null_word(name_)) return std::nullopt;
    if (!is_text() && range_in(name_) && !read_number(name_)) return std::nullopt;  // "80+"
    if (const auto* format = moments_.format()) return format->read(name_).has_value();
    if (all_numbers()) {
      UnmarkedBuffer buffer;
      return read_number(name_) || read_number(without_marks(name_, false, buffer));
    }
    if (moments_.are_moments()) return read_time(name_).has_value();
    const bool comes_again = !has_many_values() && 3 * values_.size() < seen_;
    if (!comes_again) return std::nullopt;
    return named_ > headers;
  }
  [[nodiscard]] bool is_of_numbers() const { return all_numbers() && !holds_only_nulls(); }
  /// Numbers may be days if another column has days near them. Nothing for columns without days.
  void see_other(const ColumnSketch& other) {
    if (all_numbers() && !moments_.are_moments() && other.moments_.are_moments())
      moments_.see_other(other.moments_);
  }
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
  /// A note about infinite numbers, days or times; empty without them.
  [[nodiscard]] std::string infinities() const {
    const std::uint64_t infinite = moments_.are_moments() ? moments_.infinite()
                                   : is_of_numbers()      ? seen_numbers_.infinite()
                                                          : 0;
    if (infinite == 0) return "";
    return fmt::format(
        "{} infinite, and the nearest cell holds it",
        infinite == 1 ? std::string("1 value is") : fmt::format("{} values are", infinite));
  }
  /// The values for people: "411 integers from 18 to 95".
  [[nodiscard]] std::string words() const {
    if (moments_.are_moments()) return moments_.words();
    if (is_of_numbers()) return seen_numbers_.words();
    return counted(values_.size() + words_for_null(), "different word");
  }
  [[nodiscard]] std::uint64_t seen() const { return seen_; }
  [[nodiscard]] bool is_text() const { return !all_numbers() && !moments_.are_moments(); }
  /// More values than a column of groups has.
  [[nodiscard]] bool has_many_values() const { return values_.size() > kMaxCategories; }
  /// More values than a categorical column is drafted with.
  [[nodiscard]] bool is_too_wide() const { return is_text() && has_many_values(); }

  /// What about the values may tell who somebody is; nullptr if nothing.
  [[nodiscard]] const char* suspicion() const {
    constexpr std::uint64_t kFewRecords = 20;
    if (2 * addresses_ > seen_) return "its values look like e-mail addresses";
    if (are_periods()) return nullptr;
    // Answers of many words that come again are one of a few to choose from.
    const bool comes_again = !has_many_values() && 3 * values_.size() < seen_;
    if (4 * sentences_ > seen_ && !comes_again) return "its values look like free text";
    // Days and times are measured, and so are numbers that are not spread as evenly as identifiers.
    const bool nearly_all_differ = seen_ >= kFewRecords && 20 * values_.size() >= 19 * seen_;
    if (nearly_all_differ && all_numbers() && !moments_.are_moments() &&
        seen_numbers_.are_spread_like_identifiers()) {
      return "nearly every value is another, and they are spread as evenly as identifiers";
    }
    if (nearly_all_differ && is_text()) return "nearly every value is another, as in an identifier";
    if (has_many_words() && !comes_again) return "few of its values come again";
    return are_identifiers() ? "its values look like identifiers" : nullptr;
  }

  // Nothing if the column holds nulls only.
  [[nodiscard]] std::optional<CellsAndCodes> cells() const {
    if (holds_only_nulls()) return std::nullopt;
    if (moments_.are_moments()) return moments_.cells();
    if (all_numbers() && seen_numbers_.make_cells()) return seen_numbers_.cells();
    if (words_for_null() == 0) {
      if (auto words = booleans()) return CellsAndCodes{*words};
    }
    std::vector<std::string> words;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (undeclarable_part(values_[i], is_in_memory_).empty()) words.emplace_back(values_[i]);
    }
    for (std::size_t i = 0; i < null_words_.size(); ++i) {
      if (is_a_word(null_words_[i])) words.emplace_back(null_words_[i]);
    }
    return CellsAndCodes{words_as_cells(std::move(words), have_codes())};
  }

  [[nodiscard]] bool has_null() const {
    return has_empty_ || null_words_.size() > words_for_null();
  }
  /// Words that are letter for letter what they are.
  [[nodiscard]] bool have_codes() const { return seen_numbers_.have_codes() || differ_by_zeros(); }
  /// Why they are.
  [[nodiscard]] std::string reason_of_codes() const {
    if (seen_numbers_.have_codes()) return "numbers begin with a zero";
    const bool have_exponents = without_zeros(alike_.first).empty();
    return fmt::format("\"{}\" and \"{}\" {}", alike_.first, alike_.second,
                       have_exponents ? "write one number" : "differ by zeros alone");
  }
  /// What of words such as None and Unknown was seen; empty without them.
  [[nodiscard]] std::string about_null_words() const {
    if (unknown_words_.size() > 0 && !is_text()) {
      std::vector<std::string_view> words;
      for (std::size_t i = 0; i < unknown_words_.size(); ++i) words.push_back(unknown_words_[i]);
      return fmt::format("\"{}\" {} null{}", fmt::join(words, "\", \""),
                         words.size() == 1 ? "becomes" : "become",
                         bounds_ > 0 ? "; to keep a bound, write it as a number" : "");
    }
    if (null_words_.size() == 0 || !is_text() || holds_only_nulls()) return "";
    std::vector<std::string_view> kept, nulls;
    for (std::size_t i = 0; i < null_words_.size(); ++i)
      (is_a_word(null_words_[i]) ? kept : nulls).push_back(null_words_[i]);
    std::vector<std::string> said;
    if (!kept.empty()) {
      said.push_back(
          fmt::format("\"{}\" {} kept as {}{}", fmt::join(kept, "\", \""),
                      kept.size() == 1 ? "is" : "are", kept.size() == 1 ? "a word" : "words",
                      is_in_memory_ || has_empty_ ? ", because the table writes nulls otherwise"
                                                  : "; leave it out of values if it means null"));
    }
    if (!nulls.empty()) {
      said.push_back(fmt::format("\"{}\" {} read as null; list {} in values if {}",
                                 fmt::join(nulls, "\", \""), nulls.size() == 1 ? "is" : "are",
                                 nulls.size() == 1 ? "it" : "them",
                                 nulls.size() == 1 ? "it is a word" : "they are words"));
    }
    return fmt::format("{}", fmt::join(said, "; "));
  }

 private:
  void see_words(std::string_view text) {
    constexpr auto kWordsOfASentence = 4;
    if (std::count(text.begin(), text.end(), ' ') >= kWordsOfASentence) ++sentences_;
    if (text.find('@') != std::string_view::npos) ++addresses_;
  }

  /// Keeps the different values, and whether two of them differ by zeros alone.
  void see_different(std::string_view text) {
    const std::size_t before = values_.size();
    values_.insert(text);
    if (values_.size() == before || before > kMaxCategories || !alike_.first.empty()) return;
    std::string short_text = without_zeros(text);
    if (short_text.empty()) {
      SameValueBuffer buffer;
      if (const auto same = same_number_text(text, buffer)) short_text = *same;
    }
    if (short_text.empty()) return;
    const auto [known, is_new] = of_digits_.try_emplace(std::move(short_text), text);
    if (!is_new) alike_ = {known->second, std::string(text)};
  }
  /// A column of numbers has one text for each of them in memory; a file may write them in several.
  [[nodiscard]] bool differ_by_zeros() const {
    const bool may_be_words = is_in_memory_ || numbers_.others > 0;
    return may_be_words && !alike_.first.empty() && !has_many_values();
  }
  /// Whether a word such as None and NA is a word, and not a null. A table in memory writes a null as
  /// an empty field, and a file with empty fields in the column does so too. Among words None is one:
  /// hardly a program writes nulls so, and people do mean "none".
  [[nodiscard]] bool is_a_word(std::string_view null_word) const {
    if (!is_text()) return false;
    return is_in_memory_ || has_empty_ || (null_word == "None" && !booleans());
  }
  /// How many of them are words.
  [[nodiscard]] std::size_t words_for_null() const {
    std::size_t words = 0;
    for (std::size_t i = 0; i < null_words_.size(); ++i) {
      if (is_a_word(null_words_[i])) ++words;
    }
    return words;
  }

  /// Whether the words are quarters, weeks or the like, which no person has.
  [[nodiscard]] bool are_periods() const {
    if (!is_text()) return false;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (!period_in(values_[i]) && !is_word_for_unknown(values_[i])) return false;
    }
    return true;
  }

  /// Many words of letters and digits in few records each. Codes of diseases, flights and plots come
  /// again.
  [[nodiscard]] bool are_identifiers() const {
    constexpr std::size_t kFew = 60;  // weeks, wards and the like
    constexpr std::uint64_t kRecordsOfOne = 10;
    if (!is_text() || values_.size() <= kFew || seen_ >= kRecordsOfOne * values_.size())
      return false;
    std::size_t codes = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const std::string_view word = values_[i];
      const bool has_letter = std::any_of(word.begin(), word.end(), is_letter);
      const bool has_digit = std::any_of(word.begin(), word.end(), is_digit);
      if (has_digit && has_letter && word.find(' ') == std::string_view::npos) ++codes;
    }
    return 10 * codes >= 9 * values_.size();
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

  /// Numbers alone, or with words such as "Unknown" if an ordinal of all values would be long. These
  /// words are nulls then. So are a few bounds, as "250000+", if the numbers do
  /// not come again, so that no ordinal holds them.
  [[nodiscard]] bool all_numbers() const {
    constexpr std::uint64_t kOneInOfBounds = 10;
    const bool are_few_bounds = kOneInOfBounds * bounds_ <= numbers_.of_type;
    const bool makes_ordinal = !has_many_values() && 3 * values_.size() < seen_;
    const std::uint64_t nulls = unknown_ + (are_few_bounds && !makes_ordinal ? bounds_ : 0);
    const bool are_others_null = numbers_.others == nulls && seen_numbers_.are_many();
    return (numbers_.others == 0 || are_others_null) && seen_numbers_.count() > 0 &&
           !differ_by_zeros();
  }
  [[nodiscard]] bool all_integers() const { return seen_numbers_.are_integers() && all_numbers(); }

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
  std::uint64_t of_day_ = 0;     // times without a day
  std::uint64_t decimal_commas_ = 0;
  std::string a_time_, a_decimal_;
  MomentsSeen moments_;
  Strangers numbers_;
  NumbersSeen seen_numbers_;
  bool has_empty_ = false;
  static constexpr std::size_t kMostUnknown = 10;
  std::uint64_t unknown_ = 0;                     // words such as Unknown
  std::uint64_t bounds_ = 0;                      // such as 90+
  StringIndex unknown_words_;                     // and bounds
  StringIndex null_words_;                        // such as None and NA
  std::map<std::string, std::string> of_digits_;  // values by what they are without zeros
  std::pair<std::string, std::string> alike_;     // the first two that differ by zeros alone
};

/// Facts about a column, and why it is left out; empty if it is not.
struct DraftedColumn {
  std::string name;
  ColumnSketch sketch;
  /// Words in an order, if the table's type of the column lists them.
  std::optional<std::vector<std::string>> words{};
  bool has_double = false;  // another column has its name
  std::string left_out{};
  std::optional<Column> made{};  // nothing for a column of nulls
  std::string remark{};          // about its cells
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

/// Makes the column, unless it holds nulls only. Throws InvalidInput if it cannot be declared.
void make_column(DraftedColumn& drafted) {
  auto made = drafted.words ? CellsAndCodes{ordered_cells(*drafted.words)} : drafted.sketch.cells();
  if (!made) return;
  // A null stays one, also where the public table has none, and an unknown word becomes null:
  // it is not to become the first one, which may be somebody's.
  Mapping mapping{.null_is_category = true, .missing = std::move(made->codes)};
  if (!kind_of(made->cells).bounded) mapping.outside_value = "";
  drafted.remark = std::move(made->remark);
  drafted.made = Column::make(drafted.name, std::move(made->cells), std::move(mapping));
}

Domain domain_of(const std::vector<DraftedColumn>& columns, const std::string& public_csv) {
  std::vector<Column> made;
  for (const DraftedColumn& column : columns) {
    if (column.left_out.empty() && column.made) made.push_back(*column.made);
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

/// Makes the column, unless there is a reason. `is_asked_for`: by its name, so that whom it names is
/// meant.
std::string reason_to_leave_out(DraftedColumn& column, bool is_asked_for) {
  const ColumnSketch& sketch = column.sketch;
  if (const std::string part = undeclarable_part(column.name, false); !part.empty()) {
    return fmt::format("its name holds {}, which no domain can declare", part);
  }
  if (column.name.empty()) return "its name is empty";
  if (column.has_double) return "another column has its name";
  if (column.words) {
    if (column.words->size() > kMaxCategories) {
      return fmt::format("its type lists more than {} values", kMaxCategories);
    }
    try {
      make_column(column);
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
    if (!few.empty()) return few;
    return sketch.have_codes()
               ? fmt::format(
                     "it has more than {} codes ({}); to keep it, group them, as by their "
                     "first digits",
                     kMaxCategories, sketch.reason_of_codes())
               : fmt::format("it has more than {} values that are not numbers", kMaxCategories);
  }
  const std::string suspicion = reason_of_suspicion(column, is_asked_for);
  if (!suspicion.empty()) return suspicion;
  try {
    make_column(column);
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

std::string reason_of_list(std::size_t values) {
  return values <= PlacesSeen::kMostListed
             ? "so few that they are listed"
             : fmt::format("{} values, listed because nothing between them is one", values);
}

/// Why numbers have these cells.
template <class Numbers>
std::string reason_of_numbers(const Numbers& cells, const std::string& remark) {
  const auto& declared = cells.declared();
  if (!declared.values.empty()) return reason_of_list(declared.values.size()) + remark;
  std::string text;
  if (declared.edges.empty() && !declared.bins) {
    text = "so few that each is a cell";
  } else if (declared.edges.empty()) {
    text =
        fmt::format("{} equal cells, because few rows do not tell where values lie", cells.size());
  } else {
    text = fmt::format("{} cells, cut so that the mean stays", cells.size());
  }
  if (!declared.spikes.empty()) {
    const std::size_t shown = std::min(declared.spikes.size(), PlacesSeen::kMostListed);
    text += fmt::format("; spikes are frequent or far from the others ({}{})",
                        fmt::join(std::span(declared.spikes).first(shown), ", "),
                        shown < declared.spikes.size() ? ", ..." : "");
  }
  if (declared.step) {
    const bool are_moved = remark.find("become the nearer") != std::string::npos;
    text += fmt::format("; {} multiples of {}", are_moved ? "most are" : "all are", *declared.step);
  }
  return text + remark;
}

/// Why a column was declared as it is, for people.
std::string reason_of_cells(const Cells& cells, const DraftedColumn& column) {
  if (const auto* integers = std::get_if<IntegerCells>(&cells))
    return reason_of_numbers(*integers, column.remark);
  if (const auto* numbers = std::get_if<NumberCells>(&cells))
    return reason_of_numbers(*numbers, column.remark);
  if (std::holds_alternative<Categories>(cells)) {
    if (column.words) return "an ordinal, because the table's type of the column lists them";
    if (is_ordered(cells)) {
      const auto& categories = std::get<Categories>(cells);
      std::vector<std::string> words(categories.size());
      for (std::uint32_t i = 0; i < categories.size(); ++i) categories.write(i, 0, words[i]);
      return fmt::format("an ordinal, because {}", order_of(words));
    }
    return column.sketch.have_codes()
               ? fmt::format("verbatim, because {}", column.sketch.reason_of_codes())
               : "a category, because they have no order that a draft can see";
  }
  if (std::holds_alternative<BooleanWords>(cells)) return "a boolean, because they mean no and yes";
  const DateCells& moments = std::get<DateCells>(cells);
  if (!moments.declared().values.empty()) return reason_of_list(moments.declared().values.size());
  std::string text =
      fmt::format("as many cells as the time that they span needs ({})", moments.size());
  if (!moments.declared().spikes.empty())
    text += fmt::format("; spikes are frequent or far from the others ({})",
                        fmt::join(moments.declared().spikes, ", "));
  return text;
}

std::string reason_of(const Column& made, const DraftedColumn& column) {
  std::string text = reason_of_cells(made.cells(), column);
  const std::vector<MissingCode>& codes = made.mapping().missing;
  for (std::size_t i = 0; i < codes.size(); ++i)
    text +=
        fmt::format("{}{}", i == 0 ? "; missing, as far from the others: " : ", ", codes[i].code);
  const std::string about = column.words ? "" : column.sketch.about_null_words();
  return about.empty() ? text : fmt::format("{}; {}", text, about);
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
/// column, as far as the column's values tell, except for words that come nowhere else, if they are
/// fewer than the others. Numbers in their order are names of years and the like, if no other column
/// tells.
bool is_named_by_a_record(const std::vector<DraftedColumn>& columns, std::uint64_t headers) {
  std::vector<double> numbers;
  bool tells = false;
  std::size_t alike = 0, other_words = 0;
  for (const DraftedColumn& column : columns) {
    const auto is_alike = column.sketch.is_named_like_a_value(headers);
    if (!is_alike) continue;
    if (!*is_alike && !column.sketch.is_text()) return false;
    ++(*is_alike ? alike : other_words);
    if (!*is_alike) continue;
    if (!column.sketch.is_of_numbers()) {
      tells = true;
      continue;
    }
    UnmarkedBuffer buffer;
    const std::string_view unmarked = without_marks(column.name, false, buffer);
    numbers.push_back(*read_number(unmarked.empty() ? column.name : unmarked));
  }
  if (other_words > 0) return tells && alike > 1 && alike > other_words;
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
    const bool has_double = std::count(csv.header().begin(), csv.header().end(), name) > 1;
    if (!is_unread && !has_double)
      static_cast<void>(csv.position(name, {"to be left out", "exclude"}));
    std::erase(names, name);
  }
  std::vector<std::size_t> positions;
  positions.reserve(names.size());
  std::vector<DraftedColumn> drafted;
  std::set<std::string> named_before;
  for (const std::string& name : names) {
    const bool has_double =
        columns.empty() && std::count(csv.header().begin(), csv.header().end(), name) > 1;
    if (has_double && named_before.contains(name)) continue;
    named_before.insert(name);
    positions.push_back(has_double ? static_cast<std::size_t>(
                                         std::find(csv.header().begin(), csv.header().end(), name) -
                                         csv.header().begin())
                                   : csv.position(name, {"to draft from", "columns"}));
    drafted.push_back({.name = name,
                       .sketch = ColumnSketch(name, csv.is_in_memory()),
                       .words = {},
                       .has_double = has_double});
    if (const auto listed = words.find(name); listed != words.end()) {
      drafted.back().words = listed->second;
    }
  }
  std::uint64_t records = 0;
  std::uint64_t headers = 0;  // records that repeat the names
  for (; csv.next_joined(); ++records) {
    csv.require_well_formed();
    if (std::equal(csv.header().begin(), csv.header().end(), csv.fields().begin())) ++headers;
    for (std::size_t i = 0; i < drafted.size(); ++i) {
      drafted[i].sketch.see(csv.fields()[positions[i]], csv.line_number());
    }
  }

  for (DraftedColumn& one : drafted) {
    for (const DraftedColumn& other : drafted) one.sketch.see_other(other.sketch);
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
  if (csv.joined_records() > 0) {
    notes.push_back(fmt::format(
        "{} line breaks within quotes. A release takes each line of a CSV file for a record: take "
        "such line breaks out of the private file, or give a data frame or a Parquet file, in "
        "Python.",
        csv.joined_records() == 1 ? "1 record has"
                                  : fmt::format("{} records have", csv.joined_records())));
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
    const bool is_ordinal = column.made && is_ordered(column.made->cells());
    if (const std::string few = column.sketch.few_strangers(is_ordinal);
        !few.empty() && !column.words) {
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
    seen.push_back(
        fmt::format("\"{}\" has {}: {}.", column.name(), seen_words(*of), reason_of(column, *of)));
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
