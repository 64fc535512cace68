// Integers of any size, ratios and square roots.
#pragma once

#include <bit>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/random.h"

namespace mollify {

struct Called;

// -----------------------------------------------------------------------------------------------
// Natural numbers of any size, for the comparisons that 128 bits do not settle.

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

// -----------------------------------------------------------------------------------------------
// Public rational numbers.

/// numerator / denominator, both from 1 to 2^62: how the kernel takes a positive real parameter.
struct Ratio {
  static constexpr std::uint64_t kGreatest = std::uint64_t{1} << 62U;

  std::uint64_t numerator = 1;
  std::uint64_t denominator = 1;

  /// The least dyadic ratio of denominator 2^62 or less that is at least `value`: the value itself
  /// if it is 2^-10 or more, else rounded up by less than 2^-62. So a scale of noise made from it
  /// is never less than the request. Throws InvalidInput, naming the parameter, unless the value is
  /// positive and at most 2^62.
  static Ratio at_least(const Called& what, double value);

  friend bool operator==(const Ratio&, const Ratio&) = default;
};

}  // namespace mollify

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// Square roots of 128-bit integers, exactly.

/// floor(sqrt(n) 2^shift), with the shift that makes it lie in [2^62, 2^63); 0 and shift 0 for
/// n = 0.
struct ScaledRoot {
  std::uint64_t root;
  unsigned shift;
};

/// Of any n < 2^126, exactly.
///
/// A double guesses the root and how far it is off; the loops then find the one integer whose
/// square is the last not above n 2^(2 shift), whatever the guess. It is off by one at most: the
/// guess is within 2^12 of a root below 2^63, Newton's step leaves about 2^24 / 2^63 of that, and
/// its quotient is within 2^-40.
inline ScaledRoot scaled_root(uint128 n) {
  if (n == 0) return {0, 0};
  const auto high = static_cast<std::uint64_t>(n >> 64);
  const int zeros =
      high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<std::uint64_t>(n));
  const auto shift = static_cast<unsigned>(zeros - 2) / 2;
  const uint128 square = n << (2 * shift);
  const auto top = static_cast<std::uint64_t>(square >> 64);
  auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(top)) * 0x1p32);
  const auto off = static_cast<int128>(square - static_cast<uint128>(root) * root);
  root += static_cast<std::uint64_t>(
      static_cast<std::int64_t>(static_cast<double>(static_cast<std::int64_t>(off >> 20)) * 0x1p19 /
                                static_cast<double>(root)));
  while (static_cast<uint128>(root) * root > square) --root;
  while (static_cast<uint128>(root + 1) * (root + 1) <= square) ++root;
  return {root, shift};
}

/// floor(sqrt(n)), n < 2^126.
inline std::uint64_t floor_sqrt(uint128 n) {
  const ScaledRoot scaled = scaled_root(n);
  return scaled.root >> scaled.shift;
}

/// The least integer whose square is n or more, n < 2^126.
inline std::uint64_t ceil_sqrt(uint128 n) {
  const std::uint64_t root = floor_sqrt(n);
  return static_cast<uint128>(root) * root < n ? root + 1 : root;
}

}  // namespace mollify::detail
