// e^epsilon as a rational, and the band of integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "random.h"

// -----------------------------------------------------------------------------------------------
// A rational number that is certainly at most e^epsilon: the only place where epsilon, a real
// number, becomes an integer inequality.

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "the kernel needs NaN and infinities to be what IEEE 754 says: compile without -ffast-math"
#endif

namespace mollify {

/// digits / 2^scale <= e^x < digits / 2^scale (1 + 2^-112), with 127 binary digits: found in
/// integers alone, so that every machine finds the same.
struct CutExp {
  uint128 digits;
  int scale;
};

/// Requires x from 1e-6 to 30. Proof in the code.
[[nodiscard]] CutExp cut_exp(double x);

/// The public, immutable rational Ebar = mantissa / 2^shift with 1 < Ebar <= e^epsilon.
///
/// Definition. Ebar is the first 53 binary digits of cut_exp(epsilon) (1 - 2^-40).
///
/// Theorem. 1 < Ebar <= e^epsilon, and Ebar is the same on every machine. Proof. cut_exp is at most
/// e^epsilon, it and all that is done to its digits are integer arithmetic, and that only lowers
/// them. And e^1e-6 (1 - 2^-40) is above 1 by far more than the cut. QED tests/core/band.cpp
/// compares with MPFR.
///
/// Range: epsilon from 1e-6 to 30. Below, 2^-40 would eat a visible part of the budget; above, the
/// table of 2^62 parts becomes coarse (docs/theory/band.md), so callers lower epsilon to 30 and say
/// so.
class ExpBound {
 public:
  static constexpr double kLeastEpsilon = 1e-6;
  static constexpr double kGreatestEpsilon = 30.0;

  /// Throws InvalidInput if epsilon is not a number in [1e-6, infinity). Above 30 it counts as 30,
  /// which `epsilon()` then says.
  explicit ExpBound(double epsilon);

  /// The epsilon that is guaranteed: the one asked for, or 30 if that is less.
  [[nodiscard]] double epsilon() const { return epsilon_; }

  /// Ebar as mantissa / 2^shift; mantissa < 2^53, and 0 < shift <= 52 because 1 < Ebar < 2^44.
  [[nodiscard]] std::uint64_t mantissa() const { return mantissa_; }
  [[nodiscard]] int shift() const { return shift_; }

  /// Ebar as a double, exactly.
  [[nodiscard]] double value() const;

  /// floor(x * Ebar), or `cap` if that is less. Exact for every x: the product is below 2^117.
  [[nodiscard]] std::uint64_t times_floor(std::uint64_t x, std::uint64_t cap) const {
    const uint128 product = (uint128{x} * mantissa_) >> shift_;
    return product < cap ? static_cast<std::uint64_t>(product) : cap;
  }

  /// Whether larger <= Ebar * smaller, decided in integers of 192 bits; for any two.
  [[nodiscard]] bool allows(uint128 larger, uint128 smaller) const {
    const uint128 low = uint128{static_cast<std::uint64_t>(smaller)} * mantissa_;
    const uint128 high = (smaller >> 64) * mantissa_ + (low >> 64);
    // floor(smaller * Ebar), unless that has more than 128 bits.
    const uint128 most = (high << (64 - shift_)) | (static_cast<std::uint64_t>(low) >> shift_);
    return larger <= most || high >> (64 + shift_) != 0;
  }

