#include "formats/draft_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

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

/// The end of the number that begins here. A comma before three digits divides thousands, except in
/// brackets, where it divides the ends.
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
  return at;
}

RangeParts range_parts(std::string_view word) {
  RangeParts parts;
  for (std::size_t at = 0; at < word.size();) {
    const char letter = word[at];
    // After a number or a letter a minus divides.
    const bool may_be_sign =
        at == 0 || std::string_view(" ([,<=>-").find(word[at - 1]) != std::string_view::npos;
    const std::size_t digits = at + (letter == '-' && may_be_sign ? 1 : 0);
    if (digits < word.size() && is_a_digit(word[digits])) {
      const std::size_t end = end_of_number(word, digits);
      std::string number(word.substr(at, end - at));
      std::erase(number, ',');
      parts.numbers.push_back(read_number(number).value_or(kNoEnd));
      parts.around.emplace_back();
      at = end;
      continue;
    }
    const bool is_large = letter >= 'A' && letter <= 'Z';
    if (letter != ' ' && letter != '$')
      parts.around.back() += is_large ? static_cast<char>(letter - 'A' + 'a') : letter;
    ++at;
  }
  return parts;
}

template <std::size_t kSize>
bool is_any(std::string_view text, const std::array<std::string_view, kSize>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

template <std::size_t kSize>
bool ends_in_any(std::string_view text, const std::array<std::string_view, kSize>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.ends_with(word); });
}

/// "years", "g/day", "%": what may follow a number that is measured.
bool is_unit(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char letter) {
    return is_a_small_letter(letter) || letter == '/' || letter == '%' || letter == '.';
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

/// Ranges with two ends, one of them perhaps infinite.
bool has_two_ends(const std::string& word) {
  const auto range = range_in(word);
  return range && range->first < range->second;
}

}  // namespace

std::optional<std::pair<double, double>> range_in(std::string_view word) {
  const RangeParts parts = range_parts(word);
  if (parts.numbers.size() == 1) {
    const double number = parts.numbers[0];
    const std::string& before = parts.around[0];
    const std::string& after = parts.around[1];
    if (is_any(before, kBelow) && is_unit(after)) return std::pair{-kNoEnd, number};
    if (is_any(before, kAbove) && is_unit(after)) return std::pair{number, kNoEnd};
    if (!before.empty()) return std::nullopt;
    if (ends_in_any(after, kOrMore)) return std::pair{number, kNoEnd};
    if (ends_in_any(after, kOrLess)) return std::pair{-kNoEnd, number};
    return is_unit(after) ? std::optional(std::pair{number, number}) : std::nullopt;
  }
  if (parts.numbers.size() != 2 || !(parts.numbers[0] <= parts.numbers[1])) return std::nullopt;
  std::string_view between = parts.around[1];
  std::string_view after = parts.around[2];
  if (after.ends_with(')') || after.ends_with(']')) after.remove_suffix(1);
  // "1st-4th", "10k-20k".
  if (!is_any(between, kBetween))
    while (!between.empty() && is_a_small_letter(between.front())) between.remove_prefix(1);
  if (!is_any(parts.around[0], kBegin) || !is_any(between, kBetween) || !is_unit(after))
    return std::nullopt;
  return std::pair{parts.numbers[0], parts.numbers[1]};
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

}  // namespace

Cells words_as_cells(std::vector<std::string> words, bool are_codes) {
  if (!are_codes) std::transform(words.begin(), words.end(), words.begin(), common_text);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  if (are_codes) return Categories::make(words, false, true);
  const auto is_range = [](const std::string& word) { return range_in(word).has_value(); };
  if (std::all_of(words.begin(), words.end(), is_range) &&
      std::count_if(words.begin(), words.end(), has_two_ends) >= 2) {
    std::stable_sort(words.begin(), words.end(), [](const auto& one, const auto& other) {
      return range_in(one) < range_in(other);
    });
    return Categories::make(words, true);
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
