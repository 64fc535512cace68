#include "base/decimals.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include <boost/multiprecision/cpp_int.hpp>
#include <fmt/format.h>

#include "base/decimal_text.h"
#include "base/refusal.h"
#include "core/invalid_input.h"
#include "core/ranges.h"

namespace mollify {

namespace {

using boost::multiprecision::cpp_int;

cpp_int power(unsigned base, int exponent) {
  return boost::multiprecision::pow(cpp_int(base), static_cast<unsigned>(exponent));
}

}  // namespace

/// integer·10^exponent.
struct Decimal::Integer {
  cpp_int integer;
  int exponent = 0;

  explicit Integer(const Decimal& number)
      : integer(number.is_zero() ? cpp_int(0) : cpp_int(number.digits_)),
        exponent(number.exponent_) {}

  Integer(cpp_int value, int power_of_ten) : integer(std::move(value)), exponent(power_of_ten) {}

  /// Both with the lesser exponent.
  static void align(Integer& a, Integer& b) {
    Integer& larger = a.exponent > b.exponent ? a : b;
    const int least = std::min(a.exponent, b.exponent);
    larger.integer *= power(10, larger.exponent - least);
    larger.exponent = least;
  }

  Decimal decimal() const {
    Decimal number;
    if (integer == 0) return number;
    number.digits_ = integer.str();
    const std::size_t length = number.digits_.find_last_not_of('0') + 1;
    number.exponent_ = exponent + static_cast<int>(number.digits_.size() - length);
    number.digits_.resize(length);
    return number;
  }
};

Decimal::Decimal(double value) {
  require_in(kNotNegative, {"a number", ""}, value);
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  const cpp_int mantissa(static_cast<std::int64_t>(std::ldexp(fraction, 53)));
  exponent -= 53;
  // m·2^−e = m·5^e·10^−e.
  *this = (exponent >= 0 ? Integer(mantissa * power(2, exponent), 0)
                         : Integer(mantissa * power(5, -exponent), exponent))
              .decimal();
}

Decimal Decimal::parse(std::string_view text, const Called& name) {
  const auto refuse = [&]() {
    double number = 0;
    const char* const end = text.data() + text.size();
    const bool is_outside = std::from_chars(text.data(), end, number).ptr == end && !text.empty() &&
                            !kNotNegative.has(number);
    refuse_input(is_outside ? Code("out-of-range") : Code("malformed-text"), name.parameter, {},
                 is_outside ? quantities_of(number, kNotNegative, std::string(name.unit))
                            : std::vector<Quantity>(),
                 "{} must be a decimal number of at least 0, but is \"{}\"", name.words,
                 text.substr(0, 60));
  };
  const std::optional<DecimalText> found = read_decimal(text);
  if (!found) refuse();
  Decimal number;
  number.digits_ = found->digits;
  number.exponent_ = found->exponent;
  return number;
}

std::string Decimal::text() const {
  constexpr int kMostZeros = 20;
  if (is_zero()) return "0";
  const int length = static_cast<int>(digits_.size());
  const int whole = length + exponent_;  // digits before the point
  if (whole > kMostZeros || whole < -kMostZeros) {
    return fmt::format("{}{}{}e{}", digits_.substr(0, 1), length > 1 ? "." : "", digits_.substr(1),
                       whole - 1);
  }
  if (whole <= 0) return "0." + std::string(static_cast<std::size_t>(-whole), '0') + digits_;
  if (exponent_ >= 0) return digits_ + std::string(static_cast<std::size_t>(exponent_), '0');
  const auto before = static_cast<std::size_t>(whole);
  return digits_.substr(0, before) + "." + digits_.substr(before);
}

double Decimal::down() const { return double_down({digits_, exponent_}); }

double Decimal::up() const {
  const double below = down();
  if (Decimal(below) == *this) return below;
  return std::nextafter(below, std::numeric_limits<double>::infinity());
}

Decimal Decimal::with_digits_down(int digits) const {
  Decimal shorter = *this;
  const int dropped = static_cast<int>(digits_.size()) - digits;
  if (dropped <= 0) return shorter;
  shorter.digits_.resize(static_cast<std::size_t>(digits));
  shorter.exponent_ += dropped;
  return Integer(shorter).decimal();
}

Decimal Decimal::with_digits_up(int digits) const {
  Decimal below = with_digits_down(digits);
  if (below == *this) return below;
  const int dropped = static_cast<int>(digits_.size()) - digits;
  return below + Integer(1, exponent_ + dropped).decimal();
}

Decimal operator+(const Decimal& a, const Decimal& b) {
  Decimal::Integer left(a);
  Decimal::Integer right(b);
  Decimal::Integer::align(left, right);
  return Decimal::Integer(left.integer + right.integer, left.exponent).decimal();
}

Decimal operator*(const Decimal& a, const Decimal& b) {
  const Decimal::Integer left(a);
  const Decimal::Integer right(b);
  return Decimal::Integer(left.integer * right.integer, left.exponent + right.exponent).decimal();
}

Decimal minus_or_zero(const Decimal& a, const Decimal& b) {
  Decimal::Integer left(a);
  Decimal::Integer right(b);
  Decimal::Integer::align(left, right);
  if (left.integer <= right.integer) return {};
  return Decimal::Integer(left.integer - right.integer, left.exponent).decimal();
}

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) {
  Decimal::Integer left(a);
  Decimal::Integer right(b);
  Decimal::Integer::align(left, right);
  const int sign = left.integer.compare(right.integer);
  return sign <=> 0;
}

std::string words_of(const Decimal& number) {
  const std::string text = number.text();
  if (!text.starts_with("0.")) return text;
  const std::size_t first = text.find_first_not_of('0', 2);
  const std::size_t power = first - 1;  // of a tenth
  if (power < 5) return text;
  const std::string rest = text.substr(first + 1);
  return fmt::format("{}{}{}e-{}", text[first], rest.empty() ? "" : ".", rest, power);
}

}  // namespace mollify
