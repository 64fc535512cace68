// f-divergences between two distributions on the same finite set of outcomes.
#pragma once

#include <functional>
#include <span>

namespace mollify {

/// A convex function f with f(1) = 0 and the two limits that decide what zeros contribute.
///
/// D_f(P‖Q) = Σ_{Q>0} Q·f(P/Q) + slope_at_infinity·P{Q = 0}, with 0·f(0/0) = 0.
struct Generator {
  std::function<double(double)> f;  ///< on (0, ∞); finite and convex there
  double at_zero = 0.0;             ///< lim f(x), x → 0; may be +∞
  double slope_at_infinity = 0.0;   ///< lim f(x)/x, x → ∞, also written f*(0); may be +∞
};

Generator kullback_leibler_generator();          ///< f = x ln x
Generator total_variation_generator();           ///< f = |x − 1|/2
Generator squared_hellinger_generator();         ///< f = 1 − √x, so that D_f is in [0, 1]
Generator chi_squared_generator();               ///< f = x² − 1
Generator hockey_stick_generator(double gamma);  ///< f = (x − γ)₊ for γ ≥ 1 (InvalidInput below)

/// D_f(P‖Q) for any generator, straight from the definition.
///
/// P and Q are masses of the same outcomes (finite, not negative); neither needs to sum to one and
/// neither is checked. +∞ where the definition gives it. For the four divergences below the special
/// functions are faster and keep more digits when P and Q are close. O(k).
///
/// Every function of this file throws InvalidInput when P and Q differ in length.
double f_divergence(const Generator& generator, std::span<const double> p,
                    std::span<const double> q);

/// Kullback–Leibler divergence in nats: Σ P ln(P/Q) − P + Q, which is KL(P‖Q) when both sum to one.
///
/// Written so every term is nonnegative: nothing cancels when P and Q are close, and the relative
/// error is a few units in the last place. +∞ if P > 0 = Q somewhere. O(k).
double kullback_leibler(std::span<const double> p, std::span<const double> q);

/// Total variation distance ½Σ|P − Q|, in [0, 1] for distributions. O(k).
double total_variation(std::span<const double> p, std::span<const double> q);

/// Squared Hellinger distance ½Σ(√P − √Q)², which is 1 − Σ√(PQ) for distributions; in [0, 1].
/// No cancellation when P and Q are close. O(k).
double squared_hellinger(std::span<const double> p, std::span<const double> q);

/// χ² divergence Σ(P − Q)²/Q, which is Σ P²/Q − 1 for distributions. +∞ if P > 0 = Q somewhere.
/// O(k).
double chi_squared(std::span<const double> p, std::span<const double> q);

/// The four divergences that mollify reports everywhere, under the names of its JSON keys.
struct DivergenceReport {
  double kl = 0.0;          ///< Kullback–Leibler, nats
  double tv = 0.0;          ///< total variation
  double hellinger2 = 0.0;  ///< squared Hellinger, 1 − Σ√(PQ)
  double chi2 = 0.0;        ///< χ²

  friend bool operator==(const DivergenceReport&, const DivergenceReport&) = default;
};

/// All four divergences of P from Q, as the functions above give them.
DivergenceReport divergence_report(std::span<const double> p, std::span<const double> q);

}  // namespace mollify
