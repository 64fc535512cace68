// Square roots of 128-bit integers, exactly.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernel/core/wide.h"

namespace mollify::detail {

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
