#include "formats/draft_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/names.h"
#include "core/invalid_input.h"
#include "domain/same_value.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Ranges of numbers.

namespace {

constexpr double kNoEnd = std::numeric_limits<double>::infinity();

bool is_a_digit(char letter) { return letter >= '0' && letter <= '9'; }
bool is_a_small_letter(char letter) { return letter >= 'a' && letter <= 'z'; }

/// A word's numbers, and the letters around them, small, without spaces and currencies.
struct RangeParts {
  std::vector<double> numbers{};
  std::vector<std::string> around{std::string()};  // one more than numbers
};

/// How many bytes of a currency's sign begin here; 0 for other letters.
std::size_t currency_at(std::string_view word, std::size_t at) {
  for (const std::string_view sign : {"$", "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5"}) {
    if (word.substr(at).starts_with(sign)) return sign.size();
  }
  return 0;
}

/// Whether "Inf" begins here and no letters surround it, as in R's "(10,Inf]".
bool is_infinite_at(std::string_view word, std::size_t at) {
  constexpr std::string_view kInfinite = "Inf";
  const auto is_letter = [&](std::size_t place) {
    return place < word.size() &&
           (is_a_small_letter(word[place]) || (word[place] >= 'A' && word[place] <= 'Z'));
  };
  return word.substr(std::min(at, word.size())).starts_with(kInfinite) &&
         !is_letter(at + kInfinite.size()) && (at == 0 || !is_letter(at - 1));
}

/// The end of the number that begins here. A comma before three digits divides thousands, except in
/// brackets, where it divides the ends. "1e+03" is a number too.
std::size_t end_of_number(std::string_view word, std::size_t at) {
  const bool has_brackets = word.front() == '(' || word.front() == '[';
  const auto digits_from = [&](std::size_t from) {
    std::size_t end = from;
    while (end < word.size() && is_a_digit(word[end])) ++end;
    return end - from;
  };
  at += digits_from(at);
  while (!has_brackets && at < word.size() && word[at] == ',' && digits_from(at + 1) == 3) at += 4;
  if (at < word.size() && word[at] == '.' && digits_from(at + 1) > 0) at += 1 + digits_from(at + 1);
  const std::string_view exponent = word.substr(at, 2);
  if ((exponent == "e+" || exponent == "e-") && digits_from(at + 2) > 0)
    at += 2 + digits_from(at + 2);
  return at;
}

/// The minutes of a clock, ":30", that follow a number; nothing for other texts.
std::optional<double> minutes_at(std::string_view word, std::size_t at) {
  constexpr std::size_t kLetters = 3;
  const std::string_view text = word.substr(at, kLetters);
  const bool ends = at + kLetters >= word.size() || !is_a_digit(word[at + kLetters]);
  if (text.size() < kLetters || text[0] != ':' || !is_a_digit(text[1]) || !is_a_digit(text[2]) ||
      !ends)
    return std::nullopt;
  return read_number(text.substr(1));
}

RangeParts range_parts(std::string_view word) {
  RangeParts parts;
  for (std::size_t at = 0; at < word.size();) {
    const char letter = word[at];
    // After a number or a letter a minus divides.
    const bool may_be_sign =
        at == 0 || std::string_view(" ([,<=>-").find(word[at - 1]) != std::string_view::npos;
    const std::size_t digits = at + (letter == '-' && may_be_sign ? 1 : 0);
    if (is_infinite_at(word, digits)) {
      parts.numbers.push_back(letter == '-' ? -kNoEnd : kNoEnd);
      parts.around.emplace_back();
      at = digits + 3;
      continue;
    }
    if (digits < word.size() && is_a_digit(word[digits])) {
      const std::size_t end = end_of_number(word, digits);
      std::string number(word.substr(at, end - at));
      std::erase(number, ',');
      parts.numbers.push_back(read_number(number).value_or(kNoEnd));
      parts.around.emplace_back();
      at = end;
      if (const auto minutes = minutes_at(word, end)) {
        constexpr double kMinutesOfHour = 60;
        parts.numbers.back() += *minutes / kMinutesOfHour;
        at += 3;
      }
      continue;
    }
    if (const std::size_t bytes = currency_at(word, at); bytes > 0) {
      at += bytes;
      continue;
    }
    const bool is_large = letter >= 'A' && letter <= 'Z';
    if (letter != ' ')
      parts.around.back() += is_large ? static_cast<char>(letter - 'A' + 'a') : letter;
    ++at;
  }
  return parts;
}

template <std::size_t kSize>
bool is_any(std::string_view text, const std::array<std::string_view, kSize>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// "years", "g/day", "%": what may follow a number that is measured.
bool is_unit(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char letter) {
    return is_a_small_letter(letter) || letter == '/' || letter == '%' || letter == '.';
  });
}

