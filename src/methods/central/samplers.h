// Samplers of a finite table.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "accounting/privacy.h"
#include "base/named.h"
#include "core/band.h"
#include "core/random.h"
#include "kernel/channels.h"
#include "kernel/noise.h"
#include "kernel/order.h"
#include "records/tallies.h"
#include "records/weights.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The central mechanisms on finite domains, by the names that users give them.

/// Which sampler a custodian of a table asks for; docs/theory/central.md says what each one does.
enum class CentralMechanism {
  kSubsampledRr,     ///< chosen records through randomized response, pure [Cheu, Nayak 2024]
  kRevealOrObscure,  ///< the same law under the name of [Tasnim et al. 2025]
  kDsRoo,            ///< uniform with a probability that falls with the least count [ibid.]
  kSubsetRr,         ///< m of n through randomized response, shuffled, approximate
  kShuffledRr,       ///< the same with m = n [Cheu, Nayak 2024, Algorithm 2]
  kPoissonRr,        ///< each record by a coin of its own, then as above
  kHistogram,        ///< draws from a noisy histogram [Raskhodnikova et al. 2021], the baseline
  kProduct,          ///< coordinates of {0, 1}^d one by one [ibid., Ghazi et al. 2023]
};

[[nodiscard]] constexpr auto names_of(CentralMechanism) {
  return std::array{Named{CentralMechanism::kSubsampledRr, "subsampled-rr"},
                    Named{CentralMechanism::kRevealOrObscure, "reveal-or-obscure"},
                    Named{CentralMechanism::kDsRoo, "ds-roo"},
                    Named{CentralMechanism::kSubsetRr, "subset-rr"},
                    Named{CentralMechanism::kShuffledRr, "shuffled-rr"},
                    Named{CentralMechanism::kPoissonRr, "poisson-rr"},
                    Named{CentralMechanism::kHistogram, "histogram"},
                    Named{CentralMechanism::kProduct, "product"}};
}

// -----------------------------------------------------------------------------------------------
// The one shape of every sampler in the central model.

/// A mechanism that turns n private records, outcomes of {0, ..., k - 1}, into released outcomes.
///
/// A sampler is made from public inputs alone (n, k, the number of outputs, the budget) and is
/// immutable, so it may be shared by threads; private data come in through `draw`. Every
/// implementation passes the same conformance test (tests/methods/central/samplers.cpp).
class CentralSampler {
 public:
  CentralSampler(const CentralSampler&) = delete;
  CentralSampler& operator=(const CentralSampler&) = delete;
  virtual ~CentralSampler() = default;

  /// k.
  [[nodiscard]] std::uint64_t outcome_count() const { return outcomes_; }

  /// n, public; with weights an assumed number, which nothing that is drawn depends on.
  [[nodiscard]] std::uint64_t record_count() const { return records_; }

  /// Whether counts are sums of weights: then their total is private, and any number.
  [[nodiscard]] virtual bool has_weights() const { return false; }

  /// m, the number of outcomes a draw releases; none where it is random (its law is then public).
  [[nodiscard]] std::optional<std::uint64_t> output_count() const { return outputs_; }

  /// What all outputs of one draw promise together.
  [[nodiscard]] Privacy guarantee() const { return guarantee_; }

  /// Total variation of one output, rounded up: if the records are independent draws from P, each
  /// output follows one P-hat with TV(P-hat, P) at most this, and the joint law of the m outputs is
  /// within m times this of m independent draws from P (weak and strong multi-sampling [Cheu, Nayak
  /// 2024, Lemma 9]). For every P, unless the class names those it holds for.
  [[nodiscard]] virtual double total_variation_up() const = 0;

  /// Whether the outputs are then also independent, to within a probability that
  /// total_variation_up() counts.
  [[nodiscard]] virtual bool outputs_are_independent() const { return true; }

  /// The released outcomes in an order that reveals nothing, of records given by how often each
  /// outcome occurs: these mechanisms look at nothing else. Total: a record outside {0, ..., k - 1}
  /// counts as 0. Throws InvalidInput unless there are record_count() records, a public number that
  /// the guarantee depends on, or the sampler has weights.
  [[nodiscard]] std::vector<std::uint32_t> draw(const OutcomeHistogram& histogram,
                                                SecureRandom& random) const;
  /// Draws from a list of them.
  [[nodiscard]] std::vector<std::uint32_t> draw(std::span<const std::uint32_t> records,
                                                SecureRandom& random) const {
    return draw(counts_of(records), random);
  }

