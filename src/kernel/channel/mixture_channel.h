// Keep the value or replace it by a draw from a public reference, with exact probabilities.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/core/exp_bound.h"
#include "kernel/core/secure_random.h"

namespace mollify {

/// A public integer matrix: value x of {0, ..., k - 1} is reported as outcome j with probability
///   (a [j = x] G + (A - a) g_j) / (A G),   A = 2^62,  G = sum g,
/// for public integers 0 <= a <= A and g_j >= 1. A draw keeps the value if an integer below A is
/// below a, and otherwise takes the outcome whose run of the cumulative g holds an integer below G.
///
/// Theorem (columns). In column j the greatest entry is a G + (A - a) g_j and, when k > 1, the
/// least is (A - a) g_j. If the first is at most Ebar times the second for every j then any report
/// is at most e^epsilon times as likely under one value as under another; averaging over values
/// drawn from P and from P' keeps that [Park et al. 2024, eq. 35; docs/theory/public-matrices.md].
/// The least g_j decides.
///
/// The reference's own law g / G is left in place exactly. Memory 8 bytes an outcome. A draw takes
/// O(log k). Values out of range are private data and count as 0.
class MixtureChannel {
 public:
  /// A.
  static constexpr std::uint64_t kKeepTotal = std::uint64_t{1} << 62;

  /// The largest a that satisfies the theorem at epsilon, found in integers: weight
  /// (E - 1) h_min / ((E - 1) h_min + 1) on the value. `reference` holds k from 1 to 2^24 positive
  /// finite masses. Throws InvalidInput otherwise.
  static MixtureChannel pure(std::span<const double> reference, double epsilon);

  /// Keeps the value with probability `weight` in [0, 1], rounded down to a multiple of 1/A. Makes
  /// no claim: the caller's theorem is another one (the Gaussian curve).
  static MixtureChannel with_weight(std::span<const double> reference, double weight);

  /// The same from a itself. Throws InvalidInput for more than A.
  static MixtureChannel with_kept(std::span<const double> reference, std::uint64_t kept);

  /// Whether every column satisfies the theorem, decided in integers. O(k).
  [[nodiscard]] bool satisfies(const ExpBound& bound) const;

  [[nodiscard]] std::size_t input_count() const { return outcome_count(); }
  [[nodiscard]] std::size_t outcome_count() const { return prefix_.size() - 1; }
  /// A G.
  [[nodiscard]] uint128 total() const { return uint128{kKeepTotal} * reference_total(); }
  /// a: the value is kept with probability keep() / kKeepTotal.
  [[nodiscard]] std::uint64_t keep() const { return keep_; }
  /// g_j.
  [[nodiscard]] std::uint64_t reference(std::size_t j) const { return prefix_[j + 1] - prefix_[j]; }
  /// G.
  [[nodiscard]] std::uint64_t reference_total() const { return prefix_.back(); }
  /// Numerator over total() of reporting value x as outcome j.
  [[nodiscard]] uint128 entry(std::size_t x, std::size_t j) const {
    return replaced_entry(j) + (x == j ? kept_entry() : 0);
  }
  [[nodiscard]] Extremes column(std::size_t j) const;

  [[nodiscard]] std::size_t draw(std::size_t value, SecureRandom& random) const {
    if (random.below(kKeepTotal) < keep_) return value < outcome_count() ? value : 0;
    return draw_reference(random);
  }
  /// An outcome of the law g / G, which the channel leaves in place.
  [[nodiscard]] std::size_t draw_reference(SecureRandom& random) const {
    return locate(random.below(reference_total()));
  }

 private:
  explicit MixtureChannel(std::span<const double> reference);
  [[nodiscard]] uint128 kept_entry() const { return uint128{keep_} * reference_total(); }
  [[nodiscard]] uint128 replaced_entry(std::size_t j) const {
    return uint128{kKeepTotal - keep_} * reference(j);
  }
  [[nodiscard]] std::size_t locate(std::uint64_t position) const;

  std::uint64_t keep_ = 0;
  std::vector<std::uint64_t> prefix_;  // of g, with k + 1 entries
};

}  // namespace mollify
