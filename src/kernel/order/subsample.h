// Uniformly random parts of records of which only is known how often each value occurs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/core/secure_random.h"
#include "kernel/order/geometric_gap.h"

namespace mollify {

/// Records that are taken one by one, without replacement: of the i-th value counts[i] to begin
/// with.
///
/// Theorem. If the words are uniform, the values of the first m records taken have the law of those
/// of m of the n records in an order that is uniform among all n (n - 1) ... (n - m + 1). Proof:
/// number the records that are left, value after value; `take` takes each of them with the same
/// probability, because `below` has no bias. QED
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
