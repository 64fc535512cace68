// What each step gains.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "laboratory/boosting/likelihood.h"
#include "laboratory/measure/grid.h"
#include "laboratory/measure/measure.h"
#include "scores/boosting.h"
#include "scores/points.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// How the log-normaliser of a boosted density is found.

/// Sums over cells of equal width that cover the reference's central box, with exact cell masses
/// and the classifiers' values at cell centres: an error of the order of the squared width where
/// they are smooth, and of the width where they jump. For one and two dimensions; 2^16 cells take
/// some tens of milliseconds. Throws InvalidInput if the dimensions differ, beyond three
/// dimensions, below 4 cells along each axis or beyond 2^24 cells.
[[nodiscard]] LogNormaliser log_normaliser_by_cubature(const BoostedDensity& density,
                                                       const Measure& reference,
                                                       std::size_t cells = std::size_t{1} << 16U);

/// Averages over independent draws from Q0, for any dimension. The standard error is that of the
/// mean, divided by the mean (the delta method); at most (e^(epsilon/2) - 1) / (2 sqrt(n)) or so.
/// Throws InvalidInput if the dimensions differ or there are fewer than two draws.
[[nodiscard]] LogNormaliser log_normaliser_by_sampling(const BoostedDensity& density,
                                                       const Points& reference_draws);

// -----------------------------------------------------------------------------------------------
// A boosted density on the cells of a grid.

/// Masses of all cells, each summing to one. NOT PRIVATE.
struct GridLaw {
  std::vector<double> reference;  ///< Q0
  std::vector<double> boosted;    ///< Q_T
  double log_normaliser = 0;      ///< log Z with these masses
};

/// Q0's exact cell masses, and Q_T's with the classifiers' values at the cells' middles: what
/// diagnostics and likelihoods on a grid are made of. Throws InvalidInput if the dimensions differ.
[[nodiscard]] GridLaw law_on_grid(const BoostedDensity& density, const Measure& reference,
                                  const Grid& grid);

/// 1 for each cell whose middle lies in the box, 0 for the others. Throws InvalidInput if the
/// dimensions differ.
[[nodiscard]] std::vector<unsigned char> cells_inside(const Grid& grid, const Box& box);

/// The volume of each cell.
[[nodiscard]] std::vector<double> cell_volumes(const Grid& grid);

// -----------------------------------------------------------------------------------------------
// What each iteration of boosting achieved, what can be guaranteed of it, and what the papers
// claim.

// All of this is analysis, NOT PRIVATE: expectations under P are private data. The functions are
// pure and compute with expectations, exact where these are. docs/theory/errata.md derives every
// correction.

/// Expectations of one bounded classifier c, and its greatest |c|.
struct ClassifierMoments {
  double mean_p = 0;      ///< E_P[c]
  double mean_q = 0;      ///< E_Q[c], Q = Q_(t-1)
  double mean_exp_q = 1;  ///< E_Q exp(theta c)
  double greatest = 0;    ///< c* = max |c|
};

/// Moments from c at points of P and at points of Q with their weights: masses of cells, or samples
/// with none. A weight counts in proportion; `weights_p` or `weights_q` empty: all alike. c* is the
/// greatest |c| over points with a positive weight. Without points of P the mean is 0. Throws
/// InvalidInput if sizes differ.
[[nodiscard]] ClassifierMoments classifier_moments(std::span<const double> at_p,
                                                   std::span<const double> weights_p,
                                                   std::span<const double> at_q,
                                                   std::span<const double> weights_q, double theta);

/// The same of the last classifier of a density, as it is used, at points of P and of Q_(t-1): what
/// an observer of `boost` has, or better, points that it did not learn from. Throws InvalidInput as
/// above, for other numbers of features and for a density without a classifier.
[[nodiscard]] ClassifierMoments classifier_moments(const BoostedDensity& density, const Points& p,
                                                   std::span<const double> weights_p,
                                                   const Points& q,
                                                   std::span<const double> weights_q);

