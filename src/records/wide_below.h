// A place among so many records that their number has more than 64 bits.
#pragma once

#include <cstdint>
#include <limits>

#include "kernel/core/secure_random.h"
#include "kernel/core/wide.h"

namespace mollify {

/// A uniform integer below `bound`, which must not be 0.
///
/// Proof. Of more than 64 bits the bound is above H 2^64, H the high word of bound - 1. The value
/// (uniform below H + 1) 2^64 + word is uniform below (H + 1) 2^64, and is drawn anew until it is
/// below the bound: fewer than two times on average. QED
[[nodiscard]] inline uint128 wide_below(uint128 bound, SecureRandom& random) {
  if (bound <= std::numeric_limits<std::uint64_t>::max()) {
    return random.below(static_cast<std::uint64_t>(bound));
  }
  const auto high = static_cast<std::uint64_t>((bound - 1) >> 64U);
  uint128 value = bound;
  while (value >= bound) value = uint128{random.below(high + 1)} << 64U | random.word();
  return value;
}

}  // namespace mollify
