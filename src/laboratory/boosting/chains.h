// Chains and rejection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/band.h"
#include "core/random.h"
#include "domain/candidates.h"
#include "laboratory/measure/measure.h"
#include "scores/boosting.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Rejection sampling from a public reference, decided in integers.

/// Chooses among K proposals that were drawn from a public law Q0, by private scores.
///
/// Definition. With Ebar = ExpBound(epsilon / 2) and public integers
///   lo = max(1, floor(total / Ebar)),  hi = min(total, floor(lo Ebar)),
/// the score of proposal i becomes an integer n_i with lo <= n_i <= hi, whatever the score is, and
/// proposal i is accepted if a uniform integer below hi is below n_i. The first that is accepted is
/// chosen; if none is, K is: one more draw from Q0, which the caller made beforehand and did not
/// score. All K proposals are always decided, so the scores do not settle how many words are drawn.
///
/// Theorem. Let the K + 1 points be independent draws from Q0, made without looking at the private
/// data D, and let the scores be any function whatsoever of D and of all the points. Then for any
/// two D and D' and every set S of points, the chosen *point* x has
///   P(x in S | D) <= (hi/lo)^2 P(x in S | D') <= e^epsilon P(x in S | D').
/// Proof. First let n_i = n(x_i) for a function n of the point alone, a = n/hi and Z = E_{Q0} a.
/// The chosen point has the law Q0(dx) g(x), g = (1 - w) a/Z + w with w = (1 - Z)^K the probability
/// that none is accepted. As a and Z both lie in [lo/hi, 1], a/Z lies in [lo/hi, hi/lo], and so
/// does its mixture with 1: the law is a mixture of a member of the relative mollifier
/// M_{epsilon,Q0} [Husain et al. 2020, eq. 5] with Q0, and a member itself. In general fix the
/// points. To accept x_i in S more often moves probability from what comes after it, of which only
/// a part lies in S, to S; to accept x_i outside S more often moves some away from S. So P(x in S)
/// is greatest if n is hi on S and lo elsewhere, least if it is lo on S and hi elsewhere; both are
/// functions of the point, for which the factor is (hi/lo)^2 at most. Finally hi <= lo Ebar and
/// Ebar <= e^(epsilon/2). QED
///
/// What the caller owes, because the theorem needs it: the points are drawn without the data, and
/// only the chosen point leaves. Its place does not, and neither do the other points: how many
/// proposals were passed over tells what the scores are like.
///
/// Public and immutable.
class Acceptance {
 public:
  static constexpr std::size_t kMostProposals = std::size_t{1} << 24U;
  static constexpr std::uint64_t kGreatestTotal = std::uint64_t{1} << 62U;

  /// `proposals` is K. Smaller totals serve the exhaustive tests; the guarantee holds for every
  /// one. Throws InvalidInput unless epsilon is finite and at least 2e-6 (above 60 it counts as
  /// 60), K is from 1 to 2^24 and the total from 1 to 2^62.
  Acceptance(double epsilon, std::size_t proposals, std::uint64_t total = kGreatestTotal);

  /// The epsilon that is guaranteed: the one asked for, or 60 if that is less.
  [[nodiscard]] double epsilon() const { return epsilon_; }
  /// Ebar, a rational at most e^(epsilon/2), with hi <= lo Ebar.
  [[nodiscard]] const ExpBound& bound() const { return bound_; }
  /// K.
  [[nodiscard]] std::size_t proposals() const { return proposals_; }
  [[nodiscard]] std::uint64_t lower() const { return lower_; }
  [[nodiscard]] std::uint64_t upper() const { return upper_; }

  /// n for a score, the probability of acceptance that is wished: score * hi, clamped to [lo, hi]
  /// in integers. NaN and negative scores give lo. NOT PRIVATE.
  [[nodiscard]] std::uint64_t numerator(double score) const;

  /// The place of the chosen proposal, or K. `scores` has K entries, a public number: any other
  /// throws InvalidInput. Their values never throw. O(K).
  [[nodiscard]] std::size_t draw(std::span<const double> scores, SecureRandom& random) const;
  /// The same for analysis. NOT PRIVATE.
  [[nodiscard]] std::size_t simulate(std::span<const double> scores, SeededRandom& random) const;

 private:
  ExpBound bound_;
  double epsilon_;
  std::size_t proposals_;
  std::uint64_t lower_;
  std::uint64_t upper_;
};

