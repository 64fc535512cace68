// 128-bit integers, the widest the kernel's inequalities need in a register.
#pragma once

#include <bit>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstdint>

namespace mollify {

namespace detail {

/// `unsigned __int128` for compilers that have none, such as those for 32-bit Arm: two words, and
/// arithmetic modulo 2^128. tests/core/wide.cpp compares every operation with the compiler's own.
///
/// The kernel is tested with both, and draws alike by both. Division is binary: it takes place where
/// public integers are made, or once for a table.
class Wide {
 public:
  constexpr Wide() = default;
  constexpr Wide(std::integral auto value)  // NOLINT(google-explicit-constructor): as an integer
      : low_(static_cast<std::uint64_t>(value)),
        high_(value < 0 ? ~std::uint64_t{0} : std::uint64_t{0}) {}
  /// Its integer part. Requires a value from 0 to below 2^128.
  explicit Wide(double value) {
    const double high = std::trunc(value * 0x1p-64);
    high_ = static_cast<std::uint64_t>(high);
    low_ = static_cast<std::uint64_t>(value - high * 0x1p64);
  }

  template <std::integral Integer>
  explicit constexpr operator Integer() const {
    return static_cast<Integer>(low_);
  }
  explicit constexpr operator bool() const { return (low_ | high_) != 0; }
  /// The nearest double; of two, the even one.
  explicit operator double() const {
    if (high_ == 0) return static_cast<double>(low_);
    const int cut = 64 - std::countl_zero(high_);
    // 64 digits, the last of which is set too if a digit is lost: a double has 53.
    const Wide kept = *this >> cut;
    const bool is_cut = (kept << cut) != *this;
    return std::ldexp(static_cast<double>(kept.low_ | (is_cut ? 1U : 0U)), cut);
  }

  friend constexpr bool operator==(const Wide&, const Wide&) = default;
  friend constexpr std::strong_ordering operator<=>(const Wide& a, const Wide& b) {
    return a.high_ != b.high_ ? a.high_ <=> b.high_ : a.low_ <=> b.low_;
  }

  friend constexpr Wide operator+(Wide a, Wide b) {
    const std::uint64_t low = a.low_ + b.low_;
    return {low, a.high_ + b.high_ + (low < a.low_ ? 1U : 0U)};
  }
  friend constexpr Wide operator-(Wide a, Wide b) {
    return {a.low_ - b.low_, a.high_ - b.high_ - (a.low_ < b.low_ ? 1U : 0U)};
  }
  friend constexpr Wide operator*(Wide a, Wide b) {
    Wide product = of_words(a.low_, b.low_);
    product.high_ += a.low_ * b.high_ + a.high_ * b.low_;
    return product;
  }
  /// Requires a divisor other than 0.
  friend constexpr Wide operator/(Wide a, Wide b) { return quotient(a, b); }
  friend constexpr Wide operator%(Wide a, Wide b) { return a - quotient(a, b) * b; }

  friend constexpr Wide operator&(Wide a, Wide b) { return {a.low_ & b.low_, a.high_ & b.high_}; }
  friend constexpr Wide operator|(Wide a, Wide b) { return {a.low_ | b.low_, a.high_ | b.high_}; }
  friend constexpr Wide operator^(Wide a, Wide b) { return {a.low_ ^ b.low_, a.high_ ^ b.high_}; }
  constexpr Wide operator~() const { return {~low_, ~high_}; }
  constexpr Wide operator-() const { return Wide() - *this; }

  /// From 0 to 127 places.
  friend constexpr Wide operator<<(Wide a, std::integral auto places) {
    const auto by = static_cast<unsigned>(places);
    if (by == 0) return a;
    if (by >= 64) return {0, a.low_ << (by - 64)};
    return {a.low_ << by, (a.high_ << by) | (a.low_ >> (64 - by))};
  }
  friend constexpr Wide operator>>(Wide a, std::integral auto places) {
    const auto by = static_cast<unsigned>(places);
    if (by == 0) return a;
    if (by >= 64) return {a.high_ >> (by - 64), 0};
    return {(a.low_ >> by) | (a.high_ << (64 - by)), a.high_ >> by};
  }