 protected:
  CentralSampler(std::uint64_t outcomes, std::uint64_t records,
                 std::optional<std::uint64_t> outputs, const Privacy& guarantee)
      : outcomes_(outcomes), records_(records), outputs_(outputs), guarantee_(guarantee) {}

 private:
  /// Requires record_count() records, all of them in {0, ..., k - 1}.
  [[nodiscard]] virtual std::vector<std::uint32_t> draw_of(const OutcomeHistogram& histogram,
                                                           SecureRandom& random) const = 0;
  std::uint64_t outcomes_;
  std::uint64_t records_;
  std::optional<std::uint64_t> outputs_;
  Privacy guarantee_;
};

// -----------------------------------------------------------------------------------------------
// m of n records, each through randomized response, in a random order.

/// The sampler behind four names. m of the n records are chosen without replacement, each goes
/// through k-ary randomized response, and the reports leave in a uniformly random order.
///
/// Theorem (outputs). If the records are independent draws from P, the m outputs are independent
/// draws from P-hat = ((E0 - 1) P + k uniform) / Z, Z = E0 + k - 1, and TV(P-hat, P) is at most
/// (k - 1) / Z, which a point mass attains. Proof: the choice and the order do not look at the
/// values, so the chosen records are m independent draws from P; 1 - P-hat(x) = (k - 1) / Z for the
/// point mass at x, and total variation is convex in P. QED
///
/// Theorem (privacy), by how E0 was chosen:
/// - subsampled-rr, reveal-or-obscure: E0 = 1 + (n / m)(E - 1); epsilon-DP (RandomizedResponse).
///   With m = 1 this is [Cheu, Nayak 2024, Theorem 11] with the tight odds; "uniform with
///   probability k / (k + n (E - 1)), else a random record" [Tasnim et al. 2025] is the same law.
///   With m > 1 it has the law of m runs on random disjoint parts of n / m records each [ibid.,
///   Lemma 8], which each take one record, except that n / m do not have to be an integer.
/// - subset-rr, shuffled-rr (m = n): E0 from the blanket bound of shuffled responses amplified by
///   the choice (accounting/shuffling.h); (epsilon, delta)-DP.
/// So the four differ in their accounting alone.
///
/// O(log d) for each output, of d distinct outcomes; 8 bytes each.
class SubsetSampler final : public CentralSampler {
 public:
  /// 1 <= chosen <= records. The caller owes that `response` keeps the guarantee
  /// (methods/central/design.h does). Throws InvalidInput if chosen is out of range.
  SubsetSampler(const RandomizedResponse& response, std::uint64_t records, std::uint64_t chosen,
                const Privacy& guarantee);

  [[nodiscard]] const RandomizedResponse& response() const { return response_; }

  [[nodiscard]] double total_variation_up() const override;

 private:
  [[nodiscard]] std::vector<std::uint32_t> draw_of(const OutcomeHistogram& histogram,
                                                   SecureRandom& random) const override;
  RandomizedResponse response_;
};

/// (k - 1) / Z of a randomized response, rounded up: how far its reports' law is at most from the
/// values'.
[[nodiscard]] double total_variation_up(const RandomizedResponse& response);

// -----------------------------------------------------------------------------------------------
// A random part of the records, each through randomized response, in a random order.

/// Each record is kept by a coin of its own with probability s, each kept one goes through k-ary
/// randomized response, and the reports leave in a uniformly random order: all of them, or exactly
/// m.
///
/// Privacy is for all the reports, from the blanket bound with rate s (accounting/shuffling.h).
/// Exactly m are made of them without the data: of more than m, the first m of the random order; in
/// place of those that are missing, uniform outcomes.
///
/// Outputs. For records drawn from P the reports are independent draws from the P-hat of
/// SubsetSampler, and their number M ~ Bin(n, s) depends on nothing else. Exactly m outputs are m
/// such draws unless M < m; the probability of that is bounded and added to the total variation.
///
/// O(log(1 / s)) for each report, and O(d) for d distinct outcomes.
class PoissonSampler final : public CentralSampler {
 public:
  /// Exactly `outputs`, or all reports: a random number of them. Throws InvalidInput for 0 outputs.
  PoissonSampler(const RandomizedResponse& response, const PoissonSubsample& subsample,
                 std::uint64_t records, std::optional<std::uint64_t> outputs,
                 const Privacy& guarantee);

  [[nodiscard]] const RandomizedResponse& response() const { return response_; }
  [[nodiscard]] double rate() const { return subsample_.rate(); }