/// "+", "years and older", "+ years": one of the words before or after a unit.
template <std::size_t kSize>
bool is_any_with_unit(std::string_view text, const std::array<std::string_view, kSize>& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.ends_with(word) || (text.starts_with(word) && is_unit(text.substr(word.size())));
  });
}

constexpr std::array<std::string_view, 9> kBelow = {
    "<", "<=", "\xe2\x89\xa4", "under", "below", "upto", "lessthan", "fewerthan", "atmost"};
constexpr std::array<std::string_view, 8> kAbove = {">",     ">=",       "\xe2\x89\xa5", "over",
                                                    "above", "morethan", "atleast",      "from"};
constexpr std::array<std::string_view, 10> kOrMore = {"+",        "plus",   "andover",  "orover",
                                                      "andmore",  "ormore", "andolder", "orolder",
                                                      "andabove", "orabove"};
constexpr std::array<std::string_view, 6> kOrLess = {"orless",   "andless", "orunder",
                                                     "andunder", "orfewer", "oryounger"};
constexpr std::array<std::string_view, 8> kBetween = {
    "-", "--", "\xe2\x80\x93", "\xe2\x80\x94", "to", "..", ",", "and"};
constexpr std::array<std::string_view, 4> kBegin = {"", "(", "[", "from"};

using Range = std::pair<double, double>;

std::optional<Range> range_of(const RangeParts& parts) {
  if (parts.numbers.size() == 1) {
    const double number = parts.numbers[0];
    const std::string& before = parts.around[0];
    const std::string& after = parts.around[1];
    if (is_any(before, kBelow) && is_unit(after)) return std::pair{-kNoEnd, number};
    if (is_any(before, kAbove) && is_unit(after)) return std::pair{number, kNoEnd};
    if (!before.empty()) return std::nullopt;
    if (is_any_with_unit(after, kOrMore)) return std::pair{number, kNoEnd};
    if (is_any_with_unit(after, kOrLess)) return std::pair{-kNoEnd, number};
    return is_unit(after) ? std::optional(std::pair{number, number}) : std::nullopt;
  }
  if (parts.numbers.size() != 2 || !(parts.numbers[0] <= parts.numbers[1])) return std::nullopt;
  std::string_view between = parts.around[1];
  std::string_view after = parts.around[2];
  if (after.ends_with(')') || after.ends_with(']')) after.remove_suffix(1);
  // "1st-4th", "10k-20k", "0%-5%".
  while (!is_any(between, kBetween) && !between.empty() &&
         (is_a_small_letter(between.front()) || between.front() == '%'))
    between.remove_prefix(1);
  if (!is_any(parts.around[0], kBegin) || !is_any(between, kBetween) || !is_unit(after))
    return std::nullopt;
  return std::pair{parts.numbers[0], parts.numbers[1]};
}

}  // namespace

std::optional<std::pair<double, double>> range_in(std::string_view word) {
  return range_of(range_parts(word));
}

// -----------------------------------------------------------------------------------------------
// Periods.

