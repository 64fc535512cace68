#include "space/field_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include <boost/locale/utf.hpp>
#include <fmt/format.h>

namespace mollify {
namespace {

std::string_view without_plus(std::string_view text) {
  const bool has_plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  return has_plus ? text.substr(1) : text;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What most fields of a table of numbers are: at most 15 digits, perhaps with a sign and a point.
// Their integer and the power of ten are doubles exactly, so their quotient is the nearest double,
// which is what std::from_chars returns, in a third of its time. Nothing for any other text.
std::optional<double> read_short_decimal(std::string_view text) noexcept {
  constexpr std::size_t kMostDigits = 15;
  constexpr std::array<double, kMostDigits + 1> kPowers = {
      1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  if (text.size() > kMostDigits + 1) return std::nullopt;
  std::uint64_t digits = 0;
  std::size_t count = 0;
  std::size_t before_point = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_digit(text[i])) {
      digits = 10 * digits + static_cast<std::uint64_t>(text[i] - '0');
      ++count;
    } else if (text[i] == '.' && before_point == text.size()) {
      before_point = i;
    } else {
      return std::nullopt;
    }
  }
  if (count == 0 || count > kMostDigits) return std::nullopt;
  const double value = static_cast<double>(digits) / kPowers[count - std::min(before_point, count)];
  return negative ? -value : value;
}

// std::from_chars says "out of range" both for 1e999 and for 1e-999. Given such a decimal number,
// this tells them apart: the number is large if its first digit other than zero stands before the
// point once the exponent is applied.
bool is_large(std::string_view number) noexcept {
  constexpr std::int64_t kFar = std::int64_t{1} << 40U;  // beyond any digit count of a line
  const std::size_t exponent_mark = std::min(number.find_first_of("eE"), number.size());
  std::int64_t exponent = 0;
  if (exponent_mark < number.size()) {
    std::string_view digits = number.substr(exponent_mark + 1);
    const bool negative = digits.front() == '-';
    if (negative || digits.front() == '+') digits.remove_prefix(1);
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (result.ec != std::errc{}) exponent = kFar;
    exponent = std::min(exponent, kFar);
    if (negative) exponent = -exponent;
  }
  const std::string_view mantissa = number.substr(0, exponent_mark);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = std::min(mantissa.find_first_of("123456789"), mantissa.size());
  return static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) + exponent > 0;
}

}  // namespace

bool is_null_word(std::string_view text) noexcept {
  if (text.empty()) return true;
  if (text.size() > 4 || is_digit(text.front())) return false;
  constexpr std::array<std::string_view, 7> kWords = {"NA",   "N/A",  "NaN", "nan",
                                                      "null", "NULL", "None"};
  return std::find(kWords.begin(), kWords.end(), text) != kWords.end();
}

std::string_view without_outer_spaces(std::string_view text) noexcept {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool is_utf8(std::string_view bytes) noexcept {
  namespace utf = boost::locale::utf;
  const char* position = bytes.data();
  const char* const end = position + bytes.size();
  while (position != end) {
    if (static_cast<unsigned char>(*position) < 0x80) {
      ++position;
      continue;
    }
    const utf::code_point point = utf::utf_traits<char>::decode(position, end);
    if (point == utf::illegal || point == utf::incomplete) return false;
  }
  return true;
}

std::optional<double> read_number(std::string_view text) noexcept {
  text = without_plus(without_outer_spaces(text));
  if (const auto decimal = read_short_decimal(text)) return decimal;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) {
    if (!is_large(text)) return 0.0;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return text.front() == '-' ? -kInfinity : kInfinity;
  }
  if (std::isnan(value)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> read_integer(std::string_view text) noexcept {
  text = without_plus(without_outer_spaces(text));
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc{}) return std::nullopt;
  if (result.ptr == end) return value;
  if (*result.ptr != '.') return std::nullopt;
  const bool only_zeros = std::all_of(result.ptr + 1, end, [](char c) { return c == '0'; });
  return only_zeros ? std::optional(value) : std::nullopt;
}

std::string_view text_of(std::int64_t integer, TextBuffer& buffer) noexcept {
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), integer);
  return {buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data())};
}

std::string_view text_of(double number, TextBuffer& buffer) noexcept {
  if (std::isnan(number)) return "nan";  // which has a sign, too
  const char* const end = fmt::format_to(buffer.data(), "{}", number + 0.0);
  return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

bool equal_ignoring_case(std::string_view left, std::string_view right) noexcept {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [&](char a, char b) { return lower(a) == lower(b); });
}

}  // namespace mollify
