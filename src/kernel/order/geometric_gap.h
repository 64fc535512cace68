// How many records a row of coins passes over before the next one that it keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/core/secure_random.h"

namespace mollify {

namespace detail {

/// A fraction below 1 in words of 64 binary digits, the least first.
using FractionWords = std::vector<std::uint64_t>;

/// x^2 to as many words, rounded down; rounded up.
[[nodiscard]] FractionWords square_down(const FractionWords& x);
[[nodiscard]] FractionWords square_up(const FractionWords& x);

/// The gap's digits by coins: `power(i)` is 1 with probability x_i, `fair()` with 1/2.
template <class Coins>
std::uint64_t gap_with(Coins& coins, std::size_t levels, std::uint64_t most) {
  std::uint64_t gap = 0;
  while (coins.power(levels)) {
    gap += std::uint64_t{1} << levels;
    if (gap >= most) return most;
  }
  for (std::size_t i = levels; i-- > 0;) {
    // 1 with probability (x/2) / (1/2 + x/2) = x / (1 + x).
    bool digit = false;
    while (!digit && coins.fair()) digit = coins.power(i);
    if (digit) gap += std::uint64_t{1} << i;
  }
  return gap < most ? gap : most;
}

}  // namespace detail

/// The number G of tails before the first heads, where a coin is tails with probability
/// x = S / 2^64 for an integer S below 2^64: P(G = g) = x^g (1 - x), exactly.
///
/// Definition. x_i = x^(2^i). With L levels, G = 2^L A + sum of 2^i B_i over i < L, where A counts
/// heads before the first tails of coins with P(heads) = x_L, and B_i is 1 with probability
/// x_i / (1 + x_i), all independent.
///
/// Theorem. P(G = g) = x^g (1 - x). Proof: with g = 2^L a + sum 2^i b_i the probability is
/// x_L^a (1 - x_L) times the product of x_i^b_i / (1 + x_i), the numerators of which make x^g; and
/// (1 - x_L) is (1 - x) times the product of (1 + x_i), because 1 - x_(i+1) = (1 - x_i)(1 + x_i).
/// QED
///
/// A coin with P(heads) = x_i compares a uniform number, read word by word, with x_i, of which
/// brackets in integers are known: repeated squares rounded down and up, with twice as many words
/// whenever those read leave it open (with probability 2^-63 after the first). So it is exact.
///
/// Public and immutable. A draw takes about 3 log2(1 / (1 - x)) words.
class GeometricGap {
 public:
  /// x = tails / 2^64.
  explicit GeometricGap(std::uint64_t tails);

  /// G, or `most` if it is at least that. Requires most <= 2^62.
  [[nodiscard]] std::uint64_t draw(std::uint64_t most, SecureRandom& random) const;

  /// L: the least with x_L <= 1/2, but at most 41.
  [[nodiscard]] std::size_t levels() const { return first_words_.size() - 1; }

  /// Whether the number that begins with `word` is below x_i; `more()` are its further words. For
  /// its tests; a draw asks it of secure words.
  template <class More>
  [[nodiscard]] bool is_below_power(std::size_t i, std::uint64_t word, const More& more) const {
    const FirstWords& known = first_words_[i];
    if (word < known.down) return true;
    if (word > known.up) return false;
    detail::FractionWords read{word};
    for (std::size_t words = 4;; words *= 2) {
      while (read.size() < words) read.insert(read.begin(), more());
      const int side = compared_with_power(i, read);
      if (side != 0) return side < 0;
    }
  }

 private:
  /// Of brackets of x_i of two words: the greater word of each.
  struct FirstWords {
    std::uint64_t down;
    std::uint64_t up;
  };

  /// Whether all numbers that begin with these words are below x_i (-1) or none is (1), as far as
  /// brackets of as many words tell (else 0).
  [[nodiscard]] int compared_with_power(std::size_t i, const detail::FractionWords& read) const;

  std::uint64_t tails_;
  std::vector<FirstWords> first_words_;
};

}  // namespace mollify
