// Rényi divergences.
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
double renyi(double alpha, std::span<const double> p, std::span<const double> q);

}  // namespace mollify