  [[nodiscard]] double total_variation_up() const override;

 private:
  [[nodiscard]] std::vector<std::uint32_t> draw_of(const OutcomeHistogram& histogram,
                                                   SecureRandom& random) const override;
  RandomizedResponse response_;
  PoissonSubsample subsample_;
};

/// P(Bin(n, s) < m), rounded up, by Bernstein's inequality: with x = n s - (m - 1) > 0 at most
/// exp(-x^2 / (2 (n s (1 - s) + s x / 3))), as no term lies further than s below its mean; else 1.
/// n up to 2^40.
[[nodiscard]] double binomial_below_up(std::uint64_t trials, double rate, std::uint64_t count);

/// The least rate, except for rounding up, at which binomial_below_up(records, rate, outputs) is at
/// most `failure`, in (0, 1); none if the rate must be 1.
[[nodiscard]] std::optional<double> poisson_rate_for(std::uint64_t records, std::uint64_t outputs,
                                                     double failure);

// -----------------------------------------------------------------------------------------------
// Samples of product distributions on {0, 1}^d, coordinate by coordinate, with pure privacy.

/// Outcomes 0 to 2^d - 1 represent bit vectors, bit j for coordinate j; d <= 24, as for all
/// outcomes.
///
/// Definition. For each coordinate by itself m of the n records are chosen without replacement and
/// put in a random order, and their bits go through binary randomized response with odds
/// 1 + (n / m)(e^(epsilon / d) - 1). Output i has the i-th bit of every coordinate.
///
/// Theorem. epsilon-DP: each coordinate is epsilon / d-DP (RandomizedResponse), they are drawn
/// independently of each other, and privacy adds up. [Raskhodnikova et al. 2021; the odds are ours]
///
/// Theorem. If the records are independent draws from a product distribution P on {0, 1}^d, then
/// the m outputs are independent draws from a product distribution at total variation at most
///
///     d / (2 + (n / m)(e^(epsilon / d) - 1))
///
/// from P. Proof: the m d bits come from different bits of the
/// records, all independent; a flipped bit is at most that far from its law (SubsetSampler, k = 2),
/// and total variation of products is at most the sum. QED
///
/// Against k = 2^d outcomes through one randomized response, this needs about d^2 / (alpha epsilon)
/// records rather than 2^d / (alpha epsilon). Where P is not a product the outputs follow the
/// product of its marginals, and total_variation_up says nothing.
///
/// For a draw, O(d) for each distinct outcome and each output.
class ProductSampler final : public CentralSampler {
 public:
  /// d from 1 to 24, 1 <= m <= n <= 2^40, and epsilon / d as for ExpBound; throws InvalidInput
  /// otherwise.
  ProductSampler(unsigned coordinates, std::uint64_t records, std::uint64_t outputs,
                 double epsilon);

  [[nodiscard]] const RandomizedResponse& response() const { return response_; }
  [[nodiscard]] unsigned coordinates() const { return coordinates_; }

  /// For product distributions P.
  [[nodiscard]] double total_variation_up() const override;

 private:
  [[nodiscard]] std::vector<std::uint32_t> draw_of(const OutcomeHistogram& histogram,
                                                   SecureRandom& random) const override;
  RandomizedResponse response_;
  unsigned coordinates_;
};

/// The number of records whose outcome has this bit.
[[nodiscard]] std::uint64_t ones_of(const OutcomeHistogram& histogram, unsigned coordinate);

// -----------------------------------------------------------------------------------------------
// Many outputs from any sampler of one.

/// m runs of a single-sampler on random disjoint parts of the records [Cheu, Nayak 2024, Lemma 8].
///
/// With n' the single-sampler's number of records, m n' of the n records are chosen and put in a
/// uniformly random order, and run i reads the i-th n' of them; the others are not used. The parts
/// are random rather than the file's own order because files are sorted: in the order of the file
/// the first output would describe the first rows only, and each output of other people. With
/// random parts all outputs have the same law whatever the order of the records is.
///
/// Theorem. The outputs together promise what one run does. Proof: the choice and the order do not
/// look at the values. Given them, a replaced record lies in one part or none, the other runs see
/// the same, and the runs are independent; average over choices and orders. QED
///
/// Theorem. For records drawn from P the outputs are independent draws from the single-sampler's
/// P-hat: weak multi-sampling at its total variation, and strong at m times it [Lemma 9]; so a
/// single-sampler that needs n'(alpha) records gives strong (m, alpha) from m n'(alpha / m)
/// [Corollary 10].
///
/// O(m n' log d), of d distinct outcomes.
class DisjointRuns final : public CentralSampler {
 public:
  /// `single` has one output; runs >= 1 and runs n' <= n. Throws InvalidInput otherwise.
  DisjointRuns(std::unique_ptr<const CentralSampler> single, std::uint64_t records,
               std::uint64_t runs);

