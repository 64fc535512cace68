// The population from released records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/answer.h"
#include "base/named.h"
#include "core/band.h"
#include "domain/domain.h"
#include "kernel/channels.h"
#include "methods/local/sampler.h"
#include "records/tallies.h"
#include "release/certificate.h"
#include "release/spec.h"

namespace mollify {

struct RecordLaw;

// -----------------------------------------------------------------------------------------------
// Intervals for the mean of independent draws, at a coverage that holds for every number of draws.

/// A closed interval.
struct ConfidenceInterval {
  double lower = 0;
  double upper = 1;
};

/// For q, the mean of the success probabilities of `trials` independent trials of which `successes`
/// succeeded. alpha in (0, 1/2] bounds the probability that q lies outside; half of it on each
/// side. Requires 1 <= trials and successes <= trials.
///
/// It is Clopper and Pearson's interval, exact for equal probabilities [Clopper, Pearson 1934],
/// moved out to (successes - 1) / trials and (successes + 1) / trials where it is narrower, which
/// is next to never. Then it holds for trials of any probabilities with mean q.
///
/// Proof. The lower end L(s) rises in s and is above q only from some s* on; it is at most
/// (s* - 1) / trials, so s* >= trials q + 1, and there no trials with mean q reach s* more often
/// than equal ones do [Hoeffding 1956, Theorem 4], which they do with probability at most alpha
/// / 2. The upper end is the lower one of the failures. QED
///
/// At most `bad` of the trials may have been replaced by anything, after all others were seen: the
/// interval holds without. The true count lies from successes - bad to successes + bad, and the ends
/// are of these two counts.
[[nodiscard]] ConfidenceInterval binomial_interval(std::uint64_t successes, std::uint64_t trials,
                                                   double alpha, std::uint64_t bad = 0);

/// Independent draws of a bounded variable, counted.
struct BoundedDraws {
  std::uint64_t count = 0;  ///< how many
  double mean = 0;          ///< of them
  double square_mean = 0;   ///< of the squares
  double least = 0;         ///< what no draw can be below
  double greatest = 0;      ///< or above

  /// The sample variance with divisor count - 1; 0 of a single draw.
  [[nodiscard]] double variance() const noexcept;
};

/// For the mean of the draws' expectations; alpha as above. Empirical Bernstein: mean plus or minus
/// sqrt(2 V ln(4 / alpha) / n) + 7 (greatest - least) ln(4 / alpha) / (3 (n - 1)), V the sample
/// variance [Maurer, Pontil 2009, Theorem 11], which holds for draws of different laws too. About a
/// quarter wider than a Gaussian interval where n is large; that one promises nothing.
///
/// At most `bad` draws may have been replaced by anything in the range. Each moves the mean by at
/// most R / n, R = greatest - least. The root of V is a norm of the draws about their mean, divided
/// by the root of n - 1, so that all together move it by at most R sqrt(bad / (n - 1)).
[[nodiscard]] ConfidenceInterval bernstein_interval(const BoundedDraws& draws, double alpha,
                                                    std::uint64_t bad = 0);

// -----------------------------------------------------------------------------------------------
// Bounds on the units' distributions from the records of a band.

/// An event's bounds follow from sums over its outcomes, as shares of N.
struct EventEdges {
  double lower = 0;      ///< of lo
  double upper = 0;      ///< of hi
  double least_gap = 1;  ///< the least hi_i - lo_i of its outcomes, 1 without any

