// What several releases cost together, and what one of them may cost.
#pragma once

#include <cstdint>
#include <span>

#include "accounting/privacy.h"

namespace mollify {

/// Total epsilon of `releases` releases at `epsilon` each under basic composition, Σ epsilon,
/// rounded up. InvalidInput for epsilon not finite and positive, or a number of releases that is
/// not from 1 to 2^53.
[[nodiscard]] double basic_composition_epsilon_up(double epsilon, std::uint64_t releases);

/// The largest double epsilon with releases·epsilon ≤ total in exact arithmetic.
///
/// The quotient is rounded down by the exact sign of its error, so what a release of M draws spends
/// never exceeds the total it declares. Same refusals as above.
[[nodiscard]] double epsilon_per_draw_down(double total, std::uint64_t releases);

/// What one of a unit's `count` draws may spend of a pure or Gaussian budget for all of them:
/// epsilon / count [basic composition], but never above the 30 at which one draw counts (ExpBound),
/// or mu / sqrt(count) [Dong et al. 2022, Corollary 3.3]; rounded down.
///
/// Throws InvalidInput, one sentence in terms of the whole, unless count is from 1 to 100 000 000
/// and the parameter is finite, positive and large enough to be split.
[[nodiscard]] Privacy draw_budget_down(const Privacy& budget, std::uint64_t count);

/// What all of these draws promise together: the budget, or less where the 30 was met.
[[nodiscard]] Privacy draws_promise_up(const Privacy& budget, const Privacy& draw,
                                       std::uint64_t count);

/// The promise of all parts together, made on the same records: basic composition, rounded up.
///
/// Pure and approximate parts give Σ epsilon and Σ delta (pure if all are). Where a part is
/// concentrated or Gaussian, pure ones count epsilon²/2, Gaussian ones mu²/2, and the whole is (Σ
/// rho)-zCDP; an approximate one beside it has no rho: InvalidInput. InvalidInput for no parts, and
/// for parameters that are not finite and at least 0.
[[nodiscard]] Privacy composed_up(std::span<const Privacy> parts);

/// What a promise against adding or removing one record is worth against replacing it, which is to
/// remove one and to add another: twice epsilon, and delta (1 + e^epsilon) times, rounded up; four
/// times rho [Bun, Steinke 2016, Proposition 1.9]; twice mu [Dong et al. 2022, Theorem 2.14].
[[nodiscard]] ExactPrivacy replacing_up(const ExactPrivacy& add_remove);

/// The optimal composition of k equal releases that are epsilon-DP or (epsilon, delta₀)-DP,
/// adaptively chosen or not.
///
/// Together they are (epsilon′, 1 − (1−delta₀)^k·(1 − delta(epsilon′)))-DP for every epsilon′ ≥ 0,
/// with
///     delta(epsilon′) = Σ_l C(k,l)·(e^{l epsilon} − e^{epsilon′+(k−l)epsilon})₊ / (1+e^epsilon)^k,
/// and no smaller delta holds for all of them [Kairouz et al. 2015, Theorem 3.3].
///
/// Every number returned is rounded up: a binomial weight is a running product of at most k factors
/// whose roundings are counted, and the result is raised by that count, (k+2)·2^−49 relative, and
/// by (k+1)·2^−1000 for the weights left out. What delta₀ adds is at most k·delta₀, and computed
/// through log1p and expm1. The tests compare with 300-bit arithmetic.
class OptimalComposition {
 public:
  /// epsilon finite, positive and at most 700; 1 to 2^20 releases; delta₀ from 0 to 1. InvalidInput
  /// otherwise.
  OptimalComposition(double epsilon, std::uint64_t releases, double delta = 0.0);

  /// The delta that goes with a total of epsilon′, rounded up, at most 1; from the basic
  /// composition on it is what delta₀ alone costs. epsilon′ ≥ 0 (InvalidInput otherwise). O(k).
  [[nodiscard]] double delta_up(double total_epsilon) const;

  /// A total epsilon′ with delta_up(epsilon′) ≤ delta, least but for rounding, and never above the
  /// basic composition; infinite where delta is less than delta₀ alone costs. delta from 0 to 1
  /// (InvalidInput otherwise). O(k) for each of about 60 bisections.
  [[nodiscard]] double epsilon_up(double delta) const;

 private:
  [[nodiscard]] double pure_delta_up(double total_epsilon) const;

  double epsilon_;
  std::uint64_t releases_;
  double leaked_ = 0.0;  // 1 − (1−delta₀)^k, rounded up
};

}  // namespace mollify