namespace {

/// Runs of letters, small, and of digits; empty if anything else than marks is between them.
std::vector<std::string> runs_of(std::string_view word) {
  std::vector<std::string> runs;
  bool continues = false, was_digit = false;
  for (char letter : word) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    if (!is_a_digit(letter) && !is_a_small_letter(letter)) {
      if (std::string_view(" -_/'.").find(letter) == std::string_view::npos) return {};
      continues = false;
      continue;
    }
    if (!continues || was_digit != is_a_digit(letter)) runs.emplace_back();
    runs.back() += letter;
    was_digit = is_a_digit(letter);
    continues = true;
  }
  return runs;
}

/// 1 to 12 for a month's English name or its first letters, at least three; 0 for other words.
int month_of(std::string_view name) {
  constexpr std::array<std::string_view, 12> kNames = {
      "january", "february", "march",     "april",   "may",      "june",
      "july",    "august",   "september", "october", "november", "december"};
  constexpr std::size_t kFewestLetters = 3;
  if (name.size() < kFewestLetters) return 0;
  const auto* const found =
      std::find_if(kNames.begin(), kNames.end(), [&](auto one) { return one.starts_with(name); });
  return found == kNames.end() ? 0 : static_cast<int>(found - kNames.begin()) + 1;
}

/// 1 to 7 from Monday on, for a weekday's English name or its first letters, at least three; 0 for
/// other words.
int weekday_of(std::string_view name) {
  constexpr std::array<std::string_view, 7> kNames = {"monday", "tuesday",  "wednesday", "thursday",
                                                      "friday", "saturday", "sunday"};
  constexpr std::size_t kFewestLetters = 3;
  if (name.size() < kFewestLetters) return 0;
  const auto* const found =
      std::find_if(kNames.begin(), kNames.end(), [&](auto one) { return one.starts_with(name); });
  return found == kNames.end() ? 0 : static_cast<int>(found - kNames.begin()) + 1;
}

constexpr std::size_t kDigitsOfYear = 4, kDigitsOfShortYear = 2;

/// Of two digits: from 1969 to 2068, as strptime has it.
int year_of(const std::string& digits) {
  constexpr int kFirstOfLastCentury = 69;
  const int number = std::stoi(digits);
  if (digits.size() == kDigitsOfYear) return number;
  return number + (number < kFirstOfLastCentury ? 2000 : 1900);
}

bool is_a_year(const std::string& run) {
  return is_a_digit(run[0]) && (run.size() == kDigitsOfYear || run.size() == kDigitsOfShortYear);
}

/// "FY2021", "FY21", "2015/16", "2015-2016", "FY2015/16": a year, or two that follow each other.
std::optional<PeriodWord> year_in(std::string_view word, std::vector<std::string> runs) {
  constexpr std::array<std::string_view, 3> kNames = {"fy", "ay", "sy"};
  const bool is_named = !runs.empty() && is_any(runs[0], kNames);
  if (is_named) runs.erase(runs.begin());
  if (runs.empty() || runs.size() > 2 || !std::all_of(runs.begin(), runs.end(), is_a_year))
    return std::nullopt;
  const PeriodWord found{.kind = 'y', .has_year = true, .year = year_of(runs[0]), .part = 0};
  if (runs.size() == 1) return is_named ? std::optional(found) : std::nullopt;
  const bool has_mark = word.find_first_of("/-") != std::string_view::npos;
  const bool follows = year_of(runs[1]) == found.year + 1;
  return has_mark && follows && runs[0].size() == kDigitsOfYear ? std::optional(found)
                                                                : std::nullopt;
}

}  // namespace

