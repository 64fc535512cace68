// Uniformly random parts of a list of records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernel/core/secure_random.h"

namespace mollify {

namespace detail {

/// `subsample` with words from any source, for its tests. Requires count <= values.size().
template <WordSource Source>
std::vector<std::uint32_t> subsample_with(std::span<const std::uint32_t> values, std::size_t count,
                                          Source& random) {
  std::vector<std::uint32_t> pool(values.begin(), values.end());
  for (std::size_t i = 0; i < count; ++i) {
    const auto chosen = i + static_cast<std::size_t>(uniform_below(random, pool.size() - i));
    std::swap(pool[i], pool[chosen]);
  }
  pool.resize(count);
  return pool;
}

}  // namespace detail

/// `count` of the values, drawn without replacement, in a uniformly random order.
///
/// Theorem. If the words are uniform, each of the n (n - 1) ... (n - m + 1) ordered choices of m of
/// the n places has probability one over their number; so each set of m places is as likely as any
/// other, each place is in with probability m/n, and given the set its order is uniform. Proof: the
/// i-th value is a uniform one of the n - i places that are left, because uniform_below has no
/// bias. QED
///
/// Both numbers are public; throws InvalidInput if count exceeds the number of values. O(n) time
/// and memory. How many words are drawn does not depend on the values.
std::vector<std::uint32_t> subsample(std::span<const std::uint32_t> values, std::size_t count,
                                     SecureRandom& random);

/// Keeps each record by a coin of its own.
///
/// Definition. With threshold T = floor(rate 2^64), a record is kept if its word is below T.
///
/// Theorem. If the words are uniform, each record is kept with probability exactly
/// rate() = T / 2^64, independently of all others and of all values. rate() is at most the rate
/// asked for, and a double: T is the integer part of a number of 53 bits. So a guarantee that grows
/// with the rate, computed for the rate asked for or for rate(), holds. QED
///
/// How many records are kept is random, with the binomial law of public parameters n and rate().
/// Those kept stay in the order in which they came: `shuffle` them before they leave.
class PoissonSubsample {
 public:
  /// Throws InvalidInput unless the rate is from 2^-64 to 1.
  explicit PoissonSubsample(double rate);

  double rate() const { return rate_; }

  /// One word for each record, whether it is kept or not. O(n).
  std::vector<std::uint32_t> draw(std::span<const std::uint32_t> values,
                                  SecureRandom& random) const;

  /// Whether a word keeps its record. NOT PRIVATE.
  bool keeps(std::uint64_t word) const { return word <= greatest_; }

 private:
  double rate_;
  std::uint64_t greatest_;  // T - 1: T itself is 2^64 at rate 1
};

}  // namespace mollify
