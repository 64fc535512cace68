// How the text of a field becomes a null, a number or an integer: the rules all columns share, and
// which texts a domain may declare.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mollify {

/// True for the words that mean "no value": the empty field, NA, N/A, NaN, nan, null, NULL, None.
/// A column's declared values win over them.
[[nodiscard]] bool is_null_word(std::string_view text) noexcept;

/// The text without spaces and tabs at its ends. Only numbers and booleans ignore them.
[[nodiscard]] std::string_view without_outer_spaces(std::string_view text) noexcept;

/// True if the bytes are well-formed UTF-8.
[[nodiscard]] bool is_utf8(std::string_view bytes) noexcept;

/// The number which the whole text denotes in decimal notation (`-12`, `3.5`, `1e3`, `inf`), with
/// an optional leading + and outer spaces; nothing for any other text, hexadecimal and nan
/// included. What is too large for a double is an infinity of its sign; what is too small is zero.
/// Total, and independent of the locale; O(length).
[[nodiscard]] std::optional<double> read_number(std::string_view text) noexcept;

/// The integer which the whole text denotes, as digits or as digits followed by `.000…` (so write
/// other programs a column of integers that has nulls). Nothing for every other text, and nothing
/// for integers outside 64 bits: `read_number` still reads those.
[[nodiscard]] std::optional<std::int64_t> read_integer(std::string_view text) noexcept;

/// Room for the text that `without_marks` makes.
using UnmarkedBuffer = std::array<char, 64>;
/// A number that people write with marks, as programs write it: `1234567.8` for `1,234,567.8`, with
/// commas between thousands, and for `50%` either `50` or, if percents are hundredths, `50e-2`.
/// Empty for every other text, and for texts of more than 60 bytes.
[[nodiscard]] std::string_view without_marks(std::string_view text, bool in_hundredths,
                                             UnmarkedBuffer& buffer) noexcept;
/// True for a column from min to max that writes 50% as 0.5, not as 50: its bounds lie from -1
/// to 1.
[[nodiscard]] constexpr bool percents_are_hundredths(double min, double max) noexcept {
  return min >= -1 && max <= 1;
}
/// The number in a field of such a column: as `read_number` reads it, or written with marks. From
/// 0 to 1 it may be a truth: programs write their columns of 0 and 1 so, too.
[[nodiscard]] std::optional<double> read_number_of(std::string_view text, double min,
                                                   double max) noexcept;

/// The usual words for a truth, in any case: false, f, no, n, 0 and true, t, yes, y, 1. Nothing for
/// any other text. Outer spaces are ignored.
[[nodiscard]] std::optional<bool> read_truth(std::string_view text) noexcept;

/// The texts that typed values stand for, as `Value` says; valid as long as the buffer.
using TextBuffer = std::array<char, 32>;
[[nodiscard]] std::string_view text_of(std::int64_t integer, TextBuffer& buffer) noexcept;
[[nodiscard]] std::string_view text_of(double number, TextBuffer& buffer) noexcept;

/// True if the two words agree when ASCII letters are compared without their case.
[[nodiscard]] bool equal_ignoring_case(std::string_view left, std::string_view right) noexcept;

/// Throws InvalidInput, calling the text `what`, unless it is UTF-8 without control characters.
///
/// A line break could not be read back from a CSV file in which one line is one record, and text
/// that is not UTF-8 could not be written to a domain file.
void require_declarable(std::string_view text, std::string_view what);

}  // namespace mollify
