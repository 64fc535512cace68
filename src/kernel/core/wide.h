// 128-bit integers, the widest the kernel's inequalities need in a register.
#pragma once

namespace mollify {

// An extension of all supported compilers, hence the spelling.
__extension__ using uint128 = unsigned __int128;
__extension__ using int128 = __int128;

/// floor(a b / 2^127) for a, b <= 2^127: a product of numbers in units of 2^-127.
constexpr uint128 times_127(uint128 a, uint128 b) {
  constexpr uint128 kLow = (uint128{1} << 64) - 1;
  const uint128 middle =
      (a >> 64) * (b & kLow) + (a & kLow) * (b >> 64) + (((a & kLow) * (b & kLow)) >> 64);
  return (((a >> 64) * (b >> 64) + (middle >> 64)) << 1) | ((middle >> 63) & 1);
}

/// Of a public matrix: the greatest and the least numerator that one outcome has under any input.
/// Their ratio bounds what the outcome tells.
struct Extremes {
  uint128 greatest;
  uint128 least;
};

}  // namespace mollify
