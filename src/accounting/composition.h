// Budgets that add up, and conversions between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "accounting/privacy.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Zero-concentrated differential privacy: what pure privacy is worth in it, and it in (epsilon,
// delta).

// A release is rho-zCDP if for neighbouring data sets the Rényi divergence of every order a > 1 is
// at most rho·a [Bun, Steinke 2016, Definition 1.1]. Releases chosen one after the other add their
// rho, even where each rho is chosen after the outputs before it [Feldman, Zrnic 2021].

/// The rho of an epsilon-DP release, epsilon²/2 [Bun, Steinke 2016, Proposition 1.4], rounded up.
/// InvalidInput for epsilon not finite and at least 0.
[[nodiscard]] double concentrated_rho_of_pure_up(double epsilon);

/// The rho of a mu-Gaussian-DP release, mu²/2, rounded up: its Rényi divergences are at most
/// N(0,1)'s from N(mu,1) [Dong et al. 2022, Corollary 2.9]. InvalidInput for mu not finite and at
/// least 0.
[[nodiscard]] double concentrated_rho_of_gaussian_up(double mu);

/// delta for which rho-zCDP is (epsilon, delta)-DP, at most 1:
///     min over a > 1 of e^{(a−1)(a rho−epsilon)}/a·(1−1/a)^{a−1}
/// [Canonne et al. 2020, Corollary 13]. Every a gives a true statement, so the minimiser is
/// found in floating point and the value there is rounded up: at most the minimum times 1 + 2^−40
/// while rho and epsilon are at most 1000. InvalidInput for rho or epsilon not finite and at least
/// 0. About 50 logarithms.
[[nodiscard]] double concentrated_delta_up(double rho, double epsilon);

/// A least epsilon with concentrated_delta_up(rho, epsilon) ≤ delta except for rounding; infinite
/// for delta = 0 unless rho is 0. InvalidInput for rho as above, or delta outside [0, 1].
[[nodiscard]] double concentrated_epsilon_up(double rho, double delta);

/// A greatest rho with concentrated_delta_up(rho, epsilon) ≤ delta except for rounding; 0 for delta
/// = 0. InvalidInput for epsilon as above, or delta outside [0, 1) (delta = 1 promises nothing).
[[nodiscard]] double concentrated_rho_down(double epsilon, double delta);

// -----------------------------------------------------------------------------------------------
// What rounding each record of a Gaussian to a lattice does to the law of a noisy sum: less than
// the rounding itself, because it is nearly independent of the remainder.

/// Let X_i be independent N(mu, Sigma) in R^d with Sigma >= I, Z_i be X_i with each coordinate
/// rounded to the nearest multiple of g, and a_i be weights, sum a_i^2 = A and |sum a_i| <= 1. Then
/// in total variation sum a_i Z_i + N(0, s^2 I) is within
///
///     [sqrt(d A) g^2 (1 + g sqrt(d)) / 12 + sqrt(d) g e^(-2 pi^2/g^2)] / (s sqrt(2 pi))
///     + ((1 - t^2)^(-d/2) - 1)^(1/2) / 2,   t = A g^2 d / (4 s^2) < 1,
///
/// of sum a_i X_i + N(0, s^2 I) [ours; proof: docs/theory/gaussian-proofs.md].
///
/// Of second order in g: bounds by the size of the rounding (lattice.h) are of first order.
/// The formula in doubles, times 1 + 2^-40; at most 1.
[[nodiscard]] double record_rounding_error_up(std::size_t dimension, double squared_weights,
                                              double step, double deviation);

// -----------------------------------------------------------------------------------------------
// The cost of several releases together, and the budget of one of them.

/// Total epsilon of `releases` releases at `epsilon` each under basic composition, Σ epsilon,
/// rounded up. InvalidInput for epsilon not finite and positive, or a number of releases that is
/// not from 1 to 2^53.
[[nodiscard]] double basic_composition_epsilon_up(double epsilon, std::uint64_t releases);

/// The largest double epsilon with releases·epsilon ≤ total in exact arithmetic.
///
/// The quotient is rounded down by the exact sign of its error, so what a release of M draws spends
/// never exceeds the total it declares. Same refusals as above.
[[nodiscard]] double epsilon_per_draw_down(double total, std::uint64_t releases);

/// The share of one of a unit's `count` draws in a pure or Gaussian budget for all of them: epsilon
/// / count [basic composition], but never above the 30 at which one draw counts (ExpBound), or mu /
/// sqrt(count) [Dong et al. 2022, Corollary 3.3]; rounded down.
///
/// Throws InvalidInput, one sentence in terms of the whole, unless count is from 1 to 100 000 000
/// and the parameter is finite, positive and large enough to be split.
[[nodiscard]] Privacy draw_budget_down(const Privacy& budget, std::uint64_t count);

/// What all of these draws promise together: the budget, or less where the 30 was met.
[[nodiscard]] Privacy draws_promise_up(const Privacy& budget, const Privacy& draw,
                                       std::uint64_t count);

/// The promise of all parts together, made on the same records: basic composition, rounded up.
///
/// Pure and approximate parts give Σ epsilon and Σ delta (pure if all are). If a part is
/// concentrated or Gaussian, pure ones count epsilon²/2, Gaussian ones mu²/2, and the whole is (Σ
/// rho)-zCDP; an approximate one with it has no rho: InvalidInput. InvalidInput for no parts, and
/// for parameters that are not finite and at least 0.
[[nodiscard]] Privacy composed_up(std::span<const Privacy> parts);

/// The worth of a promise against adding or removing one record against replacing it, which removes
/// one and adds another: twice epsilon, and delta (1 + e^epsilon) times, rounded up; four times rho
/// [Bun, Steinke 2016, Proposition 1.9]; twice mu [Dong et al. 2022, Theorem 2.14].
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

  /// A total epsilon′ with delta_up(epsilon′) ≤ delta, least except for rounding, and never above
  /// the basic composition; infinite where delta is less than delta₀ alone costs. delta from 0 to 1
  /// (InvalidInput otherwise). O(k) for each of about 60 bisections.
  [[nodiscard]] double epsilon_up(double delta) const;

 private:
  [[nodiscard]] double pure_delta_up(double total_epsilon) const;

  double epsilon_;
  std::uint64_t releases_;
  double leaked_ = 0.0;  // 1 − (1−delta₀)^k, rounded up
};

}  // namespace mollify
