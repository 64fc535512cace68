// The band: public bounds on how often each outcome may be released.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exp_bound.h"

namespace mollify {

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
/// guarantees sum(lower) <= N <= sum(upper), so that such vectors exist. Where the lower bounds
/// come from as a rule, and which are good ones, is said in kernel/search/band_spec.h.
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
