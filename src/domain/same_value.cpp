#include "domain/same_value.h"

#include <sodium.h>
#include <sys/auxv.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>
#include <system_error>

#include <boost/locale/utf.hpp>
#include <fmt/format.h>

#include "base/refusal.h"
#include "core/ranges.h"
#include "domain/time_text.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// How the text of a field becomes a null, a number or an integer.

namespace {

std::string_view without_plus(std::string_view text) {
  const bool has_plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  return has_plus ? text.substr(1) : text;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// digits / 10^decimals, or its negative.
struct ShortDecimal {
  std::uint64_t digits;
  unsigned decimals;
  bool has_point;
  bool negative;
};

template <class Word>
std::uint64_t load(const char* bytes) {
  Word word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

constexpr std::uint64_t every_byte(std::uint64_t byte) { return 0x0101010101010101U * byte; }

/// Eight letters of a text, from its beginning and its end, so that nothing else is read: the last
/// letter in the highest byte, and zeros below the first if they are fewer.
std::uint64_t load_few(std::string_view text) {
  const std::size_t size = text.size();
  const std::size_t shift = 8 * (8 - size);
  const char* const end = text.data() + size;
  if (size >= 4) {
    return load<std::uint32_t>(end - 4) << 32U | load<std::uint32_t>(text.data()) << shift;
  }
  return load<std::uint8_t>(end - 1) << 56U | load<std::uint8_t>(text.data()) << shift |
         load<std::uint8_t>(text.data() + size / 2) << (shift + 8 * (size / 2));
}

/// The number of eight digits, the first in the lowest byte: pairs, fours, and all of them.
std::uint64_t number_of(std::uint64_t digits) {
  digits = (digits * 10 + (digits >> 8U)) & 0x00ff00ff00ff00ffU;
  digits = (digits * 100 + (digits >> 16U)) & 0x0000ffff0000ffffU;
  return (digits * 10'000 + (digits >> 32U)) & 0xffffffffU;
}

/// A marker in the high bit of each byte that is not a digit.
std::uint64_t others_than_digits(std::uint64_t bytes) {
  return ((((bytes & every_byte(0x7f)) + every_byte(0x76)) | bytes)) & every_byte(0x80);
}

/// Closes the gap that the byte at this place leaves, from below.
std::uint64_t without_byte(std::uint64_t bytes, unsigned place) {
  const std::uint64_t below = (std::uint64_t{1} << 8U * place) - 1;
  return (bytes & ~(below << 8U | 0xffU)) | (bytes & below) << 8U;
}

// What most fields of a table of numbers are: at most 16 letters, digits and perhaps a point, after
// perhaps a sign. Eight letters are read at a time, for loops and branches on each would take most
// of the time of reading a table. Nothing for any other text.
std::optional<ShortDecimal> read_short_decimal(std::string_view text) noexcept {
  if constexpr (std::endian::native != std::endian::little) return std::nullopt;
  const bool negative = !text.empty() && text.front() == '-';
  text.remove_prefix(negative ? 1 : 0);
  const std::size_t size = text.size();
  if (size - 1 >= 16) return std::nullopt;
  constexpr std::uint64_t kZeros = every_byte('0');
  std::uint64_t high = 0;  // the letters before the last eight
  std::uint64_t low = 0;
  if (size < 8) {
    low = load_few(text) ^ kZeros << 8 * (8 - size);
  } else {
    low = load<std::uint64_t>(text.data() + size - 8) ^ kZeros;
    if (size > 8) high = (load<std::uint64_t>(text.data()) ^ kZeros) << 8 * (16 - size);
  }
  const std::uint64_t low_others = others_than_digits(low);
  const std::uint64_t high_others = others_than_digits(high);
  const bool has_point = (low_others | high_others) != 0;
  unsigned decimals = 0;
  if (has_point) {
    // Of all letters that are no digits there may be one, and it must be the point.
    const bool is_low = low_others != 0;
    const std::uint64_t others = is_low ? low_others : high_others;
    if ((is_low && high_others != 0) || (others & (others - 1)) != 0 || size == 1) {
      return std::nullopt;
    }
    const auto place = static_cast<unsigned>(std::countr_zero(others)) / 8;
    if (((is_low ? low : high) >> 8U * place & 0xffU) != ('.' ^ '0')) return std::nullopt;
    decimals = (is_low ? 7 : 15) - place;
    if (is_low) {
      low = without_byte(low, place) | high >> 56U;
      high <<= 8U;
    } else {
      high = without_byte(high, place);
    }
  }
  return ShortDecimal{number_of(high) * 100'000'000 + number_of(low), decimals, has_point,
                      negative};
}

/// The nearest double, which is what std::from_chars returns, in a part of its time: of 15 digits
/// at most, which those with decimals have, the integer and the power of ten are doubles exactly,
/// so that their quotient is the nearest one; without decimals the conversion is.
/// The powers are static: a table of the function's own would be copied for each field.
double value_of(const ShortDecimal& decimal) noexcept {
  static constexpr std::array<double, 16> kPowers = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const double value = static_cast<double>(decimal.digits) / kPowers[decimal.decimals];
  return decimal.negative ? -value : value;
}

// std::from_chars says "out of range" both for 1e999 and for 1e-999. Given such a decimal number,
// this tells them apart: the number is large if its first digit other than zero comes before the
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
  static constexpr std::array<std::string_view, 7> kWords = {"NA",   "N/A",  "NaN", "nan",
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
  if (const auto decimal = read_short_decimal(text)) return value_of(*decimal);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) {
    if (!is_large(text)) return 0.0;
    constexpr double kBeyondAll = std::numeric_limits<double>::infinity();
    return text.front() == '-' ? -kBeyondAll : kBeyondAll;
  }
  if (std::isnan(value)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> read_integer(std::string_view text) noexcept {
  // Codes of one digit are what most fields of a table of many columns are.
  if (text.size() == 1 && is_digit(text.front())) return text.front() - '0';
  text = without_plus(without_outer_spaces(text));
  if (const auto decimal = read_short_decimal(text); decimal && !decimal->has_point) {
    const auto digits = static_cast<std::int64_t>(decimal->digits);
    return decimal->negative ? -digits : digits;
  }
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc{}) return std::nullopt;
  if (result.ptr == end) return value;
  if (*result.ptr != '.') return std::nullopt;
  const bool only_zeros = std::all_of(result.ptr + 1, end, [](char c) { return c == '0'; });
  return only_zeros ? std::optional(value) : std::nullopt;
}

namespace {

/// Of a word as programs write numbers; nothing for every other word.
std::optional<double> read_plain_number(std::string_view word) noexcept {
  const std::string_view digits = word.substr(word.starts_with('-') ? 1 : 0);
  const bool is_padded = digits.size() > 1 && digits[0] == '0' && is_digit(digits[1]);
  if (digits.empty() || is_padded || (!is_digit(digits[0]) && digits[0] != '.'))
    return std::nullopt;
  if (!is_digit(word.back()) && word.back() != '.') return std::nullopt;
  const auto number = read_number(word);
  const bool is_whole = digits.find_first_of(".eE") == std::string_view::npos;
  if (!number || !std::isfinite(*number) || (is_whole && !read_integer(word))) return std::nullopt;
  return number;
}

template <class Number, class Read>
bool are_distinct(std::span<const std::string> words, bool must_ascend, Read read) {
  std::vector<Number> numbers;
  for (const std::string& word : words) {
    const auto number = read(word);
    if (!number) return false;
    numbers.push_back(*number);
  }
  if (!must_ascend) std::sort(numbers.begin(), numbers.end());
  return std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<Number>()) ==
         numbers.end();
}

}  // namespace

ValueType type_of_words(std::span<const std::string> words, bool ordered) {
  const bool all = !words.empty() && std::all_of(words.begin(), words.end(), [](const auto& word) {
    return read_plain_number(word).has_value();
  });
  if (!all) return ValueType::kText;
  if (are_distinct<std::int64_t>(words, ordered, read_integer)) return ValueType::kInteger;
  return are_distinct<double>(words, ordered, read_number) ? ValueType::kNumber : ValueType::kText;
}

std::string_view without_marks(std::string_view text, bool in_hundredths,
                               UnmarkedBuffer& buffer) noexcept {
  constexpr std::string_view kHundredths = "e-2";
  text = without_outer_spaces(text);
  if (text.size() > buffer.size() - kHundredths.size()) return {};
  const bool has_percent = text.ends_with('%');
  if (has_percent) text = without_outer_spaces(text.substr(0, text.size() - 1));
  char* end = buffer.data();
  if (text.starts_with('-') || text.starts_with('+')) {
    *end++ = text.front();
    text.remove_prefix(1);
  }
  const std::string_view whole = text.substr(0, text.find('.'));
  std::size_t digits = 0;  // since the last comma
  bool has_comma = false;
  for (const char letter : whole) {
    if (letter == ',') {
      if (digits == 0 || digits > 3 || (has_comma && digits != 3)) return {};
      has_comma = true;
      digits = 0;
    } else if (is_digit(letter)) {
      *end++ = letter;
      ++digits;
    } else {
      return {};
    }
  }
  if (has_comma ? digits != 3 || whole.starts_with('0') : !has_percent) return {};
  for (const char letter : text.substr(whole.size())) {
    if (letter != '.' && !is_digit(letter)) return {};  // two points are no number either way
    *end++ = letter;
  }
  if (has_percent && in_hundredths) {
    end = std::copy(kHundredths.begin(), kHundredths.end(), end);
  }
  return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

std::optional<double> read_number_of(std::string_view text, double min, double max) noexcept {
  if (const auto number = read_number(text)) return number;
  UnmarkedBuffer buffer;
  const auto number = read_number(without_marks(text, percents_are_hundredths(min, max), buffer));
  if (number || min != 0 || max != 1) return number;
  return read_truth(text);
}

std::optional<bool> read_truth(std::string_view text) noexcept {
  static constexpr std::array<std::string_view, 10> kWords = {"false", "true", "f", "t", "no",
                                                              "yes",   "n",    "y", "0", "1"};
  text = without_outer_spaces(text);
  const auto* const found = std::find_if(
      kWords.begin(), kWords.end(), [text](auto word) { return equal_ignoring_case(text, word); });
  if (found == kWords.end()) return std::nullopt;
  return (found - kWords.begin()) % 2 == 1;
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

void require_declarable(std::string_view text, const Called& what) {
  refuse_if(!is_utf8(text), "malformed-text", what.parameter, "{} must be UTF-8 text, but is not",
            what.words);
  const auto control = std::find_if(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (control != text.end()) {
    refuse_input("malformed-text", what.parameter,
                 "{} must be one line of text without control characters, but holds byte {}",
                 what.words, static_cast<unsigned>(*control));
  }
}

// -----------------------------------------------------------------------------------------------
// One text for all texts that write the same number, truth, day or time.

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

// -----------------------------------------------------------------------------------------------
// Numbers strings 0, 1, 2, … in the order in which they were first seen.

namespace {

/// SipHash-2-4 with a key of this process, so that nobody can write down texts that collide. The
/// key is the 16 bytes that the operating system starts every program with: domains are read before
/// a release is charged, and until then nothing may be asked of its generator.
std::uint64_t hash_of(std::string_view text) noexcept {
  static const auto key = [] {
    std::array<unsigned char, crypto_shorthash_KEYBYTES> made{};
    if (const auto* given = reinterpret_cast<const unsigned char*>(::getauxval(AT_RANDOM))) {
      std::copy_n(given, made.size(), made.begin());
    }
    return made;
  }();
  static_assert(crypto_shorthash_BYTES == sizeof(std::uint64_t));
  std::array<unsigned char, crypto_shorthash_BYTES> bytes{};
  crypto_shorthash(bytes.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                   key.data());
  return std::bit_cast<std::uint64_t>(bytes);
}

std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32U); }

}  // namespace

std::string_view StringIndex::operator[](std::size_t index) const noexcept {
  const std::uint64_t begin = index == 0 ? 0 : ends_[index - 1];
  return {bytes_.data() + begin, static_cast<std::size_t>(ends_[index] - begin)};
}

std::size_t StringIndex::slot_of(std::string_view text, std::uint64_t hash) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = static_cast<std::size_t>(hash) & mask;
  while (slots_[slot].index != kAbsent &&
         (slots_[slot].tag != tag_of(hash) || (*this)[slots_[slot].index] != text)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

std::uint32_t StringIndex::find(std::string_view text) const noexcept {
  if (slots_.empty()) return kAbsent;
  return slots_[slot_of(text, hash_of(text))].index;
}

std::uint32_t StringIndex::insert(std::string_view text) {
  if (2 * (ends_.size() + 1) > slots_.size()) grow();
  const std::uint64_t hash = hash_of(text);
  Slot& slot = slots_[slot_of(text, hash)];
  if (slot.index == kAbsent) {
    if (ends_.size() >= kAbsent) throw std::length_error("too many distinct strings");
    bytes_ += text;
    ends_.push_back(bytes_.size());
    slot = {tag_of(hash), static_cast<std::uint32_t>(ends_.size() - 1)};
  }
  return slot.index;
}

void StringIndex::grow() {
  std::vector<Slot> larger(slots_.empty() ? 16 : 2 * slots_.size());
  slots_.swap(larger);
  for (std::size_t index = 0; index < ends_.size(); ++index) {
    const std::uint64_t hash = hash_of((*this)[index]);
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = static_cast<std::size_t>(hash) & mask;
    while (slots_[slot].index != kAbsent) slot = (slot + 1) & mask;
    slots_[slot] = {tag_of(hash), static_cast<std::uint32_t>(index)};
  }
}

}  // namespace mollify