  /// One more outcome of the event.
  void add(const Band& band, std::size_t outcome);
};

/// Bounds on the mean of the units' probabilities of an event, from the mean of the probabilities
/// that their records show it. `inside` are the event's edges, `outside` its complement's, E the
/// greatest hi_i / lo_i.
///
/// A unit's law clip(P / r, lo, hi) does not determine its P: all P at or beyond an edge have the
/// same law. So the mean of the laws does not determine the mean of the P, whatever the number of
/// units, and no estimate is consistent.
///
/// Theorem. Let x = q(A) for an event A with complement B. Then x >= x0 = max(lo(A), 1 - hi(B)),
/// and the mean over units of P(A) is at most
///   f + (1 - f) (x - x0) / (x1 - x0)  for a mean x below x1, and 1 from there on, where
///   x1 = min(1 - lo(B), hi(A), max(x0, lo(A) + min_A (hi - lo))),
///   f = min(1, x0 / (1 - lo(B) + max(0, 1 - x0 - lo(B)) / (E - 1))).
/// The lower bound is one minus the upper bound of B at 1 - x. For one outcome of a uniform band
/// both are attained: with z = (x - lo) / (hi - lo) they are 1 / (E + 1) + z E / (E + 1) and, on
/// the minimax band, hi z. Proof: docs/theory/estimation.md. [ours]
///
/// `law` are bounds on the mean of the laws; the result holds for all in between. Rounded outward
/// by 1e-9.
[[nodiscard]] ConfidenceInterval band_bounds(const ConfidenceInterval& law,
                                             const EventEdges& inside, const EventEdges& outside,
                                             double e);

/// E of the band: the greatest hi_i / lo_i.
[[nodiscard]] double greatest_edge_ratio(const Band& band);

// -----------------------------------------------------------------------------------------------
// What a linear mechanism makes of a distribution, and the way back.

/// A public matrix K over k outcomes as doubles: anyone who has the distribution P releases a draw
/// from P K. The mean of the laws of many units is then the mean of their distributions times K,
/// and that can be undone; no nonlinear mechanism has this.
///
/// Two shapes. The mixtures a I + 1 r (randomized response, mixture, Gaussian curve: r_j = L / Z or
/// (1 - a) h_j) change each event's probability affinely, so that an event's frequency alone
/// determines its probability. The staircase (public kernel) is solved by one pass over the
/// outcomes in the order of ascending reference; with c, d, v and g as in StaircaseChannel and A =
/// sum of P before i,
///   P_i = (q_i - c_i (1 - A_i) - g_i sum_{j < i} v_j P_j) / (d_i - c_i),   the last one 1 - A. The
///   integers' remainder for the last outcome, some 2^-40, is not distinguished from it.
class LinearLaw {
 public:
  /// None where the sampler is not linear. Throws InvalidInput, in one sentence, for one that keeps
  /// too little for doubles to show P.
  [[nodiscard]] static std::optional<LinearLaw> of(const LocalSampler& sampler);
  explicit LinearLaw(const RandomizedResponse& response);

  [[nodiscard]] std::size_t outcome_count() const noexcept { return replaced_.size(); }

  /// Whether K is a I + 1 r.
  [[nodiscard]] bool is_mixture() const noexcept { return steps_.empty(); }
  /// a, positive, and r_j. Require is_mixture().
  [[nodiscard]] double kept() const noexcept { return kept_; }
  [[nodiscard]] double replaced(std::size_t j) const noexcept { return replaced_[j]; }

  /// P K for k masses. O(k), like all below.
  [[nodiscard]] std::vector<double> released(std::span<const double> p) const;
  /// K u: for each value, the expectation of u at what it is reported as.
  [[nodiscard]] std::vector<double> expected(std::span<const double> u) const;
  /// The P, of masses of any sign that sum to one, with P K = q. Requires q to sum to one.
  [[nodiscard]] std::vector<double> unbiased(std::span<const double> q) const;
  /// w with sum v P = sum w q whenever q = P K: a report's weight in the estimate of sum v P.
  [[nodiscard]] std::vector<double> report_weights(std::span<const double> v) const;

  /// From now on outcome j is outcomes[j], a permutation.
  void rename(std::span<const std::uint32_t> outcomes);

  friend bool operator==(const LinearLaw&, const LinearLaw&) = default;

 private:
  LinearLaw() = default;

  /// One outcome of a staircase, in the order of ranks.
  struct Step {
    std::size_t outcome;
    double stop;    // c
    double stay;    // d
    double move;    // v
    double weight;  // g

    friend bool operator==(const Step&, const Step&) = default;
  };

  /// Throws InvalidInput for a matrix without an inverse in doubles.
  void settle();

  double kept_ = 0;
  std::vector<double> replaced_;  // r of a mixture; of a staircase unused zeros
  std::vector<Step> steps_;
};

// -----------------------------------------------------------------------------------------------
// How the records of a release come from the population, as its certificate tells.

/// A release as the collector knows it before the records: public, and from the certificate alone.
///
/// The population is what the released records were drawn from: in the local model the mean of the
/// distributions of the units that took part (a unit without records counts as one distributed as
/// the reference), otherwise the distribution of the table's rows. Given these, the records are
/// independent draws, or choices without replacement that are as good (docs/theory/estimation.md).
class ReleasedLaw {
 public:
  /// Checks the certificate first, as `verify` does. Throws InvalidInput, in one sentence, for one
  /// that does not hold, and for a release that has nothing to estimate: Gaussian samples,
  /// candidates, a support that was found privately, and mechanisms that promise no independent
  /// records.
  ReleasedLaw(const StatedCertificate& stated, const std::string& name, const Domain& domain);