  [[nodiscard]] const CentralSampler& single() const { return *single_; }

  [[nodiscard]] double total_variation_up() const override { return single_->total_variation_up(); }

 private:
  [[nodiscard]] std::vector<std::uint32_t> draw_of(const OutcomeHistogram& histogram,
                                                   SecureRandom& random) const override;
  std::unique_ptr<const CentralSampler> single_;
};

/// Total variation of m independent outputs together, if each is within `weak`: m weak, rounded up,
/// at most 1 [Cheu, Nayak 2024, Lemma 9]. Throws InvalidInput unless 0 <= weak.
[[nodiscard]] double strong_total_variation_up(double weak, std::uint64_t outputs);

// -----------------------------------------------------------------------------------------------
// Data-specific reveal-or-obscure: obscure less where every outcome has been seen often.

/// One output: with probability q a uniform outcome, else a uniformly chosen record, where q
/// depends on the data through the least of the k counts alone [Tasnim et al. 2025].
///
/// Definition. q_j = Q_j / D for integers 0 <= Q_j <= D = 2^62. With least count j an outcome that
/// was seen c times has probability h_j(c) = (1 - q_j) c / n + q_j / k. Q_0 is the least integer,
/// and Q_(j+1) the least after Q_j, for which
///   h_j(j + 1) <= Ebar h_j(j)                                          one least count, j;
///   h_j(j) and h_(j+1)(j + 1),
///   h_j(c) and h_(j+1)(c - 1) for j + 2 <= c <= r,
///   h_j(c) and h_(j+1)(c)     for j + 1 <= c <= r                      least counts j, j + 1
/// are within a factor of Ebar of each other, both ways; r = n - j - (k - 2)(j + 1) is the greatest
/// count that can stand beside the others when a replaced record raises the least count.
///
/// Theorem. epsilon-DP [ours; proof: docs/theory/central.md. The published form compares only equal
/// least counts, and is not epsilon-DP: n = 20, k = 3, epsilon = .3 attains .42].
///
/// In c each inequality is linear, so the ends of its range decide, and two of the ends follow from
/// the others (step_holds): a step is seven comparisons of 192-bit integers. In Q_(j+1) each is
/// linear too and holds at Q_j, so a guess and bisection find the least. q_(j+1) = q_j always
/// satisfies them, so the sequence falls, to 0 after about 1 / (E - 1) steps or ends with j = n / k;
/// after 2^16 steps, which epsilons below 2e-5 alone have, it stays. It is public, made once.
///
/// Outputs: for records drawn from P the law is E[(1 - q) D / n + q u], q <= q_0, so
/// TV <= q_0 (1 - 1/k) = (k - 1) / (k + n (E - 1)), attained by a point mass: in the worst case no
/// better than RandomizedResponse of one chosen record.
///
/// If P's least mass is p, with g_j = q_j (1/k - j/n) and X binomial of n and p,
///   TV <= (k - 1) sum_j (g_j - g_(j+1)) min(1, k P(X <= j)),
/// which falls exponentially in n, as the second version of [Tasnim et al. 2025] has it, because
/// g_j is 0 from about 1 / (E - 1) on, for epsilon from 2e-5 on [ours]. Proof: with least count M,
/// TV is the greatest over sets A of E[q_M (|A|/k - c_A/n)]. The bracket is 0 for all outcomes; A
/// of fewer has c_A >= |A| M, so it is at most (k - 1)(1/k - M/n), and g falls. Some count is at
/// most j with probability k P(X <= j) at most.
///
/// Construction takes less than a microsecond a step, a draw O(1) for each distinct outcome.
class DsRoo final : public CentralSampler {
 public:
  /// D.
  static constexpr std::uint64_t kTotal = std::uint64_t{1} << 62;
  /// The most steps that the sequence takes, in less than a tenth of a second.
  static constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 16;

  /// k from 1 to 2^24, n from 1 to 2^40, epsilon as for ExpBound; throws InvalidInput otherwise.
  DsRoo(std::uint64_t outcomes, std::uint64_t records, double epsilon);

