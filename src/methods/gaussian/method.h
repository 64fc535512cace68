// Rows of numbers: independent ones, and rows of one noisy mean and covariance.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/message.h"
#include "methods/gaussian/moments.h"
#include "methods/gaussian/sampler.h"
#include "records/source.h"
#include "release/advice.h"
#include "release/certificate.h"
#include "release/design.h"
#include "release/plan.h"
#include "release/release.h"
#include "release/release_error.h"
#include "release/spec.h"

namespace mollify {

inline constexpr Methods kGaussianMethods = {Method::kGaussian, Method::kGaussianModel};

/// What only these have.
struct GaussianSpec {
  std::vector<std::string> logarithms{};  ///< columns whose logarithms are Gaussian
  // Of independent rows only.
  std::optional<PublicFile> covariance{};  ///< the covariance, or its lower bound; none: I
  /// K: the covariance lies between that and K times it. One of the two must be given.
  std::optional<double> covariance_bound{};
  /// R: the mean lies within R standard deviations (of the whitened coordinates, as a Euclidean
  /// norm) of the middle of the declared ranges. Without it a coarse centre is found first.
  std::optional<double> mean_bound{};
  bool paper_variance = false;  ///< as GaussianRequest::paper_variance

  friend bool operator==(const GaussianSpec&, const GaussianSpec&) = default;
};

/// The question of their plan, in standard deviations of the data (GaussianRequest).
struct GaussianQuestion {
  std::optional<double> mean_bound{};
  std::vector<RealRange> mean_ranges{};
  double covariance_bound = 1;
  bool paper_variance = false;
  /// With a domain, which says the dimension, and the ranges unless the mean is bounded: as a
  /// release's.
  std::vector<std::string> logarithms{};
  std::optional<PublicFile> covariance{};