  /// The domain that the released records are of: on a grid the one cut anew.
  [[nodiscard]] const Domain& domain() const noexcept { return domain_; }
  [[nodiscard]] const std::string& mechanism() const noexcept { return mechanism_; }
  /// The matrix, if the mechanism is linear.
  [[nodiscard]] const std::optional<LinearLaw>& linear() const noexcept { return linear_; }
  /// The band, if it is one.
  [[nodiscard]] const Band* band() const noexcept { return sampler_ ? sampler_->band() : nullptr; }
  /// Without either: how far a record's law is from the population's in total variation, at most.
  [[nodiscard]] double total_variation_up() const noexcept { return total_variation_up_; }
  /// With what probability the records are not what is said here.
  [[nodiscard]] double failure_up() const noexcept { return failure_up_; }
  /// epsilon of each draw, or of each report before it was shuffled; none for a budget in mu.
  [[nodiscard]] std::optional<double> epsilon() const noexcept { return epsilon_; }
  /// Whether a band's records are projections of estimated densities, and not of the rows.
  [[nodiscard]] bool is_smoothed() const noexcept { return smoothed_; }
  /// Whether the population is the rows' weights, and not their number.
  [[nodiscard]] bool has_weights() const noexcept { return has_weights_; }

  /// Throws InvalidInput, naming `name`, unless a release of this certificate can have had this
  /// many records.
  void require_count(std::uint64_t records, const std::string& name) const;

 private:
  void take_local(const Certificate& certificate, std::shared_ptr<const LocalSampler> sampler);
  void take(const RecordLaw& law);