  /// Q_j, for the least count j <= n / k.
  [[nodiscard]] std::uint64_t obscured(std::uint64_t least) const {
    return least < obscured_.size() ? obscured_[least] : obscured_.back();
  }

  /// Numerator over D n k of h_j(c), for the analysis of laws.
  [[nodiscard]] uint128 numerator(std::uint64_t least, std::uint64_t count) const {
    return numerator_for(obscured(least), count);
  }

  /// Whether all inequalities hold, at every step, in integers.
  [[nodiscard]] bool satisfies(const ExpBound& bound) const;

  [[nodiscard]] double total_variation_up() const override;

 private:
  [[nodiscard]] std::vector<std::uint32_t> draw_of(const OutcomeHistogram& histogram,
                                                   SecureRandom& random) const override;
  [[nodiscard]] uint128 numerator_for(std::uint64_t obscured, uint128 count) const {
    return (kTotal - obscured) * count * outcome_count() + uint128{obscured} * record_count();
  }
  [[nodiscard]] bool same_least_holds(std::uint64_t least, std::uint64_t obscured,
                                      const ExpBound& bound) const;
  /// A count at least count j, or at j + 1.
  struct Cell {
    bool is_after;
    uint128 count;
  };
  /// Whether `holds(larger, smaller)` for all pairs of the step from j on whose h must be within
  /// Ebar.
  template <class Holds>
  [[nodiscard]] bool all_of_step(std::uint64_t least, const Holds& holds) const;
  [[nodiscard]] bool step_holds(std::uint64_t least, std::uint64_t before, std::uint64_t after,
                                const ExpBound& bound) const;
  /// About the least Q_(j+1), by the same inequalities without rounding: a guess to begin with.
  [[nodiscard]] std::uint64_t about_least_after(std::uint64_t least, std::uint64_t before) const;
  [[nodiscard]] std::uint64_t least_count(const OutcomeHistogram& histogram) const;

  ExpBound bound_;
  std::vector<std::uint64_t> obscured_;  // Q_0, Q_1, ... up to the last that differs
};

// -----------------------------------------------------------------------------------------------
// Draws from a noisy histogram: the baseline.

/// Each of the k counts gets discrete Laplace noise of scale t >= 2 / epsilon and is clipped to
/// [0, n]; the m outputs are drawn from the clipped counts, normalised, or from the uniform law if
/// all are 0 [Raskhodnikova et al. 2021].
///
/// Theorem. epsilon-DP for any m, and for records drawn from P each output is at total variation at
/// most k t / n from P, all m together at most m times
///
///     k t / n + min( (m - 1) / (2 n), sqrt((k - 1) / n) / 2 ).
///
/// Proof: docs/theory/central.md [ours; the source states the order].
///
/// The outputs are independent given the noisy counts, and not otherwise: they share its errors. So
/// this is neither a weak nor a strong multi-sampler but what [Cheu, Nayak 2024, Section 1.2] call
/// qualitatively weak and ask for: a joint law near to that of m draws from P, whatever depends on
/// what.
/// m may exceed n. O(k) time and memory and O(log k) for each output.
///
/// With weights. A row, or a unit, adds integers of at least 0 that sum to W at most, the greatest
/// weight; t >= 2 W / epsilon; counts are clipped to [0, 2^62 / k], because no total is public.
///
/// Theorem. epsilon-DP for any m and any weights: a replaced row moves the counts by v - v', by 2 W
/// in the sum of sizes. Each output is at total variation k t / S at most from the table's shares of
/// weight, S the total weight, unless a count is above 2^62 / k. Proof as without weights. QED
///
/// S is private, so total_variation_up() is for S = n W, n an assumed number of the caller's.
class HistogramSampler final : public CentralSampler {
 public:
  /// k from 1 to 2^24, n from 1 to 2^40, m at least 1, epsilon at least 1e-6 and finite, W from 1
  /// to WeightColumn::kMostSteps, if there are weights; throws InvalidInput otherwise.
  HistogramSampler(std::uint64_t outcomes, std::uint64_t records, std::uint64_t outputs,
                   double epsilon, std::optional<std::uint64_t> greatest_weight = std::nullopt);

  [[nodiscard]] const DiscreteLaplace& noise() const { return noise_; }
  [[nodiscard]] bool has_weights() const override { return greatest_weight_.has_value(); }

  [[nodiscard]] double total_variation_up() const override;
  [[nodiscard]] bool outputs_are_independent() const override { return output_count() == 1; }

