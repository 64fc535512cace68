// Rejection sampling from a public reference, decided in integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernel/core/exp_bound.h"
#include "kernel/core/secure_random.h"
#include "space/seeded_random.h"

namespace mollify {

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

}  // namespace mollify
