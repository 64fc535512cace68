// k-ary randomized response with exact integer probabilities.
#pragma once

#include <cstdint>

#include "mollify/kernel/band.h"
#include "mollify/kernel/secure_random.h"
#include "mollify/kernel/seeded_random.h"

namespace mollify {

/// Reports a value of {0, ..., k - 1} as itself with probability K / (K + (k - 1) L) and as each
/// other one with probability L / (K + (k - 1) L), for public integers L and K = floor(L Ebar).
///
/// Theorem. K <= Ebar L <= e^epsilon L, so any report is at most e^epsilon times as likely under
/// one value as under another: epsilon-LDP (Kairouz, Oh, Viswanath 2016, section 4.1). `draw` has
/// exactly these probabilities: an integer below K + (k - 1) L decides whether the value is kept,
/// and a second one below k - 1 chooses among the others alike. It is drawn in any case.
///
/// Total: a value outside {0, ..., k - 1} is private data and counts as 0. O(1), no memory.
class RandomizedResponse {
 public:
  /// k from 1 to 2^24, epsilon as for ExpBound; throws InvalidInput otherwise.
  RandomizedResponse(std::size_t outcome_count, double epsilon);

  std::size_t input_count() const { return outcome_count_; }
  std::size_t outcome_count() const { return outcome_count_; }
  double epsilon() const { return bound_.epsilon(); }
  const ExpBound& bound() const { return bound_; }

  /// Numerators over total(): of the value itself, and of each other outcome.
  std::uint64_t kept() const { return kept_; }
  std::uint64_t other() const { return other_; }
  std::uint64_t total() const { return below_total_.bound(); }
  /// Every column's greatest and least entry.
  struct Extremes {
    uint128 greatest;
    uint128 least;
  };
  Extremes column(std::size_t) const { return {kept_, outcome_count_ > 1 ? other_ : kept_}; }
  bool satisfies(const ExpBound& bound) const {
    return outcome_count_ == 1 || bound.allows(kept_, other_);
  }

  std::size_t draw(std::size_t value, SecureRandom& random) const { return respond(value, random); }
  /// A response for analysis. NOT PRIVATE.
  std::size_t simulate(std::size_t value, SeededRandom& random) const {
    return respond(value, random);
  }

 private:
  template <WordSource Source>
  std::size_t respond(std::size_t value, Source& random) const {
    const std::size_t inside = value < outcome_count_ ? value : 0;
    const bool is_kept = below_total_(random) < kept_;
    const auto other = static_cast<std::size_t>(below_others_(random));
    return is_kept ? inside : other + (other >= inside ? 1 : 0);
  }

  ExpBound bound_;
  std::size_t outcome_count_;
  std::uint64_t kept_;
  std::uint64_t other_;
  UniformBelow below_total_{1};
  UniformBelow below_others_{1};
};

}  // namespace mollify