/// Where [Husain et al. 2020, Theorem 5] puts a classifier: high for gamma_Q in [1/3, 1], low for
/// (0, 1/3). It assumes gamma_P > 0 and gamma_Q > 0 (its weak learning assumption); without, there
/// is no claim.
enum class BoostingRegime { kNone, kLow, kHigh };
/// "none", "low", "high".
[[nodiscard]] std::string_view name_of(BoostingRegime regime) noexcept;

/// One iteration. KL drop means KL(P, Q_(t-1)) - KL(P, Q_t), in nats.
struct IterationDiagnostics {
  double theta = 0;
  double c_star = 0;   ///< max |c|
  double gamma_p = 0;  ///< E_P[c] / c*; 0 if c* is
  double gamma_q = 0;  ///< E_Q[-c] / c*; 0 if c* is
  BoostingRegime regime = BoostingRegime::kNone;

  /// theta E_P[c] - ln E_Q exp(theta c): the drop itself.
  double drop = 0;

  /// theta c* gamma_P - ln(cosh theta c* - gamma_Q sinh theta c*) <= drop, for every classifier and
  /// every gamma: exp lies below its chord over [-theta c*, theta c*]. For k outputs c is the
  /// shrunk classifier, and this is the guarantee of shrinking.
  double guaranteed = 0;

  /// [Husain et al. 2020, Theorem 5] as stated: drop >= theta Lambda, with
  ///   Lambda = c* gamma_P + log(4 / (5 - 3 gamma_Q))    in the high regime,
  ///   Lambda = gamma_P + gamma_Q - c* theta / 2         in the low regime.
  /// Absent without a regime.
  std::optional<double> claimed;

  /// Whether the claim is false here: more than the drop.
  [[nodiscard]] bool claim_fails() const noexcept { return claimed && *claimed > drop + 1e-12; }
};

[[nodiscard]] IterationDiagnostics diagnose(const ClassifierMoments& moments, double theta);

/// All iterations together: Delta = KL(P, Q0) - KL(P, Q_T), the sum of the drops.
struct RunDiagnostics {
  double delta = 0;
  /// The sum of the guaranteed drops.
  double guaranteed = 0;
  /// What Delta cannot pass [Husain et al. 2020, Theorem 6, upper bound]: epsilon / (2k), with
  /// sigmoids half of it.
  double limit = 0;
  /// [Husain et al. 2020, Theorem 6], lower bound: Delta >= (epsilon/2) (gamma_P + gamma_Q)/2 (1 -
  /// theta_T), where gamma_P and gamma_Q hold in every iteration (so: their least values) and
  /// gamma_Q is in the high regime. Taken as stated, whatever c* is. Absent if an iteration is in
  /// another regime, and for several outputs, of which it says nothing.
  std::optional<double> claimed;

  // What mode capture is concluded from.
  std::size_t iterations = 0;
  double reach = 0;    ///< epsilon / (4k), which bounds the sum of theta c*
  double gamma_p = 1;  ///< the least of all iterations
  double gamma_q = 1;  ///< the least of all iterations
  /// Whether gamma_Q >= tanh(theta c*/2) in every iteration, so that by the chord no
  /// E_Q exp(theta c) is above one. The high regime implies it, as theta c* < log 2.
  bool normalisers_at_most_one = false;

  [[nodiscard]] bool claim_fails() const noexcept { return claimed && *claimed > delta + 1e-12; }
};

/// From the iterations 1 to T in turn. Throws InvalidInput as BoostedDensity does.
[[nodiscard]] RunDiagnostics diagnose(std::span<const IterationDiagnostics> iterations,
                                      const BoostingSpec& spec);

