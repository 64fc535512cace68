// What several equal releases cost together, and what one of them may cost.
#pragma once

#include <cstdint>

namespace mollify {

/// Total ε of `releases` releases at `epsilon` each under basic composition, Σε, rounded up.
/// InvalidInput for ε not finite and positive, or a number of releases that is not from 1 to 2^53.
double basic_composition_epsilon_up(double epsilon, std::uint64_t releases);

/// The largest double ε with releases·ε ≤ total in exact arithmetic.
///
/// The quotient is rounded down by the exact sign of its error, so what a release of M draws spends
/// never exceeds the total it declares. Same refusals as above.
double epsilon_per_draw_down(double total, std::uint64_t releases);

/// The optimal composition of k equal releases that are ε-DP or (ε, δ₀)-DP, adaptively chosen or
/// not.
///
/// Together they are (ε′, 1 − (1−δ₀)^k·(1 − δ(ε′)))-DP for every ε′ ≥ 0, with
///     δ(ε′) = Σ_l C(k,l)·(e^{lε} − e^{ε′+(k−l)ε})₊ / (1+e^ε)^k,
/// and no smaller δ holds for all of them [Kairouz, Oh, Viswanath, ICML 2015, Thm 3.3].
///
/// Every number returned is rounded up: a binomial weight is a running product of at most k factors
/// whose roundings are counted, and the result is raised by that count, (k+2)·2^−49 relative, and
/// by (k+1)·2^−1000 for the weights left out. What δ₀ adds is at most k·δ₀, and computed through
/// log1p and expm1. The tests compare with 300-bit arithmetic.
class OptimalComposition {
 public:
  /// ε finite, positive and at most 700; 1 to 2^20 releases; δ₀ from 0 to 1. InvalidInput
  /// otherwise.
  OptimalComposition(double epsilon, std::uint64_t releases, double delta = 0.0);

  /// The δ that goes with a total of ε′, rounded up, at most 1; from the basic composition on it is
  /// what δ₀ alone costs. ε′ ≥ 0 (InvalidInput otherwise). O(k).
  double delta_up(double total_epsilon) const;

  /// A total ε′ with delta_up(ε′) ≤ δ, least but for rounding, and never above the basic
  /// composition; infinite where δ is less than δ₀ alone costs. δ from 0 to 1 (InvalidInput
  /// otherwise). O(k) for each of about 60 bisections.
  double epsilon_up(double delta) const;

 private:
  double pure_delta_up(double total_epsilon) const;

  double epsilon_;
  std::uint64_t releases_;
  double leaked_ = 0.0;  // 1 − (1−δ₀)^k, rounded up
};

}  // namespace mollify