std::optional<PeriodWord> period_in(std::string_view word) {
  std::vector<std::string> runs = runs_of(word);
  if (const auto year = year_in(word, runs)) return year;
  const auto name = std::find_if(runs.begin(), runs.end(),
                                 [](const auto& run) { return is_a_small_letter(run[0]); });
  constexpr std::size_t kMostRuns = 3, kShort = 2;
  if (name == runs.end() || runs.size() > kMostRuns) return std::nullopt;
  const std::string letters = *name;
  const bool begins = name == runs.begin();
  const bool divides = !begins && std::next(name) != runs.end();
  runs.erase(name);
  const auto is_long = [](const std::string& run) { return run.size() == kDigitsOfYear; };
  for (const std::string& run : runs) {
    if (!is_a_digit(run[0]) || (run.size() > kShort && !is_long(run))) return std::nullopt;
  }
  if (const int weekday = weekday_of(letters); weekday > 0 && runs.empty())
    return PeriodWord{.kind = 'a', .part = weekday};
  if (const int month = month_of(letters); month > 0) {
    if (runs.empty()) return PeriodWord{.kind = 'm', .part = month};
    if (divides && runs[0].size() <= kShort && is_a_year(runs[1])) {
      constexpr int kMostDays = 31, kRoomForDays = 32;
      const int day = std::stoi(runs[0]);
      if (day < 1 || day > kMostDays) return std::nullopt;
      return PeriodWord{.kind = 'd',
                        .has_year = true,
                        .year = year_of(runs[1]),
                        .part = month * kRoomForDays + day};
    }
    // "Apr 23" and "23-Apr" may be days.
    const bool has_mark = word.find_first_of("-/'") != std::string_view::npos;
    if (runs.size() > 1 || (!is_long(runs[0]) && !(begins && has_mark))) return std::nullopt;
    return PeriodWord{.kind = 'm', .has_year = true, .year = year_of(runs[0]), .part = month};
  }
  if (letters.size() != 1 && letters != "quarter" && letters != "week") return std::nullopt;
  constexpr std::array<std::pair<char, int>, 4> kMost = {
      {{'q', 4}, {'h', 2}, {'m', 12}, {'w', 53}}};
  const auto* const kind = std::find_if(kMost.begin(), kMost.end(),
                                        [&](const auto& one) { return one.first == letters[0]; });
  if (kind == kMost.end() || runs.empty()) return std::nullopt;
  if (runs.size() == 1) {
    // Of other letters anything may be numbered.
    if (kind->first != 'q' || !begins || runs[0].size() != 1) return std::nullopt;
    runs.insert(runs.begin(), std::string());
  } else if (begins || !is_long(runs[0])) {
    std::swap(runs[0], runs[1]);  // the year last
    if (begins && !is_long(runs[0]) && kind->first != 'q') return std::nullopt;
  }
  if (runs[1].size() > kShort) return std::nullopt;
  const int part = std::stoi(runs[1]);
  if (part < 1 || part > kind->second) return std::nullopt;
  const bool has_year = !runs[0].empty();
  return PeriodWord{.kind = kind->first,
                    .has_year = has_year,
                    .year = has_year ? year_of(runs[0]) : 0,
                    .part = part};
}

// -----------------------------------------------------------------------------------------------
// Codes.

std::string without_zeros(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string_view whole = text.substr(0, point);
  std::string_view part = text.substr(std::min(point + 1, text.size()));
  const auto are_digits = [](std::string_view run) {
    return std::all_of(run.begin(), run.end(), is_a_digit);
  };
  if (whole.empty() || !are_digits(whole) || !are_digits(part)) return "";
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size() - 1));
  part = part.substr(0, part.find_last_not_of('0') + 1);
  return std::string(is_negative ? "-" : "") + std::string(whole) + (part.empty() ? "" : ".") +
         std::string(part);
}

// -----------------------------------------------------------------------------------------------
// Cells.

