// k-ary randomized response with exact integer probabilities.
#pragma once

#include <cstdint>

#include "band.h"
#include "random.h"

namespace mollify {

/// Reports a value of {0, ..., k - 1} as itself with probability K / (K + (k - 1) L) and as each
/// other one with probability L / (K + (k - 1) L), for public integers L and K.
///
/// Of one value: K = floor(L Ebar).
/// Theorem. K <= Ebar L <= e^epsilon L, so any report is at most e^epsilon times as likely under
/// one value as under another: epsilon-LDP (Kairouz et al. 2016, Section 4.1). `draw` has
/// exactly these probabilities: an integer below K + (k - 1) L decides whether the value is kept,
/// and a second one below k - 1 chooses among the others alike. It is drawn in any case.
///
/// Of m values chosen from n, without replacement: K = floor(L (1 + (n / m) (Ebar - 1))), Ebar - 1
/// times n / m being rounded down to a multiple of 2^-shift, so that
///   m K + (n - m) L <= Ebar n L.                                                    (*)
/// Theorem. The list of the m reports is epsilon-DP when one of the n values is replaced, and K is
/// the greatest such, but for rounding: n values c, one of which is replaced by another value y,
/// and m reports of y attain (*). For m = 1 this is [Cheu, Nayak 2024, Theorem 11] with tight odds.
/// Proof. Let x be replaced by x', and fix a list y. Let a, a' be the probabilities of y under x
/// and x' if the place is among those chosen, b if it is not. To exchange a chosen x for a uniform
/// one of the values left over turns the first law into the last and changes one report, so with E0
/// = K / L we have a <= E0 a' and a <= E0 b. As a function of a' and b the ratio
///   P(y) / P'(y) <= ((m/n) E0 min(a', b) + (1 - m/n) b) / ((m/n) a' + (1 - m/n) b)
/// falls in a' where b <= a', and in b where a' <= b: it is greatest at a' = b, and (*) bounds it.
/// QED [Balle et al. 2018, Theorem 9, for delta = 0]
///
/// Total: a value outside {0, ..., k - 1} is private data and counts as 0. O(1), no memory.
class RandomizedResponse {
 public:
  /// n may not be greater.
  static constexpr std::uint64_t kMostRecords = std::uint64_t{1} << 40;

  /// k from 1 to 2^24, epsilon as for ExpBound; throws InvalidInput otherwise.
  RandomizedResponse(std::size_t outcome_count, double epsilon)
      : RandomizedResponse(outcome_count, epsilon, 1, 1) {}

  /// For `chosen` of `records` values, from 1 to `records` and 2^40; InvalidInput otherwise.
  /// epsilon is that of all the reports together.
  RandomizedResponse(std::size_t outcome_count, double epsilon, std::uint64_t records,
                     std::uint64_t chosen);

  [[nodiscard]] std::size_t input_count() const { return outcome_count_; }
  [[nodiscard]] std::size_t outcome_count() const { return outcome_count_; }
  [[nodiscard]] double epsilon() const { return bound_.epsilon(); }
  [[nodiscard]] const ExpBound& bound() const { return bound_; }

  /// Numerators over total(): of the value itself, and of each other outcome.
  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  [[nodiscard]] std::uint64_t other() const { return other_; }
  [[nodiscard]] std::uint64_t total() const { return below_total_.bound(); }
  /// The same for every column.
  [[nodiscard]] Extremes column(std::size_t) const {
    return {kept_, outcome_count_ > 1 ? other_ : kept_};
  }
  /// Whether (*) holds, decided in integers.
  [[nodiscard]] bool satisfies(const ExpBound& bound) const {
    return outcome_count_ == 1 ||
           bound.allows(uint128{chosen_} * kept_ + uint128{records_ - chosen_} * other_,
                        uint128{records_} * other_);
  }

  /// What `value` is reported as for two uniform integers: `position` below total(), and `other`
  /// below k - 1 (0 if k is 1). NOT PRIVATE.
  [[nodiscard]] std::size_t outcome_at(std::size_t value, std::uint64_t position,
                                       std::uint64_t other) const {
    const std::size_t inside = value < outcome_count_ ? value : 0;
    const auto another = static_cast<std::size_t>(other) + (other >= inside ? 1 : 0);
    return position < kept_ ? inside : another;
  }

  [[nodiscard]] std::size_t draw(std::size_t value, SecureRandom& random) const {
    const std::uint64_t position = below_total_(random);
    return outcome_at(value, position, below_others_(random));
  }

 private:
  ExpBound bound_;
  std::size_t outcome_count_;
  std::uint64_t records_;
  std::uint64_t chosen_;
  std::uint64_t kept_;
  std::uint64_t other_;
  UniformBelow below_total_{1};
  UniformBelow below_others_{1};
};

}  // namespace mollify
