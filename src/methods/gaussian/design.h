// The design of independent Gaussian samples.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "accounting/privacy.h"
#include "core/random.h"
#include "domain/numbers.h"
#include "kernel/naturals.h"
#include "methods/central/design.h"
#include "methods/gaussian/centre.h"
#include "methods/gaussian/moments.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// From a budget and public numbers to all parameters of a Gaussian sampler.

inline constexpr std::size_t kMostGaussianDimensions = 1024;
inline constexpr std::uint64_t kMostGaussianOutputs = 100'000'000;

/// Everything public about a release of Gaussian samples. Lengths are in whitened coordinates
/// (methods/gaussian/sampler.h), in which a record has covariance I, or one between I and K I.
struct GaussianRequest {
  /// n, 1 to 2^39.
  std::uint64_t records = 0;
  /// d, 1 to 1024.
  std::size_t dimension = 0;
  /// m, 1 to 10^8.
  std::uint64_t outputs = 1;
  /// epsilon from 1e-6 to 100 with delta 0 (pure) or from 1e-100 to 0.5, or else rho from 1e-12 to
  /// 1000.
  Privacy budget;
  /// K >= 1: the covariance is known to lie between I and K I; 1 says that it is I.
  double covariance_bound = 1;
  /// R >= 0: the mean's Euclidean norm is at most R. Accuracy depends on that, privacy does not.
  std::optional<double> mean_bound = std::nullopt;
  /// Without R, a part of the records finds a coarse centre (methods/gaussian/centre.h). The range
  /// of each coordinate of the mean: d intervals or one for all; not needed if delta > 0.
  std::vector<RealRange> ranges = {};
  /// Pure privacy only: the public variance of [Cheu, Nayak 2024, Algorithm 4] in place of the
  /// corrected one. Privacy is the same.
  bool paper_variance = false;

  friend bool operator==(const GaussianRequest&, const GaussianRequest&) = default;
};

/// How the records of one run are added up: some count once, the others once with the sign turned,
/// and the sum is divided by `divisor` = plus_records - minus_records, so that weights add up to 1.
/// For a known covariance this is the mean, all with plus. For a bounded one, divisor is about the
/// root of their number: then the squares of the weights add up to about 1 and the combination has
/// a record's own covariance, whatever that is [after Ghazi et al. 2023, Algorithm 3; Cheu, Nayak
/// 2024, Theorem 30]. Weights all of one size have the least maximum, and few integers: [ours].
struct GaussianWeights {
  std::uint64_t plus_records = 0;
  std::uint64_t minus_records = 0;
  std::uint64_t divisor = 1;

  friend bool operator==(const GaussianWeights&, const GaussianWeights&) = default;
};

/// Bounds, each rounded up, on the distance of one output's law from N(mu, Sigma) in total
/// variation, for records drawn independently from N(mu, Sigma) as the request says.
struct GaussianTotalVariation {
  double clip = 0;     ///< that any record of the run is clipped
  double shape = 0;    ///< noise not Gaussian, or not of the covariance wanted, or a failed test
  double lattice = 0;  ///< rounding of records, noise on a lattice, dither
  double centre = 0;   ///< that the coarse centre is further from mu than assumed

  friend bool operator==(const GaussianTotalVariation&, const GaussianTotalVariation&) = default;
};

/// A Gaussian sampler with all its public parameters, and their promise. Two designs of one request
/// are equal on one machine; a search on another may end elsewhere, so a certificate states the
/// integers, and these are checked (check_gaussian_design).
///
/// The sampler (methods/gaussian/sampler.h) gives each output a run of `run_records` records of its
/// own, clips them, in units of the step g = 2^step_exponent, onto the integer points of norm at
/// most L (kernel/clipped_sums.h), adds them up to S with their signs and adds noise Y on Z^d. The
/// output is
///     centre + (g / divisor) (S + Y) + public noise.
/// Pure: P(Y = y) proportional to e^(-|y|/b), `noise` = b. Otherwise coordinates are discrete
/// Gaussians, `noise` = sigma^2. Public noise is N(0, v I), or where v = 0 a uniform dither of one
/// cell.
///
/// A run with a threshold is tested (methods/gaussian/tested.h). Then `noise` is the scale of the
/// test's noise, and the output is
///     centre + g (a point drawn with the run's own mean and covariance) + N(0, v I),
/// or centre + N(0, I) if the run fails.
///
/// Theorem (privacy of one run). For any records, S changes by at most s = 2 L in Euclidean norm if
/// one is replaced, so S + Y is (s/b)-DP, respectively (s^2/(2 sigma^2))-zCDP and
/// (epsilon, delta)-DP with the delta of accounting/lattice.h. The rest is post-processing.
/// Proof. kernel/clipped_sums.h: both values of the record are clipped to norm L. For b:
/// e^(-|y|/b) changes by a factor of at most e^(s/b) under a shift of norm s; for sigma:
/// kernel/noise.h.
struct GaussianDesign {
  GaussianRequest request;
  /// Of the part of the records that the coarse centre is found from; none with a mean_bound.
  std::optional<CentreDesign> centre = std::nullopt;
  /// The records of each of the m runs, others than the centre's.
  std::uint64_t run_records = 0;
  /// How far the mean can be from the point that records are clipped around: R, or what the coarse
  /// centre leaves.
  double mean_radius = 0;
  /// B: a record within this distance of that point is certainly not clipped. Rounded down.
  double clip_radius = 0;
  /// g = 2^step_exponent.
  int step_exponent = 0;
  /// L, at most 2^40.
  std::uint64_t lattice_radius = 0;
  Ratio noise;
  /// The threshold of the run's test; 0: there is no test.
  std::uint64_t threshold = 0;
  /// v.
  double public_variance = 0;
  GaussianWeights weights;
  /// The integers' real guarantee, rounded outward: never more than the budget, often less where
  /// accuracy does not need all of it. Of all outputs together.
  Privacy guarantee;
  GaussianTotalVariation total_variation;
  /// One or two sentences for the user: why these parameters.
  std::string why;