namespace {

/// As a data frame and its CSV file both have it: 1 for 1.0, and false for False.
std::string common_text(std::string word) {
  for (const char* truth : {"false", "true"}) {
    if (equal_ignoring_case(word, truth)) return truth;
  }
  if (!word.ends_with(".0")) return word;
  const auto integer = read_integer(word);
  return integer ? std::to_string(*integer) : word;
}

bool is_word_for_zero(std::string_view word) {
  return equal_ignoring_case(word, "none") || equal_ignoring_case(word, "never") ||
         equal_ignoring_case(word, "zero");
}

/// The letters that all words with numbers have before these: "age" in "Age 0-4" and "Age <1".
std::string common_beginning(const std::vector<std::string>& words) {
  std::optional<std::string> common;
  for (const std::string& word : words) {
    const RangeParts parts = range_parts(word);
    if (parts.numbers.empty()) continue;
    if (!common) common = parts.around[0];
    const auto end = std::mismatch(common->begin(), common->end(), parts.around[0].begin(),
                                   parts.around[0].end());
    common->erase(end.first, common->end());
  }
  if (!common) return "";
  const auto end = std::find_if_not(common->begin(), common->end(), is_a_small_letter);
  return {common->begin(), end};
}

/// The place of each word among ranges of numbers: a range, a number, or a word for 0. Empty if a word
/// has no place, or if no word is a range.
std::vector<Range> places_in_ranges(const std::vector<std::string>& words, bool may_be_numbers) {
  const std::string beginning = common_beginning(words);
  std::vector<Range> places;
  bool have_ranges = may_be_numbers;
  for (const std::string& word : words) {
    if (is_word_for_zero(word)) {
      places.emplace_back(-kNoEnd, 0);
      continue;
    }
    RangeParts parts = range_parts(word);
    if (!parts.numbers.empty()) parts.around[0].erase(0, beginning.size());
    const auto range = range_of(parts);
    if (!range) return {};
    have_ranges = have_ranges || range->first < range->second;
    places.push_back(*range);
  }
  return have_ranges ? places : std::vector<Range>();
}

/// The numbers of words that are alike except for one number: "Grade 1" and "Grade 10", "1st" and
/// "2nd", "1 year" and "2 years". Empty for others, and for words without a letter.
std::vector<double> numbers_of_alike(const std::vector<std::string>& words) {
  const auto is_mark = [](char letter) {
    return is_a_digit(letter) ||
           std::string_view(" .,:;-_/()[]").find(letter) != std::string_view::npos;
  };
  std::vector<std::vector<double>> all;
  std::vector<std::string> common;
  for (const std::string& word : words) {
    RangeParts parts = range_parts(word);
    if (parts.numbers.empty() || std::all_of(word.begin(), word.end(), is_mark)) return {};
    for (std::size_t i = 1; i < parts.around.size(); ++i) {
      std::string& after = parts.around[i];
      for (const std::string_view ordinal : {"st", "nd", "rd"}) {
        if (after.starts_with(ordinal)) after.replace(0, 2, "th");
      }
      if (after.ends_with('s')) after.pop_back();
    }
    if (common.empty()) common = parts.around;
    if (parts.around != common) return {};
    all.push_back(std::move(parts.numbers));
  }
  // If several numbers vary, as in codes and versions, nothing shows which one comes first.
  std::optional<std::size_t> varying;
  for (std::size_t i = 0; !all.empty() && i < all[0].size(); ++i) {
    const bool varies = std::any_of(all.begin(), all.end(),
                                    [&](const auto& numbers) { return numbers[i] != all[0][i]; });
    if (varies && varying) return {};
    if (varies) varying = i;
  }
  std::vector<double> numbers;
  for (const auto& of_word : all)
    if (varying) numbers.push_back(of_word[*varying]);
  return numbers;
}

/// Sorts words by their places, which may be equal.
template <class Place>
void sort_by_places(std::vector<std::string>& words, const std::vector<Place>& places) {
  std::vector<std::size_t> order(words.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t one, std::size_t other) { return places[one] < places[other]; });
  std::vector<std::string> sorted;
  for (const std::size_t at : order) sorted.push_back(std::move(words[at]));
  words = std::move(sorted);
}

bool are_periods_alike(const std::vector<std::string>& words) {
  const auto first = words.empty() ? std::nullopt : period_in(words[0]);
  return first && std::all_of(words.begin(), words.end(), [&](const std::string& word) {
           const auto period = period_in(word);
           return period && period->kind == first->kind && period->has_year == first->has_year;
         });
}

bool are_numbers(const std::vector<std::string>& words) {
  return std::all_of(words.begin(), words.end(),
                     [](const std::string& word) { return read_number(word).has_value(); });
}