  friend bool operator==(const GaussianQuestion&, const GaussianQuestion&) = default;
};

// -----------------------------------------------------------------------------------------------
// Passes over points: their form for workers, and the workers' sums over their parts.

/// In bytes; secret with the key.
[[nodiscard]] std::string pass_bytes(const GaussianPass& pass, const ReleaseKey& key);
[[nodiscard]] std::string pass_bytes(const MomentMeasure& measure);

/// A worker's part of such a pass. Throws InvalidInput for other bytes. Sampler, design and columns
/// must outlive it.
[[nodiscard]] std::unique_ptr<SummedPart> gaussian_part(const GaussianSampler& sampler,
                                                        const RealColumns& columns,
                                                        const std::string& bytes,
                                                        std::uint64_t number);
[[nodiscard]] std::unique_ptr<SummedPart> moment_part(const MomentDesign& design,
                                                      const RealColumns& columns,
                                                      const std::string& bytes);

/// The whitening of a Gaussian release: c0 is the middle of the declared ranges, and an empty
/// covariance is I.
[[nodiscard]] Whitening whitening_of(const RealColumns& columns,
                                     std::span<const double> covariance = {});

/// The range of a mean in the declared ranges, in whitened coordinates.
[[nodiscard]] std::vector<RealRange> mean_ranges_of(const RealColumns& columns,
                                                    const Whitening& whitening);

/// Of each column, not taken in logarithms, whose declared range is more than 1000 standard
/// deviations wide, a sentence that asks whether it should be: with dollars and a covariance of
/// their logarithms what is released is nothing. An empty covariance is at most the bound. Public
/// facts alone.
[[nodiscard]] std::vector<Message> wide_ranges(const RealColumns& columns,
                                               std::span<const double> covariance,
                                               double covariance_bound);

/// That of a shared Gaussian.
[[nodiscard]] ReleaseError moment_error(const MomentDesign& design);

/// What the ranges say of columns that a shared Gaussian's error is stated for, a sentence for three
/// of them at most: "income" with a mean from 375000 to 625000 and a standard deviation from 100000
/// to 167000. Public facts alone.
[[nodiscard]] std::string supposed_spread(const RealColumns& columns);
/// What becomes of a few values that are far from all others.
[[nodiscard]] std::string cut_words(double clip_radius);

/// Which of many designs a Gaussian release draws by was searched for in doubles, and a search on
/// another processor may end elsewhere. So it is not searched for again: the integers of lattice,
/// noise, weights and centre are read from the certificate, and the rest is found from them here
/// (settled). Stated bounds of its accuracy that are nearly the ones found here are taken
/// unchanged. Whether the integers keep the guarantee is for check_gaussian_design.
///
/// `request` is what the certificate's spec and facts ask for. Throws InvalidInput for numbers that
/// no such design has.
[[nodiscard]] GaussianDesign stated_gaussian_design(GaussianRequest request,
                                                    const StatedCertificate& stated);

/// [{"deviations": 2, "total_variation": .1}, ...]: the expected error of a shared Gaussian in each
/// of kStatedDeviations.
[[nodiscard]] nlohmann::ordered_json moment_errors_json(const MomentDesign& design);

/// The records that the papers' own parameters need for Gaussian samples, with B =
/// paper_clip_radius_up(beta), the mean bounded by R, for m outputs m times those of one at alpha
/// (strong: alpha/m):
///  - zCDP: 2 B^2/(n (n - 1)) <= rho, beta = alpha
///    [Cheu, Nayak 2024, Theorem 19; Ghazi et al. 2023, Algorithm 1];
///  - (epsilon, delta): the analytic Gaussian of sensitivity 2 B/n and variance 1 - 1/n, the same;
///  - pure: v = 1 - 1/n [Cheu, Nayak 2024, Algorithm 4], beta = alpha/2 and the shape's exact total
///    variation the rest;
///  - covariance from I to K I, zCDP: beta = alpha/2, s^2 sqrt(d/8) = alpha/2, 2 B^2 a^2/s^2 <= rho
///    with the greatest weight a = 1/n + sqrt((1 - 1/n)/n)
///    [Cheu, Nayak 2024, Theorem 30; Ghazi et al. 2023, Algorithm 3].
/// None without a mean bound, for bounded covariance under (epsilon, delta), or beyond 2^39.
[[nodiscard]] std::optional<std::uint64_t> papers_gaussian_records(const PlanQuestion& question);

/// Records that any Gaussian sampler needs (accounting/gaussian.h), for the mean bound
/// or the ball inside the ranges; 0 where that says nothing.
[[nodiscard]] double gaussian_records_lower_bound(const PlanQuestion& question);

/// How the records of three tasks grow under rho where the covariance is known to lie between I and
/// K I; the factors are not known.
struct GaussianLearningOrders {
  /// Learning the Gaussian without public records: d sqrt(ln K / rho) [Kamath et al. 2019; Cheu,
  /// Nayak 2024, Theorem 25]. For K large enough no weak sampler of d + 1 outputs or more does with
  /// fewer, because its outputs would serve as the public records below [Theorem 27].
  double learning = 0;
  /// Learning it within alpha from private records, if there are public ones of a Gaussian that is
  /// not wholly different: d^2 / alpha^2 + d^2 / (alpha sqrt(rho)), whatever K is [Bie et al. 2022;
  /// Theorem 26].
  double semi_private = 0;
  double public_records = 0;  ///< d + 1
  /// A sampler of one output: d + 1 runs of it are a weak sampler of d + 1 outputs [Lemma 8].
  double single = 0;
};

/// None under another budget, or for a known covariance.
[[nodiscard]] std::optional<GaussianLearningOrders> gaussian_learning_orders(
    const PlanQuestion& question);

/// Of what was designed. Rows are streamed: memory is 4 bytes a row, whatever its columns, and none
/// of a model's; with units it is theirs, one row each. `warnings` are PreparedRelease's.
[[nodiscard]] std::unique_ptr<const PreparedRelease> make_gaussian_release(
    DesignedRelease made, Domain domain, RealColumns columns, Whitening whitening,
    std::optional<Roster> roster, std::vector<Message> warnings);
[[nodiscard]] std::unique_ptr<const PreparedRelease> make_gaussian_model_release(
    DesignedRelease made, Domain domain, RealColumns columns, std::optional<Roster> roster);

[[nodiscard]] std::unique_ptr<const PlanModel> gaussian_plan_model();
[[nodiscard]] std::unique_ptr<const PlanModel> shared_gaussian_plan_model(std::string supposed);
[[nodiscard]] ReleaseError gaussian_error(const GaussianDesign& design);
/// That of a design of this total variation.
[[nodiscard]] ReleaseError gaussian_error(const GaussianRequest& request, double total_variation);

// For who asks which method to take: advice.cpp.
[[nodiscard]] const MethodAdvice& gaussian_advice();
[[nodiscard]] const MethodAdvice& gaussian_model_advice();

}  // namespace mollify