// -----------------------------------------------------------------------------------------------
// How the papers sample a boosted density. NOT PRIVATE.

/// A random walk; the papers' setting is the default [Husain et al. 2020, experiments].
struct MetropolisHastingsSpec {
  /// Proposals made before the walk's place is taken as a sample.
  std::size_t steps = 1000;
  /// The standard deviation of a proposal along each axis.
  double deviation = 1;
  /// Where every walk of simulate_metropolis_hastings begins; empty: at a draw from the reference.
  std::vector<double> start{};
};

/// Writes the logarithm of a density, up to one constant, at points of d coordinates end to end;
/// minus infinity off its support.
using LogDensity = std::function<void(std::span<const double> points, std::span<double> logs)>;

/// Moves points of `dimension` coordinates, end to end, by independent random walks from where they
/// are: each proposes a Gaussian step of the spec and accepts it with probability min(1, target
/// proposed / target present). A point that starts off the support moves on. All walks make a step
/// together, so that the target is asked for all of them at once. Throws InvalidInput unless the
/// deviation is finite and positive. NOT PRIVATE.
void walk_metropolis_hastings(const LogDensity& target, std::size_t dimension,
                              const MetropolisHastingsSpec& spec, SeededRandom& random,
                              std::span<double> points);

/// Fills `points`, a point of d coordinates after the other, with the last places of independent
/// random walks that propose a Gaussian step and accept it with probability
/// min(1, Q_T(proposed) / Q_T(present)).
///
/// **NOT PRIVATE**, whatever epsilon the density was boosted for, and so there is no version that
/// takes SecureRandom: only the walk's stationary law is Q_T. From a fixed start the law after any
/// number of steps breaks the claimed epsilon; from a fresh draw of the reference it would keep it,
/// but only in exact arithmetic (docs/theory/errata.md, 5; both are tests). To release, use
/// RejectionSampler or candidates.
///
/// A step evaluates the classifiers once, on all walks. Throws InvalidInput unless the density, the
/// reference and the start have one dimension, the number of coordinates is a multiple of it, and
/// the deviation is finite and positive.
void simulate_metropolis_hastings(const BoostedDensity& density, const Measure& reference,
                                  const MetropolisHastingsSpec& spec, SeededRandom& random,
                                  std::span<double> points);

// -----------------------------------------------------------------------------------------------
// Boosted densities sampled by rejection from their reference.

/// Draws points whose law is near a boosted density Q_T and epsilon-private whatever that density
/// says: Acceptance decides. Public and immutable, so threads may share one.
///
/// A draw takes K + 1 points from the reference, evaluates the density at K of them, and accepts
/// with probability exp(log_ratio - epsilon/4), clamped to [e^(-epsilon/2), 1] in integers. The law
/// is (1 - w) Q_T + w Q0, w the probability that none of K is accepted, which is at most `failure`.
/// Metropolis-Hastings, which the papers use, keeps no such promise
/// (metropolis_hastings.h).
class RejectionSampler {
 public:
  /// K is the least number with (1 - e^(-epsilon/2))^K <= failure: public information alone. Throws
  /// InvalidInput unless epsilon is finite and at least 2e-6, failure is in (0, 1), and K is at
  /// most 2^20 (about epsilon = 22.6 at failure 1e-6).
  RejectionSampler(std::shared_ptr<const Measure> reference, double epsilon, double failure = 1e-6);

  [[nodiscard]] const Measure& reference() const { return *reference_; }
  /// What is guaranteed of each draw; draws from the same private data add up.
  [[nodiscard]] double epsilon() const { return acceptance_.epsilon(); }
  /// K and the integers that decide.
  [[nodiscard]] const Acceptance& acceptance() const { return acceptance_; }

  /// Releases a point of d coordinates. A density of another epsilon costs accuracy alone. Throws
  /// InvalidInput if its dimension or the point's is not the reference's; never for its values.
  /// O(K) draws and evaluations, always.
  void draw(const BoostedDensity& density, SecureRandom& random, std::span<double> point) const;
  /// The same for analysis. NOT PRIVATE.
  void simulate(const BoostedDensity& density, SeededRandom& random, std::span<double> point) const;

 private:
  std::shared_ptr<const Measure> reference_;
  Acceptance acceptance_;
};

}  // namespace mollify
