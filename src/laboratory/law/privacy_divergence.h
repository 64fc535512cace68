// The divergences in which privacy is stated: Rényi's and the hockey stick.
#pragma once

#include <span>

namespace mollify {

/// D_α(P‖Q) = ln(Σ P^α Q^{1−α})/(α − 1) in nats, for every order α in [0, ∞].
///
/// α = 1 is Kullback–Leibler, α = ∞ is ln max P/Q (the epsilon of pure differential privacy), α = 0
/// is −ln Q{P > 0}. Continuous in α to rounding error: near α = 1 and for P near Q it is computed
/// from Σ Q·g(P/Q) with every term of second order, elsewhere from a log-sum-exp, so that neither
/// cancellation nor overflow spoils it. +∞ where the definition gives it.
///
/// P and Q must be distributions (they sum to one; not checked). InvalidInput for α negative or
/// NaN, or P and Q of different lengths. O(k).
/// [van Erven, Harremoës 2014]
[[nodiscard]] double renyi(double alpha, std::span<const double> p, std::span<const double> q);

/// E_γ(P‖Q) = Σ (P − γQ)₊ for γ ≥ 0.
///
/// A mechanism is (epsilon,delta)-DP exactly when E_{e^epsilon} ≤ delta between its laws on every
/// neighbouring pair. E_1 is the total variation distance. Each term is one fused multiply-add, so
/// a tiny excess of P over γQ is not rounded away. P and Q as in f_divergence.h: masses, not
/// checked. InvalidInput for γ negative or not finite, or P and Q of different lengths. O(k).
[[nodiscard]] double hockey_stick(double gamma, std::span<const double> p,
                                  std::span<const double> q);

}  // namespace mollify
