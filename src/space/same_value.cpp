#include "space/same_value.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "space/field_text.h"
#include "space/time_text.h"

namespace mollify {
namespace {

/// The exponent that a number ends in, of at most nine digits: `e-3`. Nothing for other texts.
std::optional<std::int64_t> exponent_in(std::string_view text) noexcept {
  if (!text.starts_with('e') && !text.starts_with('E')) return std::nullopt;
  text.remove_prefix(1);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  while (text.size() > 1 && text.front() == '0') text.remove_prefix(1);
  std::uint32_t size = 0;
  constexpr std::size_t kMostDigitsOfExponent = 9;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (text.size() > kMostDigitsOfExponent) return std::nullopt;
  return negative ? -std::int64_t{size} : std::int64_t{size};
}

// Written are the digits from the first to the last that is not zero, and the power of ten that
// they are multiplied by.
std::optional<std::string_view> unmarked_number_text(std::string_view text,
                                                     SameValueBuffer& buffer) noexcept {
  text = without_outer_spaces(text);
  char* const begin = buffer.letters.data();
  char* end = begin;
  if (text.starts_with('-')) *end++ = '-';
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const char* const first = end;
  std::int64_t exponent = 0;
  std::size_t zeros = 0;  // after the last digit that is not zero
  bool has_digit = false;
  bool has_point = false;
  for (; !text.empty(); text.remove_prefix(1)) {
    const char letter = text.front();
    if (letter == '.' && !has_point) {
      has_point = true;
      continue;
    }
    if (letter < '0' || letter > '9') break;
    has_digit = true;
    if (has_point) --exponent;
    if (letter == '0') {
      if (end != first) ++zeros;
      continue;
    }
    const auto digits = static_cast<std::size_t>(end - first);
    if (digits + zeros >= SameValueBuffer::kMostDigits) return std::nullopt;
    end = std::fill_n(end, zeros, '0');
    zeros = 0;
    *end++ = letter;
  }
  if (!has_digit) return std::nullopt;
  if (!text.empty()) {
    const auto stated = exponent_in(text);
    if (!stated) return std::nullopt;
    exponent += *stated;
  }
  if (end == first) return "0";  // which has no sign
  exponent += static_cast<std::int64_t>(zeros);
  *end++ = 'e';
  end = std::to_chars(end, begin + buffer.letters.size(), exponent).ptr;
  return std::string_view(begin, static_cast<std::size_t>(end - begin));
}

// Written are a mark, seconds of UTC's clock since 1970 or midnight, and parts of a second.
std::optional<std::string_view> same_time_text(std::string_view text,
                                               SameValueBuffer& buffer) noexcept {
  text = without_outer_spaces(text);
  auto time = read_time(text);
  const bool is_clock = !time;
  if (is_clock) time = read_clock(text);
  if (!time || time->fraction.size() > SameValueBuffer::kMostDigits) return std::nullopt;
  std::int64_t seconds = time->seconds - time->offset.value_or(0);
  if (is_clock) seconds = (seconds + kSecondsOfDay) % kSecondsOfDay;
  char* const begin = buffer.letters.data();
  *begin = is_clock ? ':' : 'T';
  char* end = std::to_chars(begin + 1, begin + buffer.letters.size(), seconds).ptr;
  *end++ = '.';
  end = std::copy(time->fraction.begin(), time->fraction.end(), end);
  return std::string_view(begin, static_cast<std::size_t>(end - begin));
}

}  // namespace

std::optional<std::string_view> same_number_text(std::string_view text,
                                                 SameValueBuffer& buffer) noexcept {
  if (const auto number = unmarked_number_text(text, buffer)) return number;
  UnmarkedBuffer unmarked;
  return unmarked_number_text(without_marks(text, true, unmarked), buffer);
}

std::optional<std::string_view> same_value_text(std::string_view text,
                                                SameValueBuffer& buffer) noexcept {
  for (const std::string_view truth : {"false", "true"}) {
    if (equal_ignoring_case(text, truth)) return truth;
  }
  const auto number = same_number_text(text, buffer);
  return number ? number : same_time_text(text, buffer);
}

}  // namespace mollify