/// How much of a region B's mass the density captures. M_B is the mass of B, KL_B(P, Q0) the
/// integral of P log(P/Q0) over B.
struct RegionDiagnostics {
  double mass_p = 0;
  double mass_reference = 0;
  double mass_q = 0;
  double kl_inside = 0;  ///< KL_B(P, Q0)
  /// (1 + epsilon/2) M_B(P) - epsilon/2 - KL_B(P, Q0) + Delta <= M_B(Q_T): the step of the proof of
  /// [Husain et al. 2020, Theorem 7] that comes before its error, with the Delta that was reached.
  /// Always holds; here and below epsilon/k is in the place of epsilon for k outputs.
  double guaranteed = 0;
  /// M_B(P) - KL_B(P, Q0) - (epsilon/4) max(0, 1 - gamma_P - M_B(P)) <= M_B(Q_T). *Ours*: proved,
  /// as a sharper Theorem 7, in docs/theory/errata.md. Absent unless the run's
  /// normalisers_at_most_one.
  std::optional<double> guaranteed_by_gammas;
  /// [Husain et al. 2020, Theorem 7] as stated: (1 - alpha) M_B(P) - KL_B(P, Q0) <= M_B(Q_T) for
  /// each alpha in [0, 1] with M_B(P) >= epsilon h((2 - gamma_P - gamma_Q) T) / (h(alpha) h(T)),
  /// h(x) = epsilon + 2x; this is the least such alpha. True, and never above guaranteed_by_gammas.
  /// Absent if there is no such alpha or Theorem 6 makes no claim.
  std::optional<double> claimed;
};

/// From masses of the same cells under P, Q0 and Q_T, each summing to one; B is the cells whose
/// `inside` is not 0. Throws InvalidInput if sizes differ.
[[nodiscard]] RegionDiagnostics diagnose_region(std::span<const double> masses_p,
                                                std::span<const double> masses_reference,
                                                std::span<const double> masses_q,
                                                std::span<const unsigned char> inside,
                                                const RunDiagnostics& run);

/// The least and the greatest log dQ_T/dQ0 that was seen, and what neither can pass.
struct LogRatioRange {
  double least = 0;
  double greatest = 0;
  double limit = 0;  ///< epsilon / (2k), with sigmoids half of it

  [[nodiscard]] bool within() const noexcept { return -limit <= least && greatest <= limit; }
};

/// Over some points. Throws InvalidInput as log_density_ratio does, and without points.
[[nodiscard]] LogRatioRange log_ratio_range(const BoostedDensity& density, const Points& points);

// -----------------------------------------------------------------------------------------------
// Points at which boosting is measured.

/// Two sets of points over which expectations under P and under Q0 are taken. NOT PRIVATE.
///
/// On a grid both are the cells' middles, weighted by exact masses; otherwise they are samples that
/// no classifier learned from, without weights.
struct Evaluation {
  Points p;
  std::vector<double> masses_p;  ///< of each point of p; empty: all alike
  Points reference;
  std::vector<double> masses_reference;  ///< of each point of reference; empty: all alike

  [[nodiscard]] bool is_exact() const noexcept { return !masses_p.empty(); }
};

/// The cells of a grid: exact but for their width. Throws InvalidInput if the dimensions differ.
[[nodiscard]] Evaluation evaluation_on_grid(const Measure& p, const Measure& reference,
                                            const Grid& grid);

/// The moments of the last classifier of `after` and what follows from them, `before` being the
/// density without it. Throws InvalidInput as classifier_moments does.
[[nodiscard]] IterationDiagnostics diagnose(const BoostedDensity& before,
                                            const BoostedDensity& after,
                                            const Evaluation& evaluation);

/// Delta = E_P log dQ_T/dQ0 = KL(P, Q0) - KL(P, Q_T) in nats, by which the negative log-likelihood
/// falls from Q0 to Q_T; the standard error is that of the mean and of log Z, on a grid 0. Throws
/// InvalidInput as log_density_ratio does.
[[nodiscard]] Estimate boosting_gain(const BoostedDensity& density, const Evaluation& evaluation);

}  // namespace mollify
