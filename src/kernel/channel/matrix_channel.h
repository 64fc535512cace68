// A public integer matrix given row by row: the generators of a convex mollifier.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/core/exp_bound.h"
#include "kernel/core/secure_random.h"

namespace mollify {

/// m public distributions over k outcomes, as rows of integers that each sum to N = 2^62.
///
/// Theorem (columns). If in every column the greatest entry is at most Ebar times the least, every
/// mixture of the rows is within a factor e^epsilon of every other at every outcome: the rows
/// generate a convex epsilon-mollifier [Husain et al. 2020, eq. 3]. The factory checks all columns
/// in integers and refuses the rows if one fails.
///
/// Memory 8 m k bytes, m k at most 2^24. A draw takes O(log k). Rows out of range count as 0.
class MatrixChannel {
 public:
  static constexpr std::uint64_t kTotal = std::uint64_t{1} << 62;

  /// `rows` holds m rows of `outcome_count` positive finite masses each; each row is normalised and
  /// moved towards the mean of all by 2^-38 / (1 - e^-epsilon), so that rows at e^epsilon itself
  /// pass. Throws InvalidInput if the shape or a mass is wrong, or if a column's entries differ by
  /// more than a factor e^epsilon.
  static MatrixChannel make(std::span<const double> rows, std::size_t outcome_count,
                            double epsilon);

  /// Whether every column satisfies the theorem, decided in integers. O(m k).
  [[nodiscard]] bool satisfies(const ExpBound& bound) const;

  [[nodiscard]] std::size_t input_count() const { return prefix_.size() / (outcome_count_ + 1); }
  [[nodiscard]] std::size_t outcome_count() const { return outcome_count_; }
  [[nodiscard]] uint128 total() const { return kTotal; }
  /// Numerator over total() of outcome j in row x.
  [[nodiscard]] uint128 entry(std::size_t x, std::size_t j) const {
    const std::size_t at = x * (outcome_count_ + 1) + j;
    return prefix_[at + 1] - prefix_[at];
  }
  [[nodiscard]] Extremes column(std::size_t j) const;

  [[nodiscard]] std::size_t draw(std::size_t row, SecureRandom& random) const {
    return locate(row, random.below(kTotal));
  }

 private:
  MatrixChannel() = default;
  [[nodiscard]] std::size_t locate(std::size_t row, std::uint64_t position) const;

  std::size_t outcome_count_ = 0;
  std::vector<std::uint64_t> prefix_;  // k + 1 entries for each row
};

}  // namespace mollify
