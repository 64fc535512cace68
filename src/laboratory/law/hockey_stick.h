// The hockey-stick divergence, in which (epsilon,delta)-differential privacy is stated.
#pragma once

#include <span>

namespace mollify {

/// E_γ(P‖Q) = Σ (P − γQ)₊ for γ ≥ 0.
///
/// A mechanism is (epsilon,delta)-DP exactly when E_{e^epsilon} ≤ delta between its laws on every
/// neighbouring pair. E_1 is the total variation distance. Each term is one fused multiply-add, so
/// a tiny excess of P over γQ is not rounded away. P and Q as in f_divergence.h: masses, not
/// checked. InvalidInput for γ negative or not finite, or P and Q of different lengths. O(k).
double hockey_stick(double gamma, std::span<const double> p, std::span<const double> q);

}  // namespace mollify