  constexpr Wide& operator+=(Wide b) { return *this = *this + b; }
  constexpr Wide& operator-=(Wide b) { return *this = *this - b; }
  constexpr Wide& operator*=(Wide b) { return *this = *this * b; }
  constexpr Wide& operator/=(Wide b) { return *this = *this / b; }
  constexpr Wide& operator%=(Wide b) { return *this = *this % b; }
  constexpr Wide& operator&=(Wide b) { return *this = *this & b; }
  constexpr Wide& operator|=(Wide b) { return *this = *this | b; }
  constexpr Wide& operator^=(Wide b) { return *this = *this ^ b; }
  constexpr Wide& operator<<=(std::integral auto places) { return *this = *this << places; }
  constexpr Wide& operator>>=(std::integral auto places) { return *this = *this >> places; }
  constexpr Wide& operator++() { return *this += 1; }
  constexpr Wide& operator--() { return *this -= 1; }

 private:
  constexpr Wide(std::uint64_t low, std::uint64_t high) : low_(low), high_(high) {}

  /// The whole product, of four products of halves: no sum of these overflows.
  static constexpr Wide of_words(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t kHalf = 0xffffffff;
    const std::uint64_t last = (a & kHalf) * (b & kHalf);
    const std::uint64_t left = (a >> 32) * (b & kHalf) + (last >> 32);
    const std::uint64_t middle = (a & kHalf) * (b >> 32) + (left & kHalf);
    return {(middle << 32) | (last & kHalf), (a >> 32) * (b >> 32) + (left >> 32) + (middle >> 32)};
  }
  /// A digit at a time. A rest whose first digit is shifted out is above every divisor.
  static constexpr Wide quotient(Wide a, Wide b) {
    if (a.high_ == 0 && b.high_ == 0) return a.low_ / b.low_;
    Wide found, rest;
    for (int place = 127; place >= 0; --place) {
      const bool is_above = rest.high_ >> 63 != 0;
      rest = (rest << 1) | ((a >> place) & 1);
      if (!is_above && rest < b) continue;
      rest -= b;
      found |= Wide(1) << place;
    }
    return found;
  }

  std::uint64_t low_ = 0;
  std::uint64_t high_ = 0;
};

/// `__int128` in the same way.
class SignedWide {
 public:
  constexpr SignedWide() = default;
  constexpr SignedWide(std::integral auto value) : bits_(value) {}  // NOLINT: as an integer
  explicit constexpr SignedWide(Wide bits) : bits_(bits) {}

  template <std::integral Integer>
  explicit constexpr operator Integer() const {
    return static_cast<Integer>(bits_);
  }
  explicit constexpr operator Wide() const { return bits_; }
  explicit operator double() const {
    return is_negative() ? -static_cast<double>(-bits_) : static_cast<double>(bits_);
  }

  friend constexpr bool operator==(const SignedWide&, const SignedWide&) = default;
  friend constexpr std::strong_ordering operator<=>(const SignedWide& a, const SignedWide& b) {
    if (a.is_negative() != b.is_negative()) return b.is_negative() <=> a.is_negative();
    return a.bits_ <=> b.bits_;
  }
  friend constexpr SignedWide operator+(SignedWide a, SignedWide b) {
    return SignedWide(a.bits_ + b.bits_);
  }
  friend constexpr SignedWide operator-(SignedWide a, SignedWide b) {
    return SignedWide(a.bits_ - b.bits_);
  }
  friend constexpr SignedWide operator*(SignedWide a, SignedWide b) {
    return SignedWide(a.bits_ * b.bits_);
  }
  constexpr SignedWide operator-() const { return SignedWide(-bits_); }
  /// Rounded down. From 0 to 127 places.
  friend constexpr SignedWide operator>>(SignedWide a, std::integral auto places) {
    return SignedWide(a.is_negative() ? ~(~a.bits_ >> places) : a.bits_ >> places);
  }

 private:
  [[nodiscard]] constexpr bool is_negative() const { return (bits_ >> 127) != 0; }

  Wide bits_;
};

}  // namespace detail

#if defined(__SIZEOF_INT128__) && !defined(MOLLIFY_WITHOUT_INT128)
// An extension, hence the spelling.
__extension__ using uint128 = unsigned __int128;
__extension__ using int128 = __int128;
#else
using uint128 = detail::Wide;
using int128 = detail::SignedWide;
#endif

/// floor(a b / 2^127) for a, b <= 2^127: a product of numbers in units of 2^-127.
constexpr uint128 times_127(uint128 a, uint128 b) {
  constexpr uint128 kLow = (uint128{1} << 64) - 1;
  const uint128 middle =
      (a >> 64) * (b & kLow) + (a & kLow) * (b >> 64) + (((a & kLow) * (b & kLow)) >> 64);
  return (((a >> 64) * (b >> 64) + (middle >> 64)) << 1) | ((middle >> 63) & 1);
}

}  // namespace mollify
