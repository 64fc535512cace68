// A uniformly random order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "kernel/core/secure_random.h"

namespace mollify {

namespace detail {

/// `shuffle` with words from any source, for its tests.
template <WordSource Source>
void shuffle_with(std::span<std::uint32_t> values, Source& random) {
  for (std::size_t left = values.size(); left > 1; --left) {
    const auto chosen = static_cast<std::size_t>(uniform_below(random, left));
    std::swap(values[left - 1], values[chosen]);
  }
}

}  // namespace detail

/// Puts the values into a uniformly random order, in place.
///
/// Theorem. If the words are uniform, each of the n! orders of the n places has probability exactly
/// 1/n! (Fisher, Yates 1938; Durstenfeld 1964). Proof: the value that ends up last is each of the n
/// with probability 1/n, because uniform_below has no bias; given it, the others stand in some
/// order that does not depend on what follows, and by induction are put into a uniform one. QED
///
/// So the result tells the multiset of the values and nothing else: a function of the values' order
/// alone (who sent which) has the same law whatever that order was.
///
/// O(n), in place. How many words are drawn does not depend on the values.
inline void shuffle(std::span<std::uint32_t> values, SecureRandom& random) {
  detail::shuffle_with(values, random);
}

}  // namespace mollify
