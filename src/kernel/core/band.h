// The band: public bounds on how often each outcome may be released.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/core/exp_bound.h"

namespace mollify {

/// What a band is made of. All of it is public: nothing here may be computed from private data.
struct BandSpec {
  /// Number of outcomes k, 1 to 2^24. May be left 0 when `reference` is given.
  std::size_t outcome_count = 0;
  /// Reference masses h, k positive finite numbers, normalised by the factory. Empty: uniform.
  std::span<const double> reference = {};
  /// Outcomes that can never occur, ascending. They are never released, whatever the data, and are
  /// the only ones whose reference mass is (and must be) zero.
  std::span<const std::uint32_t> structural_zeros = {};
  /// b: no outcome is released with probability below b * h. In (0, 1).
  double floor = 0;
  /// The privacy parameter of one draw, from 1e-6; above 30 it counts as 30.
  double epsilon = 0;
  /// N, the number of equal parts that probability is cut into. Smaller values serve the exhaustive
  /// tests; the guarantee holds for every N, the resolution is best at 2^62.
  std::uint64_t total = std::uint64_t{1} << 62;
};

/// Public, immutable integer bounds lower_i <= upper_i on the numerators of a law over k outcomes.
///
/// Definition. With Ebar = ExpBound(epsilon):
///   lower_i = ceil(N b h_i (1 + 2^-39)),  upper_i = min(N, floor(lower_i Ebar))   (0 and 0 for a
///   structural zero), and for k = 1 the only outcome has lower = upper = N.
/// The hair of 2^-39 makes up for Ebar lying 2^-40 below e^epsilon, so that lower + ... + upper
/// still reaches N for the P that a minimax band is made for; where these lower bounds sum to more
/// than N (b next to 1) they are max(1, floor(N b h_i)) instead.
///
/// Theorem (mollifier). Let n and n' be any two integer vectors with lower <= n, n' <= upper and
/// equal sums N. Then n_i <= upper_i <= Ebar lower_i <= e^epsilon n'_i for every i: the set of laws
/// n / N is an epsilon-mollifier [Husain et al. 2020, Definition 1], so a draw from any member,
/// however the member was chosen, is epsilon-LDP [Lemma 2].
///
/// The factory guarantees sum(lower) <= N <= sum(upper), so that such vectors exist.
///
/// A uniform band takes constant memory, any other 24 bytes an outcome.
class Band {
 public:
  static constexpr std::size_t kMostOutcomes = std::size_t{1} << 24;
  static constexpr std::uint64_t kGreatestTotal = std::uint64_t{1} << 62;

  /// Throws InvalidInput, in one sentence, if the spec is malformed or no table fits. O(k).
  static Band make(const BandSpec& spec);

  // No assignment: a table reads its band's bounds and total for as long as it lives.
  Band(const Band&) = default;
  Band(Band&&) = default;
  Band& operator=(const Band&) = delete;
  Band& operator=(Band&&) = delete;

  std::size_t outcome_count() const { return outcome_count_; }
  std::uint64_t total() const { return total_; }
  const ExpBound& bound() const { return bound_; }
  double epsilon() const { return bound_.epsilon(); }

  /// Whether all outcomes have the same bounds.
  bool is_uniform() const { return lowers_.empty(); }

  std::uint64_t lower(std::size_t i) const { return is_uniform() ? lower_ : lowers_[i]; }
  std::uint64_t upper(std::size_t i) const { return is_uniform() ? upper_ : uppers_[i]; }

  /// Sum of lower over the outcomes before i; i from 0 to k. At most N.
  std::uint64_t lower_before(std::size_t i) const { return is_uniform() ? lower_ * i : prefix_[i]; }

  /// The outcome i with lower_before(i) <= position < lower_before(i + 1); position must be below
  /// lower_before(k). Constant time on a uniform band, O(log k) otherwise.
  std::size_t outcome_at(std::uint64_t position) const;

  /// The bounds as arrays, empty on a uniform band.
  std::span<const std::uint64_t> lowers() const { return lowers_; }
  std::span<const std::uint64_t> uppers() const { return uppers_; }

 private:
  Band(ExpBound bound, std::size_t outcome_count, std::uint64_t total)
      : bound_(bound), outcome_count_(outcome_count), total_(total) {}

  ExpBound bound_;
  std::size_t outcome_count_;
  std::uint64_t total_;
  std::uint64_t lower_ = 0;
  std::uint64_t upper_ = 0;
  std::vector<std::uint64_t> lowers_;
  std::vector<std::uint64_t> uppers_;
  std::vector<std::uint64_t> prefix_;
};

}  // namespace mollify