  /// g.
  [[nodiscard]] double step() const { return std::ldexp(1, step_exponent); }
  /// Of one output (weak multi-sampling): the sum of the four parts, at most 1.
  [[nodiscard]] double total_variation_up() const;
  /// Of the joint law of all outputs (strong multi-sampling): the centre's part once and the other
  /// parts m times, at most 1.
  [[nodiscard]] double strong_total_variation_up() const;

  friend bool operator==(const GaussianDesign&, const GaussianDesign&) = default;
};

/// The parameters that spend at most the budget at about the least total variation; none if n is so
/// small for the budget that nothing would be promised (total variation 1). Under (epsilon, delta)
/// the design's own request may have no ranges, or no delta, where that is noticeably better: it
/// keeps the request's promise. Throws InvalidInput, in one sentence, for a request outside the
/// limits above, and with bounded covariance under pure privacy. Milliseconds; some 50 for each way
/// to find a centre.
[[nodiscard]] std::optional<GaussianDesign> find_gaussian_design(const GaussianRequest& request);

/// Whether it has a design of at most this total variation, below 1; none where only the design
/// itself tells. It takes a hundredth of the time.
[[nodiscard]] std::optional<bool> has_gaussian_design_within(double most,
                                                             const GaussianRequest& request);

/// The design; throws InvalidInput if there is none, naming the least n and the least epsilon (or
/// rho) that would keep each output within `most` in total variation. The search for these takes up
/// to seconds.
[[nodiscard]] GaussianDesign design_gaussian(const GaussianRequest& request, double most = 1);

/// The guarantee that one run has by its integers alone, rounded outward. Under (epsilon, delta) it
/// is the least epsilon for the budget's delta.
[[nodiscard]] Privacy run_guarantee(const GaussianDesign& design);

/// Throws InvalidInput unless the integers of the design, wherever it comes from, keep its
/// guarantee and give every row at most one role. Every machine finds the same of what
/// find_gaussian_design made on any.
void check_gaussian_design(const GaussianDesign& design);

/// The design with all that follows from its request, its integers and the centre's two
/// `deviations` as it is found here: radii, public_variance and total_variation. None if nothing is
/// promised of them. `guarantee` and `why` stay.
[[nodiscard]] std::optional<GaussianDesign> settled(GaussianDesign design);

/// Design.why.
[[nodiscard]] std::string why_of(const GaussianDesign& design);

/// The request whose centre a part of the records finds.
[[nodiscard]] CentreRequest centre_request(const GaussianRequest& request, std::uint64_t records,
                                           double failure);

// -----------------------------------------------------------------------------------------------
// From the records of one run to its clipping, its lattice and its noise.

/// Clipping do not have to be rarer than that.
inline constexpr double kNegligibleClipping = 1e-12;

/// The weaker of two guarantees of one notion, and whether one is no weaker than another.
[[nodiscard]] Privacy weaker(const Privacy& a, const Privacy& b);

[[nodiscard]] bool is_within(const Privacy& guarantee, const Privacy& budget);

/// Whether one run keeps a guarantee by its integers alone.
[[nodiscard]] bool run_keeps(const GaussianDesign& design, const Privacy& said);

/// Fills in what follows from a run's integers, wherever they come from, and from mean_radius:
/// clip_radius, public_variance and total_variation except for the centre's part. False if nothing
/// is promised of them.
bool settle_run(GaussianDesign& design);

/// Fills in all that makes one run, given the request, the run's records and mean_radius; the
/// centre, if there is one, has been designed. False if nothing would be promised, or if a total
/// variation of more than `most` is left; with `most` below 1 the run is within it, not the best.
bool design_run(GaussianDesign& design, double most = 1);

}  // namespace mollify
