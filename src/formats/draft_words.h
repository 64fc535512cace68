// The words of a public column, and the cells that a draft makes of them.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/column.h"

namespace mollify {

/// The ends of a range of numbers in words: "0-4", "5 to 9", "$0-$999", "[5,10)", "(10,Inf]", "<5",
/// "90+", "10 and over", "1:00-2:30". A number alone is one that begins and ends with it. Nothing for other words.
[[nodiscard]] std::optional<std::pair<double, double>> range_in(std::string_view word);

/// A quarter, half, month, week, day, year or weekday in words.
struct PeriodWord {
  char kind = 0;  ///< q, h, m, w, d, y, or a for a weekday
  bool has_year = false;
  int year = 0;
  int part = 0;  ///< of the year; of days, 32 times the month and the day

  auto operator<=>(const PeriodWord&) const = default;
};

/// "Q1 2022", "2022-Q1", "1Q22", "Apr-23", "2023M04", "2023-W05", "31-Aug-21", "FY2021" and "2015/16";
/// "Q1", "April" and "Monday" without a year. Nothing for other words.
[[nodiscard]] std::optional<PeriodWord> period_in(std::string_view word);

/// Whether the word says that nothing is known, or nothing was answered: "Unknown", "Refused", "?".
[[nodiscard]] bool is_word_for_unknown(std::string_view word);

/// A number's digits without the zeros that do not change it: "412" for "0412" and "412.0". Empty for
/// other texts.
[[nodiscard]] std::string without_zeros(std::string_view text);

/// Categories of different words in the order of their bytes. If all are periods of one kind, or
/// ranges of numbers and numbers, or alike except for their numbers, an ordinal in the order of these. Words such as "Unknown" come last,
/// and "none" is the number 0. Codes are verbatim. A data frame and its CSV file have the same ones:
/// of the ways to write a number or a truth the shortest is kept.
[[nodiscard]] Cells words_as_cells(std::vector<std::string> words, bool are_codes);

/// What the words of an ordinal from `words_as_cells` are, for people: "all are ranges of numbers".
[[nodiscard]] std::string order_of(const std::vector<std::string>& words);

/// An ordinal of words that a table's type lists; verbatim, if two of them are one number. Throws
/// InvalidInput if they cannot be declared.
[[nodiscard]] Cells ordered_cells(const std::vector<std::string>& words);

}  // namespace mollify
