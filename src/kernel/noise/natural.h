// Natural numbers of any size, for the comparisons that 128 bits do not settle.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/core/wide.h"

namespace mollify {

/// A natural number, 0 included, of any size. Every operation is exact.
///
/// The few operations that certified brackets need, in their plain form: it is used about once in
/// 10^15 draws, so what counts is that it can be read, not its speed.
class Natural {
 public:
  Natural() = default;
  explicit Natural(uint128 value);

  /// The least number of binary digits; 0 for 0.
  [[nodiscard]] std::size_t bit_length() const;
  /// The number modulo 2^64.
  [[nodiscard]] std::uint64_t low_word() const;

  Natural operator<<(std::size_t bits) const;
  /// floor(number / 2^bits).
  Natural operator>>(std::size_t bits) const;
  Natural operator+(const Natural& other) const;
  /// Requires other <= *this.
  Natural operator-(const Natural& other) const;
  Natural operator*(const Natural& other) const;
  /// floor(number / divisor). Requires divisor > 0. O(bits * limbs): long division in binary
  /// where the divisor has more than 32 digits.
  Natural operator/(const Natural& divisor) const;
  /// The greatest number whose square is not greater. O(bits * limbs).
  [[nodiscard]] Natural floor_sqrt() const;

  friend bool operator==(const Natural&, const Natural&) = default;
  std::strong_ordering operator<=>(const Natural& other) const;

 private:
  void trim();
  void subtract(const Natural& other);  // which must not be greater
  void append(std::uint32_t bit);       // 2 * number + bit

  std::vector<std::uint32_t> limbs_;  // the least significant first, the last one not 0
};

}  // namespace mollify