/// Sorts words that have an order of their own. `are_others`: words for unknown, which come last.
bool sort_by_order(std::vector<std::string>& words, bool are_others) {
  if (words.size() < 2) return false;
  if (are_periods_alike(words)) {
    std::stable_sort(words.begin(), words.end(), [](const auto& one, const auto& other) {
      return period_in(one) < period_in(other);
    });
    return true;
  }
  const bool have_numbers = are_numbers(words);
  const auto places = places_in_ranges(words, are_others && have_numbers);
  if (!places.empty()) {
    sort_by_places(words, places);
    return true;
  }
  const auto numbers = have_numbers ? std::vector<double>() : numbers_of_alike(words);
  if (!numbers.empty()) sort_by_places(words, numbers);
  return !numbers.empty();
}

}  // namespace

bool is_word_for_unknown(std::string_view word) {
  constexpr std::array<std::string_view, 32> kWords = {"unknown",
                                                       "unk",
                                                       "notknown",
                                                       "na",
                                                       "nan",
                                                       "null",
                                                       "notavailable",
                                                       "notapplicable",
                                                       "inapplicable",
                                                       "refused",
                                                       "refusal",
                                                       "missing",
                                                       "notstated",
                                                       "notreported",
                                                       "notrecorded",
                                                       "notspecified",
                                                       "unspecified",
                                                       "undisclosed",
                                                       "undetermined",
                                                       "unclear",
                                                       "dontknow",
                                                       "donotknow",
                                                       "dk",
                                                       "noanswer",
                                                       "noresponse",
                                                       "nodata",
                                                       "declined",
                                                       "declinedtoanswer",
                                                       "declinedtosay",
                                                       "prefernottosay",
                                                       "prefernottoanswer",
                                                       "noinformation"};
  std::string letters;
  for (const char letter : word) {
    const bool is_large = letter >= 'A' && letter <= 'Z';
    const char small = is_large ? static_cast<char>(letter - 'A' + 'a') : letter;
    if (is_a_small_letter(small)) {
      letters += small;
    } else if (std::string_view(" .'/?-*()[]_").find(letter) == std::string_view::npos) {
      return false;
    }
  }
  return !word.empty() && (letters.empty() || is_any(letters, kWords));
}

std::string order_of(const std::vector<std::string>& words) {
  std::vector<std::string> ordered, others;
  for (const std::string& word : words)
    (is_word_for_unknown(word) ? others : ordered).push_back(word);
  const char* const what = are_periods_alike(ordered) ? "quarters, months, weeks, days or years"
                           : are_numbers(ordered)     ? "numbers"
                           : places_in_ranges(ordered, false).empty()
                               ? "alike except for their numbers"
                               : "ranges of numbers";
  if (others.empty()) return fmt::format("all are {}", what);
  return fmt::format("all but \"{}\" are {}", fmt::join(others, "\", \""), what);
}

Cells words_as_cells(std::vector<std::string> words, bool are_codes) {
  if (!are_codes) std::transform(words.begin(), words.end(), words.begin(), common_text);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  if (are_codes) return Categories::make(words, false, true);
  std::vector<std::string> ordered, others;
  for (const std::string& word : words)
    (is_word_for_unknown(word) ? others : ordered).push_back(word);
  if (sort_by_order(ordered, !others.empty())) {
    ordered.insert(ordered.end(), others.begin(), others.end());
    return ordered_cells(ordered);
  }
  // Of the ways in which one number is written the first one is enough.
  std::set<std::string, std::less<>> seen;
  std::erase_if(words, [&seen](const std::string& value) {
    SameValueBuffer buffer;
    const auto same = same_value_text(value, buffer);
    return same && !seen.emplace(*same).second;
  });
  return Categories::make(words);
}

Cells ordered_cells(const std::vector<std::string>& words) {
  try {
    return Categories::make(words, true);
  } catch (const InvalidInput&) {
    return Categories::make(words, true, true);
  }
}

}  // namespace mollify