 private:
  double epsilon_;
  std::uint64_t mantissa_;
  int shift_;
};

// -----------------------------------------------------------------------------------------------
// The band: public bounds on how often each outcome may be released.

/// Public, immutable integer bounds lower_i <= upper_i on the numerators of a law over k outcomes,
/// whose denominator is N.
///
/// Definition. The lower bounds are given; upper_i = min(N, floor(lower_i Ebar)), Ebar being
/// ExpBound(epsilon). An outcome whose lower bound is 0 has the upper bound 0: it is never
/// released.
///
/// lower_i <= upper_i <= 2^62, because lower_i <= sum(lower) <= N and Ebar > 1.
///
/// Theorem (mollifier). Let n and n' be any two integer vectors between lower and upper that sum to
/// N. Then n_i <= upper_i <= Ebar lower_i <= Ebar n'_i <= e^epsilon n'_i for every i, and so for
/// the sums over any event, divided by N. The set of laws n / N is an epsilon-mollifier [Husain et
/// al. 2020, Definition 1]: a draw from any member, however it was chosen, is epsilon-LDP [Lemma
/// 2].
///
/// That holds for any lower bounds whatsoever, as long as nothing private went into them. `make`
/// guarantees sum(lower) <= N <= sum(upper), so that such vectors exist. kernel/search.h explains
/// the usual lower bounds, and good ones.
///
/// A band of one lower bound for all takes constant memory, any other a little over 8 bytes an
/// outcome: upper bounds are made where they are asked for.
class Band {
 public:
  static constexpr std::size_t kMostOutcomes = std::size_t{1} << 24;
  static constexpr std::uint64_t kGreatestTotal = std::uint64_t{1} << 62;

  /// The band of k = lowers.size() outcomes, or of `outcome_count` outcomes that share one lower
  /// bound; N is `total`. Throws InvalidInput, in one sentence, unless k is from 1 to 2^24, N from
  /// 1 to 2^62, and some numerators fit. O(k).
  [[nodiscard]] static Band make(std::vector<std::uint64_t> lowers, const ExpBound& bound,
                                 std::uint64_t total = kGreatestTotal);
  [[nodiscard]] static Band make(std::size_t outcome_count, std::uint64_t lower,
                                 const ExpBound& bound, std::uint64_t total = kGreatestTotal);

  // No assignment, and a move is a copy: a table reads its band's bounds and total for as long as
  // it lives.
  Band(const Band&) = default;
  Band& operator=(const Band&) = delete;

  [[nodiscard]] std::size_t outcome_count() const { return outcome_count_; }
  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] const ExpBound& bound() const { return bound_; }
  [[nodiscard]] double epsilon() const { return bound_.epsilon(); }

  /// Whether the band was made from one lower bound for all.
  [[nodiscard]] bool is_uniform() const { return lowers_.empty(); }

  [[nodiscard]] std::uint64_t lower(std::size_t i) const {
    return is_uniform() ? lower_ : lowers_[i];
  }
  [[nodiscard]] std::uint64_t upper(std::size_t i) const {
    return is_uniform() ? upper_ : bound_.times_floor(lowers_[i], total_);
  }

  /// Sum of lower over the outcomes before i; i from 0 to k. At most N. Constant time.
  [[nodiscard]] std::uint64_t lower_before(std::size_t i) const {
    if (is_uniform()) return lower_ * i;
    std::uint64_t sum = prefix_[i / kRun];
    for (std::size_t j = i - i % kRun; j < i; ++j) sum += lowers_[j];
    return sum;
  }

  /// The outcome i with lower_before(i) <= position < lower_before(i + 1); position must be below
  /// lower_before(k). Constant time on a uniform band, O(log k) otherwise.
  [[nodiscard]] std::size_t outcome_at(std::uint64_t position) const;

  /// The lower bounds as an array, empty on a uniform band.
  [[nodiscard]] std::span<const std::uint64_t> lowers() const { return lowers_; }
  /// Their memory, for the next band: ends the use of this one.
  [[nodiscard]] std::vector<std::uint64_t> take_lowers() && { return std::move(lowers_); }

 private:
  static constexpr std::size_t kRun = 64;

  Band(const ExpBound& bound, std::size_t outcome_count, std::uint64_t total);
  void require_room(uint128 lower_sum, uint128 upper_sum) const;

  ExpBound bound_;
  std::size_t outcome_count_;
  std::uint64_t total_;
  std::uint64_t lower_ = 0;
  std::uint64_t upper_ = 0;
  std::vector<std::uint64_t> lowers_;
  std::vector<std::uint64_t> prefix_;  // sums of lowers_ before each run of kRun, and of all
};

}  // namespace mollify
