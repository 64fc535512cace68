// f-divergences between two distributions on the same finite set of outcomes.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <string>

namespace mollify {

/// What a divergence that is not finite is.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The one check every divergence makes: InvalidInput unless P and Q have the same number of
/// outcomes.
void require_same_outcomes(std::span<const double> p, std::span<const double> q);

/// Kullback–Leibler divergence in nats: Σ P ln(P/Q) − P + Q, which is KL(P‖Q) when both sum to one.
///
/// P and Q are masses of the same outcomes (finite, not negative), here and below; neither needs to
/// sum to one and neither is checked. Every function throws InvalidInput when they differ in
/// length.
///
/// Written so every term is nonnegative: nothing cancels when P and Q are close, and the relative
/// error is a few units in the last place. +∞ if P > 0 = Q somewhere. O(k).
[[nodiscard]] double kullback_leibler(std::span<const double> p, std::span<const double> q);

/// Total variation distance ½Σ|P − Q|, in [0, 1] for distributions. O(k).
[[nodiscard]] double total_variation(std::span<const double> p, std::span<const double> q);

/// Squared Hellinger distance ½Σ(√P − √Q)², which is 1 − Σ√(PQ) for distributions; in [0, 1].
/// No cancellation when P and Q are close. O(k).
[[nodiscard]] double squared_hellinger(std::span<const double> p, std::span<const double> q);

/// χ² divergence Σ(P − Q)²/Q, which is Σ P²/Q − 1 for distributions. +∞ if P > 0 = Q somewhere.
/// O(k).
[[nodiscard]] double chi_squared(std::span<const double> p, std::span<const double> q);

/// The four divergences that mollify reports everywhere, under the names of its JSON keys.
struct DivergenceReport {
  double kl = 0.0;          ///< Kullback–Leibler, nats
  double tv = 0.0;          ///< total variation
  double hellinger2 = 0.0;  ///< squared Hellinger, 1 − Σ√(PQ)
  double chi2 = 0.0;        ///< χ²

  /// "KL 0.1, total variation 0.2, squared Hellinger 0.03, chi-squared 0.4"
  [[nodiscard]] std::string text() const;

  friend bool operator==(const DivergenceReport&, const DivergenceReport&) = default;
};

/// What programs and people call each of them.
struct DivergenceName {
  const char* key;
  const char* words;
  double DivergenceReport::*value;
};
inline constexpr std::array kDivergenceNames = {
    DivergenceName{"kl", "KL", &DivergenceReport::kl},
    DivergenceName{"tv", "total variation", &DivergenceReport::tv},
    DivergenceName{"hellinger2", "squared Hellinger", &DivergenceReport::hellinger2},
    DivergenceName{"chi2", "chi-squared", &DivergenceReport::chi2}};

/// All four divergences of P from Q, as the functions above give them.
[[nodiscard]] DivergenceReport divergence_report(std::span<const double> p,
                                                 std::span<const double> q);

}  // namespace mollify
