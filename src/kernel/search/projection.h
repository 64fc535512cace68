// From any scores to integers inside the bounds that sum to the total: what a table is made by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mollify::detail {

/// Bounds of `size` outcomes: arrays, or (lowers == nullptr) one pair for all of them.
/// Requires lower <= upper <= 2^62 each and sum(lower) <= total <= sum(upper).
struct Bounds {
  const std::uint64_t* lowers;
  const std::uint64_t* uppers;
  std::uint64_t lower;
  std::uint64_t upper;
  std::size_t size;
  std::uint64_t total;
  std::uint64_t lower_sum;

  std::uint64_t lower_at(std::size_t i) const { return lowers ? lowers[i] : lower; }
  std::uint64_t upper_at(std::size_t i) const { return uppers ? uppers[i] : upper; }
};

/// Outcomes are summed in blocks of this many, so that a draw need not scan them all.
inline constexpr std::size_t kBlock = 256;

/// Fills numerators (bounds.size of them) and block_sums (one per started block of kBlock).
///
/// Theorem. For every input, NaN, infinities and negative numbers included, afterwards
///   bounds.lower_at(i) <= numerators[i] <= bounds.upper_at(i) for each i, and
///   sum(numerators) == bounds.total, and block_sums[j] is the sum over block j.
/// Proof. `round` and `saturate` write integers inside the bounds only and return their exact sum;
/// `settle` moves numerators inside their bounds and ends when the sum is the total, which the
/// bounds make possible. Floating point chooses where in between, nothing more.
///
/// What it aims at is the projection clip(t * score, lower, upper) [Park et al. 2024, Prop. III.4],
/// with t found by Newton's method on a monotone piecewise linear function, as Table says of it.
/// The numerators' memory may serve as scratch until they are written.
void project(const Bounds& bounds, std::span<const double> scores,
             std::span<std::uint64_t> numerators, std::span<std::uint64_t> block_sums);
void project(const Bounds& bounds, std::span<const float> scores,
             std::span<std::uint64_t> numerators, std::span<std::uint64_t> block_sums);

}  // namespace mollify::detail
