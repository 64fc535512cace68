#include "kernel/noise/exp_minus.h"

namespace mollify::detail {
namespace {

constexpr uint128 kUnit = uint128{1} << 127;

/// e^(-1/256) in units of 2^-127, within 32: the alternating series has 14 terms before they
/// vanish, each short by less than 2, and what follows is less than 1.
constexpr uint128 root() {
  uint128 sum = kUnit, term = kUnit;
  for (unsigned j = 1; term != 0; ++j) {
    term /= 256 * j;
    sum = j % 2 == 1 ? sum - term : sum + term;
  }
  return sum;
}

/// 1, base, base^2, ... in units of 2^-127. A product of two numbers of at most 1 that are within c
/// and d of the truth is within c + d + 2.
template <std::size_t kSize>
constexpr std::array<uint128, kSize> powers(uint128 base) {
  std::array<uint128, kSize> result{};
  result[0] = kUnit;
  for (std::size_t i = 1; i < kSize; ++i) result[i] = times_127(result[i - 1], base);
  return result;
}

/// The same in units of 2^-63, cut.
template <std::size_t kSize>
constexpr std::array<std::uint64_t, kSize> cut(const std::array<uint128, kSize>& values) {
  std::array<std::uint64_t, kSize> result{};
  for (std::size_t i = 0; i < kSize; ++i) result[i] = static_cast<std::uint64_t>(values[i] >> 64);
  return result;
}

/// e^(-a/256) within (32 + 2) a units of 2^-127, so e^-1 within 2^14 and e^-i within 2^20: cut to
/// 2^-63, all are within 1 of the truth, rounding and what is cut off together.
constexpr std::array<uint128, 256> kFractions = powers<256>(root());
constexpr uint128 kInverseE = times_127(kFractions[255], kFractions[1]);

}  // namespace

constexpr std::array<std::uint64_t, 256> kExpFractions = cut(kFractions);
constexpr std::array<std::uint64_t, kFirstEmptyWhole> kExpWholes =
    cut(powers<kFirstEmptyWhole>(kInverseE));

ScaledExp exp_minus(const Natural& scaled, std::size_t scale) {
  const Natural one(1);
  // x >= (45/64) scale - 2^-scale implies e^-x < 2^-scale, since 45/64 > ln 2 by .01.
  if (scaled * Natural(64) >= Natural(45 * scale) << scale) return {Natural(), one};
  // From here on errors are in units of 2^-scale. y = x / 2^halvings lies in [cut - 1, cut + 2),
  // and cut is below 1/2.
  const std::size_t length = scaled.bit_length() + 1;
  const std::size_t halvings = length > scale ? length - scale : 0;
  const Natural cut = scaled >> halvings;
  // e^-cut by its alternating series. If a term is short by at most 2, the next one is short by at
  // most (2 * 1/2 + 1)/j + 1 <= 3, and by at most 2 from the third on: 4 for each is ample. 8 are
  // for y - cut (2, the slope being at most 1 as y >= 0) and for the terms after the last (1: the
  // first of them).
  Natural power = one << scale;  // e^-y so far
  Natural term = power;
  Natural error(8);
  for (std::uint64_t j = 1; term != Natural(); ++j) {
    term = ((term * cut) >> scale) / Natural(j);
    power = j % 2 == 1 ? power - term : power + term;
    error = error + Natural(4);
  }
  // If p <= 1 is known within e, its square, cut, is within 2 e + e^2 / 2^scale + 1 <= 2 e + 2;
  // here e < 2^(scale / 2), since it is below 2^15 for 64 bits and grows like bits^2.
  for (std::size_t i = 0; i < halvings; ++i) {
    power = (power * power) >> scale;
    error = error + error + Natural(2);
  }
  return {power, error};
}

std::optional<bool> is_below_exp_minus(const Natural& drawn, std::size_t bits,
                                       const Natural& scaled) {
  const std::size_t scale = bits + kGuardBits;
  // x >= (45/64) bits - 2^-scale implies e^-x < 2^-bits, since 45/64 > ln 2 by .01: only drawn = 0
  // is not above.
  if (scaled * Natural(64) >= Natural(45 * bits) << scale) {
    if (drawn == Natural()) return std::nullopt;
    return false;
  }
  const auto [power, error] = exp_minus(scaled, scale);
  const Natural first = drawn << kGuardBits, end = (drawn + Natural(1)) << kGuardBits;
  if (end + error <= power) return true;
  if (first >= power + error) return false;
  return std::nullopt;
}

}  // namespace mollify::detail