 private:
  [[nodiscard]] std::vector<std::uint32_t> draw_of(const OutcomeHistogram& histogram,
                                                   SecureRandom& random) const override;
  [[nodiscard]] std::uint64_t greatest_count() const;

  std::optional<std::uint64_t> greatest_weight_;
  DiscreteLaplace noise_;
};

// -----------------------------------------------------------------------------------------------
// A histogram over a domain of any size that tells nothing of rare outcomes.

/// An outcome and how often it occurs, about.
struct NoisyCount {
  std::uint32_t outcome;
  int128 count;
};

/// Noise and threshold (Korolova et al. 2009; Bun et al. 2016; [Cheu, Nayak 2024, Appendix B])
/// with exact discrete noise.
///
/// Definition. Each outcome that occurs c >= 1 times is released with c + Z, Z discrete Laplace of
/// scale t >= 2/epsilon, if that is at least the threshold T, and not at all otherwise. Outcomes
/// that do not occur are never released: the domain may be as large as it likes.
///
/// Theorem. Let a = e^(-1/t) and p = P(1 + Z >= T) = a^(T - 1) / (1 + a), and let T >= 2 be such
/// that p <= delta and a^(T - 1) <= 1 - a^2. Then the histogram is (2/t, p)-DP, so (epsilon,
/// delta)-DP, for replacing a record: p is charged once, though two outcomes change. Proof:
/// docs/theory/central.md.
/// tests/methods/central/samplers.cpp computes the least delta exactly.
///
/// Utility. An outcome with c >= T + t ln(1/beta) is missed with probability at most beta.
///
/// Public and immutable.
class StableHistogram {
 public:
  /// epsilon from 1e-6 to 100 and delta from 1e-300 to 1/2; InvalidInput otherwise.
  StableHistogram(double epsilon, double delta);
  /// With another T: InvalidInput too unless the theorem allows it.
  StableHistogram(double epsilon, double delta, std::int64_t threshold);

  [[nodiscard]] Privacy guarantee() const { return Privacy::approximate(epsilon_, delta_); }
  /// t, a double exactly.
  [[nodiscard]] double scale() const { return scale_; }
  /// T: the least that the theorem allows, except for rounding upwards, by enough that every
  /// machine finds it allowed.
  [[nodiscard]] std::int64_t threshold() const { return threshold_; }

  /// The released outcomes, ascending. O(1) for each distinct outcome.
  [[nodiscard]] std::vector<NoisyCount> draw(const OutcomeHistogram& histogram,
                                             SecureRandom& random) const;

 private:
  double epsilon_;
  double delta_;
  double scale_;
  std::int64_t threshold_;
  DiscreteLaplace noise_;
};

// -----------------------------------------------------------------------------------------------
// One sample of a product distribution on {0, 1}^d under concentrated privacy.

/// Output bit j is 1 with probability clip(c_j, T, n - T) / n, where c_j counts the records with
/// bit j: an integer below n decides, so the law is exact. Outcomes are bit vectors as for
/// ProductSampler.
///
/// Theorem (proof: docs/theory/central.md). rho-zCDP with
///
///     rho = (d / 8) eta^2,   eta = ln[(T + 1)(n - T) / (T (n - T - 1))].
///
/// If the records are independent draws from a product distribution whose d means lie in [1/3,
/// 2/3], the output follows a product distribution at total variation at most
///
///     d t exp(-2 n (1/3 - t)^2),   t = T / n < 1/3.
///
/// For other means total_variation_up says nothing.
///
/// For a draw, O(d) for each distinct outcome.
class ClippedMeans final : public CentralSampler {
 public:
  /// d from 1 to 24, n from 4 to 2^40, T = clip from 1 to less than n / 3; throws InvalidInput
  /// otherwise.
  ClippedMeans(unsigned coordinates, std::uint64_t records, std::uint64_t clip);

  /// The least clip T for which the theorem gives at most rho; none if there is none below n / 3.
  [[nodiscard]] static std::optional<std::uint64_t> least_clip(unsigned coordinates,
                                                               std::uint64_t records, double rho);

  [[nodiscard]] std::uint64_t clip() const { return clip_; }
  [[nodiscard]] unsigned coordinates() const { return coordinates_; }

  /// For product distributions with means in [1/3, 2/3].
  [[nodiscard]] double total_variation_up() const override;

 private:
  [[nodiscard]] std::vector<std::uint32_t> draw_of(const OutcomeHistogram& histogram,
                                                   SecureRandom& random) const override;
  unsigned coordinates_;
  std::uint64_t clip_;
};

}  // namespace mollify
