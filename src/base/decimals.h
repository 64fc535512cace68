// Numbers as people type them, exactly.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace mollify {

struct Called;

/// A decimal number of at least 0 without rounding: an integer times a power of ten.
///
/// Ten releases at 0.1 are a total of 1 for the person who typed these numbers, and for the doubles
/// nearest to them they are not. A budget is therefore kept as it was typed, sums, products and
/// comparisons are exact, and a double goes in exactly (every finite double is a decimal number)
/// and comes out rounded to a named side. A release charged for the decimal number x is made with
/// `down()` ≤ x, so the promise is never more than the charge.
class Decimal {
 public:
  Decimal() = default;  ///< 0

  /// Exactly this double. InvalidInput unless it is finite and at least 0.
  explicit Decimal(double value);

  /// Reads digits with at most one point and an optional power of ten, as in 12, 0.1, 1e-6.
  /// InvalidInput, naming what the number is, for any other text, for more than 1100 digits and for
  /// powers beyond ±1100.
  [[nodiscard]] static Decimal parse(std::string_view text, const Called& name);

  /// Digits that `parse` reads as the same number.
  [[nodiscard]] std::string text() const;

  [[nodiscard]] double down() const;  ///< the greatest double that is not above it
  [[nodiscard]] double up() const;    ///< the least double that is not below it; may be infinite

  /// The greatest number that is not above it and has this many digits, leading zeros aside; digits
  /// >= 1.
  [[nodiscard]] Decimal with_digits_down(int digits) const;
  [[nodiscard]] Decimal with_digits_up(int digits) const;  ///< the least that is not below it

  [[nodiscard]] bool is_zero() const { return digits_.empty(); }

  friend Decimal operator+(const Decimal& a, const Decimal& b);
  friend Decimal operator*(const Decimal& a, const Decimal& b);
  /// a − b, or 0 where b is larger.
  friend Decimal minus_or_zero(const Decimal& a, const Decimal& b);
  friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b);
  friend bool operator==(const Decimal&, const Decimal&) = default;

 private:
  struct Integer;  // with the arithmetic, which users of this header do not have to compile

  std::string digits_;  // no zeros at either end; empty for 0
  int exponent_ = 0;    // of ten; 0 for 0
};

/// All digits of the number as people read them, below a ten-thousandth with a power of ten, as
/// sentences write doubles: 0.500001, 1e-7.
[[nodiscard]] std::string words_of(const Decimal& number);

}  // namespace mollify