  Domain domain_;
  std::string mechanism_;
  std::optional<LinearLaw> linear_;
  std::shared_ptr<const LocalSampler> sampler_;
  double total_variation_up_ = 0;
  double failure_up_ = 0;
  std::optional<double> epsilon_;
  bool smoothed_ = false;
  bool has_weights_ = false;
  std::uint64_t multiple_ = 1;            // number of records
  std::optional<std::uint64_t> exactly_;  // or in all
};

// -----------------------------------------------------------------------------------------------
// Estimates that are distributions: no mass below zero.

/// The distribution nearest to the masses in Euclidean distance, by sorting [Michelot 1986]. If the
/// masses sum to one, no cell moves away from any distribution's by it in that distance.
/// O(k log k).
[[nodiscard]] std::vector<double> projected_on_simplex(std::vector<double> masses);

/// A distribution, and how far its log-likelihood is from the greatest at most.
struct LikelihoodFit {
  std::vector<double> p;
  double gap_up = 0;  ///< in nats, of all draws together
};

/// The distribution under which the law's draws had most likely had these shares: the greatest sum
/// of shares_j ln (P K)_j, times `draws`.
///
/// Of a mixture it is exact: q_j = max(r_j, shares_j / t) with t such that q sums to one. Of a
/// staircase it is found by expectation maximisation, which never loses likelihood, until the gap
/// draws (max_x (K u)_x - 1), u_j = shares_j / q_j, is below 1e-6, or after 100 000 steps; that gap
/// bounds the distance from the maximum because the logarithm is concave.
[[nodiscard]] LikelihoodFit maximum_likelihood(const LinearLaw& law, std::span<const double> shares,
                                               double draws);

// -----------------------------------------------------------------------------------------------
// From released records and their certificate to the distribution of the population.

/// How masses below zero, which unbiased estimates have, are dealt with.
enum class EstimateMethod {
  kUnbiased,           ///< they stay: sums and means of the estimates stay unbiased
  kSimplex,            ///< the nearest distribution (projected_on_simplex)
  kMaximumLikelihood,  ///< the likeliest distribution (maximum_likelihood)
};

constexpr auto names_of(EstimateMethod) {
  return std::array{Named{EstimateMethod::kUnbiased, "unbiased"},
                    Named{EstimateMethod::kSimplex, "simplex"},
                    Named{EstimateMethod::kMaximumLikelihood, "maximum-likelihood"}};
}

/// How the populations of several releases count in an estimate of all together.
enum class Weighting {
  kPrecision,  ///< by the releases' public variances: the narrowest intervals for one population
  kReports,    ///< by their numbers of records: each record alike
};

constexpr auto names_of(Weighting) {
  return std::array{Named{Weighting::kPrecision, "precision"},
                    Named{Weighting::kReports, "reports"}};
}

struct EstimateRequest {
  /// All intervals hold together with at least this probability: above 1/2, below 1.
  double confidence = 0.95;
  EstimateMethod method = EstimateMethod::kUnbiased;
  bool pairs = false;  ///< two-way tables of all pairs of columns too
  /// Column with how many records a row counts as; without one, each row is one record.
  std::optional<std::string> counts_column{};
  /// At most how many of the records may be anything, whoever chose them: the intervals hold for
  /// what the population had reported without.
  std::uint64_t bad_reports = 0;
  Weighting weighting = Weighting::kPrecision;
};

/// The parts of such a question, and the question of a JSON object of them; sentences as
/// PartReader's.
[[nodiscard]] std::span<const Part> estimate_parts();
[[nodiscard]] EstimateRequest estimate_request_of(const Json& json, const std::string& name);

/// The probability of an event, or a column's mean.
struct EstimatedValue {
  std::string name;  ///< the event's values: "f, 20..39"
  /// None where the mechanism does not determine it. The standard error is the unbiased
  /// estimate's.
  std::optional<double> value{}, standard_error{};
  ConfidenceInterval interval{};  ///< inside what is possible
};

/// The joint distribution of some columns.
struct EstimatedTable {
  std::vector<std::string> columns;
  std::vector<EstimatedValue> cells;  ///< of every combination, the last column the fastest
};

/// The mean of a numeric column, nulls left out. The estimate counts a value as the middle of its
/// cell. The interval is for the values themselves, wherever in their cells they are; one beyond a
/// bound of the domain counts as the domain maps it.
struct EstimatedMean {
  EstimatedValue mean;   ///< its name is the column's
  double half_cell = 0;  ///< how far a value is from its cell's middle, at most
};

/// One of the releases that were estimated from.
struct ReleaseShare {
  std::string name;  ///< of its records
  std::string mechanism;
  std::uint64_t records = 0;
  std::optional<double> epsilon{};  ///< of each record, as of ReleasedLaw
  double weight = 1;                ///< of its population in the estimate
};

struct PopulationEstimate {
  std::string mechanism;
  bool is_linear = false;
  std::uint64_t records = 0;
  std::vector<ReleaseShare> releases{};
  /// How far all bad reports together can move a share's estimate at most; none without a linear
  /// mechanism.
  std::optional<double> moved_up{};
  EstimateRequest request{};
  std::uint64_t intervals = 0;              ///< how many hold together
  EstimatedTable outcomes{};                ///< of all columns
  std::vector<EstimatedTable> marginals{};  ///< none of a single column: those are the outcomes
  std::vector<EstimatedMean> means{};
  std::vector<EstimatedTable> pairs{};
  /// Standard error of a frequency next to 0 here, and the best frequency oracle's at the same
  /// epsilon and number of reports (subset_selection_variance); none where there is no
  /// epsilon.
  std::optional<double> standard_error_here{}, standard_error_oracle{};
  /// Of maximum likelihood: how far it is from the greatest, in nats.
  std::optional<double> likelihood_gap_up{};
  /// What there is to know about these numbers, in sentences.
  std::vector<std::string> notes{};
};

/// The records of one release, counted by outcome of its law's domain.
struct CountedRelease {
  const ReleasedLaw* law = nullptr;
  const Empirical* records = nullptr;
  std::string name{};  ///< of the records, in messages
};

/// The population's distribution, of the released records.
///
/// Linear mechanisms: unbiased, with the standard error sqrt(V / n). Intervals are exact (binomial)
/// for every event of randomized response, mixture and Gaussian curve, and empirical Bernstein's
/// for means and for the public kernel. Bands: the bounds that hold (band_bounds), and no estimate.
/// Other mechanisms of the central model: bounds from a record's total variation. The probability
/// of error is shared evenly by the tables of each kind, and by all intervals of a kind.
///
/// Several releases: records of one law count together, as if one release had made them. Of several
/// laws, which must be mixtures, the estimate is the weighted mean of the populations
/// (draws_by_law), with the intervals of joint_interval. If all releases are of one population, it
/// is that one.
///
/// Throws InvalidInput for a number of records that no such release has, for a confidence out of
/// range, for a method without an estimate, and as draws_by_law. O(k) for each table; for the public
/// kernel O(k) for each cell, at most 2^34 in all.
[[nodiscard]] PopulationEstimate estimate_population(std::span<const CountedRelease> releases,
                                                     const EstimateRequest& request);
[[nodiscard]] PopulationEstimate estimate_population(const ReleasedLaw& law,
                                                     const Empirical& released,
                                                     const EstimateRequest& request,
                                                     const std::string& name);

/// Of the release with that spec, or of several, whose first has it; for people, of each table the
/// 40 greatest. Facts: `mechanism`, `records`, `confidence`, `method`, `estimates`, a list of
/// `outcome`, `probability`, `standard_error`, `lower` and `upper`, and the other parts of
/// PopulationEstimate by their names. Undetermined numbers are null. Without `is_for_programs`, the
/// lists of tables are left empty.
[[nodiscard]] Answer estimate_answer(const PopulationEstimate& found, const ReleaseSpec& spec,
                                     bool is_for_programs = true);

}  // namespace mollify
