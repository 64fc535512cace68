#include "base/decimal_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <limits>

#include "kernel/naturals.h"

namespace mollify {

namespace {

constexpr std::size_t kMostDigits = 1100;
constexpr int kGreatestPower = 1100;

bool is_decimal_digit(char letter) { return letter >= '0' && letter <= '9'; }

Natural ten_to(int power) {
  Natural result(1);
  for (; power >= 18; power -= 18) result = result * Natural(1'000'000'000'000'000'000);
  std::uint64_t rest = 1;
  for (; power > 0; --power) rest *= 10;
  return result * Natural(rest);
}

}  // namespace

std::optional<DecimalText> read_decimal(std::string_view text) {
  DecimalText number;
  bool point = false;
  std::size_t i = 0;
  for (; i < text.size() && (is_decimal_digit(text[i]) || (text[i] == '.' && !point)); ++i) {
    if (text[i] == '.') {
      point = true;
      continue;
    }
    number.digits += text[i];
    if (point) --number.exponent;
  }
  if (number.digits.empty() || number.digits.size() > kMostDigits) return std::nullopt;
  if (i < text.size()) {
    if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
    ++i;
    const bool is_negative = i < text.size() && text[i] == '-';
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    if (i == text.size()) return std::nullopt;
    int power = 0;
    for (; i < text.size(); ++i) {
      if (!is_decimal_digit(text[i])) return std::nullopt;
      power = 10 * power + (text[i] - '0');
      if (power > kGreatestPower) return std::nullopt;
    }
    number.exponent += is_negative ? -power : power;
  }
  number.digits.erase(0, std::min(number.digits.find_first_not_of('0'), number.digits.size()));
  const std::size_t length = number.digits.find_last_not_of('0') + 1;  // 0 if missing
  number.exponent =
      length == 0 ? 0 : number.exponent + static_cast<int>(number.digits.size() - length);
  number.digits.resize(length);
  return number;
}

double double_down(const DecimalText& number) {
  constexpr int kDigits = 53, kLeastPower = -1074;
  if (number.digits.empty()) return 0;
  Natural numerator, denominator(1);
  for (const char digit : number.digits) {
    numerator = numerator * Natural(10) + Natural(static_cast<unsigned>(digit - '0'));
  }
  Natural& scaled = number.exponent < 0 ? denominator : numerator;
  scaled = scaled * ten_to(std::abs(number.exponent));
  // The number is from 2^(length - 1) to below 2^(length + 1), so that the quotient, cut, has 53 or
  // 54 binary digits, or fewer where doubles have.
  const int length =
      static_cast<int>(numerator.bit_length()) - static_cast<int>(denominator.bit_length());
  int power = std::max(length - kDigits, kLeastPower);
  Natural& lesser = power < 0 ? numerator : denominator;
  lesser = lesser << static_cast<std::size_t>(std::abs(power));
  std::uint64_t cut = (numerator / denominator).low_word();
  if (cut >> kDigits != 0) {
    cut >>= 1;
    ++power;
  }
  return std::fmin(std::ldexp(static_cast<double>(cut), power), std::numeric_limits<double>::max());
}

std::string whole_text(std::uint64_t value) {
  char digits[20];
  char* first = std::end(digits);
  do {
    *--first = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  return {first, std::end(digits)};
}

std::string six_digits(double value) {
  constexpr int kDigits = 6;
  std::string text = std::signbit(value) ? "-" : "";
  value = std::fabs(value);
  if (std::isnan(value)) return text + "nan";
  if (std::isinf(value)) return text + "inf";
  if (value == 0) return text + "0";
  int binary = 0;
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(value, &binary), 53));
  binary -= 53;
  // The six digits are value / 10^(power - 5), rounded. The guess is at most one too great.
  std::uint64_t digits = 0;
  int power = static_cast<int>(std::floor((binary + 53) * 0.30102999566398120)) + 1;
  do {
    --power;
    const int tens = power - (kDigits - 1);
    Natural numerator(mantissa), denominator(1);
    Natural& by_ten = tens < 0 ? numerator : denominator;
    by_ten = by_ten * ten_to(std::abs(tens));
    Natural& by_two = binary < 0 ? denominator : numerator;
    by_two = by_two << static_cast<std::size_t>(std::abs(binary));
    const Natural quotient = numerator / denominator;
    digits = quotient.low_word();
    if (digits < 100'000) continue;
    const Natural rest = numerator - quotient * denominator;
    const auto half = (rest << 1) <=> denominator;
    if (half > 0 || (half == 0 && digits % 2 == 1)) ++digits;
    if (digits == 1'000'000) {
      digits = 100'000;
      ++power;
    }
  } while (digits < 100'000);
  std::string shown = whole_text(digits);
  shown.resize(shown.find_last_not_of('0') + 1);
  if (power < -4 || power >= kDigits) {
    text += shown[0];
    if (shown.size() > 1) text += "." + shown.substr(1);
    return text + (power < 0 ? "e-" : "e+") + (power >= 10 || power < 0 ? "" : "0") +
           whole_text(static_cast<unsigned>(std::abs(power)));
  }
  if (power < 0)
    return text + "0." + std::string(static_cast<std::size_t>(-power - 1), '0') + shown;
  const auto whole = static_cast<std::size_t>(power) + 1;
  if (shown.size() <= whole) return text + shown + std::string(whole - shown.size(), '0');
  return text + shown.substr(0, whole) + "." + shown.substr(whole);
}

}  // namespace mollify
