// f-divergences and sums that lose nothing.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Sums of many doubles that keep the digits a plain loop would lose.

/// A running sum whose rounding error does not grow with the number of terms.
///
/// Neumaier's variant of Kahan summation: the error of every addition is computed exactly and kept
/// with the sum, so that the result is within one unit in the last place of the true sum plus
/// n²·2^−106 times the sum of magnitudes. Infinite terms give an infinite sum, as a plain loop
/// would. [Neumaier 1974, algorithm IV]
class CompensatedSum {
 public:
  CompensatedSum() = default;
  explicit CompensatedSum(double first) : sum_(first) {}

  CompensatedSum& operator+=(double term) {
    const double next = sum_ + term;
    compensation_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
    return *this;
  }

  /// The sum so far. With an infinite term the compensation is infinity minus infinity, so it must
  /// not be added.
  [[nodiscard]] double value() const { return std::isfinite(sum_) ? sum_ + compensation_ : sum_; }

 private:
  double sum_ = 0.0;
  double compensation_ = 0.0;
};

// -----------------------------------------------------------------------------------------------
// What one outcome contributes to each divergence, in forms without cancellation.
//
// Each takes the difference p − q with p and q: callers that know it more exactly than the
// subtraction would give it (the closed forms of worst_case_risk.cpp) lose no digits.

/// ln(p/q) for p, q > 0, accurate for p near q and defined where the quotient over- or underflows.
[[nodiscard]] inline double log_ratio(double p, double q, double difference) {
  const double t = difference / q;
  if (std::abs(t) < 0.5) return std::log1p(t);
  const double ratio = p / q;
  return std::isnormal(ratio) ? std::log(ratio) : std::log(p) - std::log(q);
}

/// p·ln(p/q) − p + q ≥ 0.
[[nodiscard]] inline double relative_entropy_term(double p, double q, double difference) {
  if (p <= 0.0) return q;
  if (q <= 0.0) return std::numeric_limits<double>::infinity();
  // With s = (p−q)/(p+q), ln(p/q) = 2·artanh(s) and the term equals
  // (p+q)·[s² + (1+s)·(s³/3 + s⁵/5 + …)]: the linear parts, which cancel, are gone.
  const double s = difference / (p + q);
  if (std::abs(s) < 0.125) {
    const double s2 = s * s;
    // s² ≤ 1/64, so the first term left out is below 2^−54 of the leading one.
    double tail = 1.0 / 19.0;
    for (int odd = 17; odd >= 3; odd -= 2) tail = tail * s2 + 1.0 / odd;
    return (p + q) * s2 * (1.0 + (1.0 + s) * s * tail);
  }
  return p * log_ratio(p, q, difference) - difference;
}

/// (√p − √q)²/2.
[[nodiscard]] inline double squared_hellinger_term(double p, double q, double difference) {
  if (difference == 0.0) return 0.0;
  const double root = difference / (std::sqrt(p) + std::sqrt(q));
  return 0.5 * root * root;
}

/// (p − q)²/q.
[[nodiscard]] inline double chi_squared_term(double q, double difference) {
  if (difference == 0.0) return 0.0;
  if (q <= 0.0) return std::numeric_limits<double>::infinity();
  return difference * (difference / q);
}

// -----------------------------------------------------------------------------------------------
// f-divergences between two distributions on the same finite set of outcomes.

/// The value of a divergence that is not finite.
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

/// Their names for programs and people.
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

// -----------------------------------------------------------------------------------------------
// A public reference on finitely many outcomes, as far as risks and plans depend on it.

/// The masses h of a public reference distribution: uniform on any number of outcomes without
/// storing them, or given one by one. Immutable.
class ReferenceMasses {
 public:
  /// Uniform on 1 to 2^53 outcomes; InvalidInput otherwise.
  [[nodiscard]] static ReferenceMasses uniform(std::uint64_t outcomes);

  /// Given masses: finite, not negative, summing to one within 1e-9 (then normalised); InvalidInput
  /// otherwise. Outcomes of mass zero are left out: no law of a band ever reaches them. Equal
  /// masses are recognised as uniform.
  [[nodiscard]] static ReferenceMasses given(std::span<const double> masses);

  /// Number of outcomes of positive mass.
  [[nodiscard]] std::uint64_t outcomes() const { return outcomes_; }
  [[nodiscard]] bool is_uniform() const { return masses_.empty(); }
  /// Mass of one outcome, index below outcomes().
  [[nodiscard]] double mass(std::size_t outcome) const {
    return is_uniform() ? 1.0 / static_cast<double>(outcomes_) : masses_[outcome];
  }
  [[nodiscard]] double smallest_mass() const;

  /// The reference of a coarser domain: outcomes 2i and 2i+1 become one.
  [[nodiscard]] ReferenceMasses merged_in_pairs() const;

 private:
  ReferenceMasses(std::uint64_t outcomes, std::vector<double> masses);

  std::uint64_t outcomes_;
  std::vector<double> masses_;  // empty when uniform
};

// -----------------------------------------------------------------------------------------------
// How near single draws must be if many of them together are near.

/// TV(Bin(m, p), Bin(m, q)): how well the counts of m coins tell two biases apart. m from 1 to
/// 2^20, p and q in [0, 1] (InvalidInput otherwise). O(m), in doubles to about 1e-10.
[[nodiscard]] double binomial_total_variation(std::uint64_t m, double p, double q);

/// The least total variation that m independent draws together can have if one has alpha: min over
/// p in [0, 1 - alpha] of TV(Bin(m, p + alpha), Bin(m, p)).
///
/// Theorem [Cheu, Nayak 2024, Theorem 21, with its constant]. If P and Q are alpha apart, some
/// event has probability p + alpha under one and p under the other; among m draws its count is
/// Bin(m, p + alpha) or Bin(m, p), and processing brings nothing further apart. So a strong
/// multi-sampler within this much is a single sampler within alpha. About sqrt(2m/pi) alpha while
/// that is small, reached at p about one half. By symmetry and unimodality in p the middle is
/// searched, on a grid of 64 and then between its best neighbours. O(m) times some hundreds.
[[nodiscard]] double joint_total_variation_least(std::uint64_t m, double alpha);

/// The greatest alpha with joint_total_variation_least(m, alpha) <= joint: what single draws of a
/// strong multi-sampler are within. By bisection to a relative 1e-6.
[[nodiscard]] double single_total_variation_most(std::uint64_t m, double joint);

}  // namespace mollify
