// Uniform integers, shuffles, subsets and gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/random.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// An integer below a bound that is used many times.

/// As uniform_below, with the division done once.
class UniformBelow {
 public:
  explicit UniformBelow(std::uint64_t bound) : bound_(bound), rejected_(-bound % bound) {}

  [[nodiscard]] std::uint64_t bound() const { return bound_; }

  template <WordSource Source>
  [[nodiscard]] std::uint64_t operator()(Source& source) const {
    uint128 product = 0;
    do {
      product = static_cast<uint128>(source.word()) * bound_;
    } while (static_cast<std::uint64_t>(product) < rejected_);
    return static_cast<std::uint64_t>(product >> 64);
  }

 private:
  std::uint64_t bound_;
  std::uint64_t rejected_;  // 2^64 mod bound
};

// -----------------------------------------------------------------------------------------------
// A uniformly random order.

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
/// with probability 1/n, because uniform_below has no bias; given it, the others are in some order
/// that does not depend on what follows, and by induction are put into a uniform one. QED
///
/// So the result reveals the multiset of the values and nothing else: a function of the values'
/// order alone (who sent which) has the same law whatever that order was.
///
/// O(n), in place. How many words are drawn does not depend on the values.
inline void shuffle(std::span<std::uint32_t> values, SecureRandom& random) {
  detail::shuffle_with(values, random);
}

// -----------------------------------------------------------------------------------------------
// How many records a row of coins passes over before the next one that it keeps.

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
  /// brackets of equal length show (else 0).
  [[nodiscard]] int compared_with_power(std::size_t i, const detail::FractionWords& read) const;

  std::uint64_t tails_;
  std::vector<FirstWords> first_words_;
};

// -----------------------------------------------------------------------------------------------
// Uniformly random parts of records, known only by how often each value occurs.

/// Records that are taken one by one, without replacement: of the i-th value counts[i] to begin
/// with.
///
/// Theorem. If the words are uniform, the values of the first m records taken have the law of the
/// values of m of the n records in an order that is uniform among all n (n - 1) ... (n - m + 1).
/// Proof: number the records that are left, value after value; `take` takes each of them with the
/// same probability, because `below` has no bias. QED
///
/// So each set of m records is as likely as any other, and given the set its order is uniform. How
/// many words are drawn does not depend on the counts. O(log values) for each record, and 8 bytes
/// for each value.
class RecordsLeft {
 public:
  /// The counts' sum must be below 2^63.
  explicit RecordsLeft(std::span<const std::uint64_t> counts);

  /// How many are left.
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// Takes one of those left, which must not be none; returns the number of its value.
  std::size_t take(SecureRandom& random) { return take_at(random.below(size_)); }

  /// Takes the one at this position, below size(), of those left, value after value.
  std::size_t take_at(std::uint64_t position);

 private:
  std::vector<std::uint64_t>
      sums_;  // Fenwick's tree: that at i is of the i & -i values up to i - 1
  std::size_t greatest_step_ = 0;
  std::uint64_t size_ = 0;
};

/// Keeps each record by a coin of its own.
///
/// Definition. With threshold T = floor(rate 2^64), each record is kept with probability
/// rate() = T / 2^64, exactly and independently of all others and of all values: the numbers of
/// records between those kept are independent gaps (GeometricGap).
///
/// rate() is at most the rate asked for, and a double: T is the integer part of a number of 53
/// bits. So a guarantee that grows with the rate, computed for the rate asked for or for rate(),
/// holds.
///
/// How many records are kept is random, with the binomial law of public parameters n and rate().
class PoissonSubsample {
 public:
  /// Throws InvalidInput unless the rate is from 2^-64 to 1.
  explicit PoissonSubsample(double rate);

  [[nodiscard]] double rate() const { return rate_; }

  /// Of counts[i] records of the i-th value: the number of the value of each record that is kept,
  /// ascending. `shuffle` them before they leave. The counts' sum must be at most 2^62. Takes time
  /// in the values and in those kept, however many there are.
  [[nodiscard]] std::vector<std::uint32_t> draw(std::span<const std::uint64_t> counts,
                                                SecureRandom& random) const;

 private:
  double rate_;
  GeometricGap gap_;
};

}  // namespace mollify
