// Distributions that are known, and what boosting learns of them: for analysis. NOT PRIVATE.
//
// The library mollify::laboratory holds what is declared here. No release needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mollify/answers.h"
#include "mollify/domain.h"
#include "mollify/handle.h"
#include "mollify/namespace.h"
#include "mollify/release.h"
#include "mollify/sampler.h"

namespace MOLLIFY_NAMESPACE {

/// What `law` also answers.
struct LawQuestion {
  /// Another distribution: how far its law is from the first one's, and can be. For bands.
  std::optional<std::vector<double>> other{};
  std::optional<double> renyi{};         ///< order of a Rényi divergence
  std::optional<double> hockey_stick{};  ///< factor of a hockey-stick divergence: e^epsilon, say
};

/// The exact law of a sampler's draw from masses that sum to one: each probability a fraction of
/// integers. NOT PRIVATE. Throws InvalidInput for parameters that no sampler has, for a divergence
/// that does not exist, and unless there is a mass for each outcome.
[[nodiscard]] Answer law(const SamplerParameters& parameters, std::span<const double> p,
                         const LawQuestion& question = {});

/// Random numbers that follow from a seed. The numbers are the same on every machine, so nothing
/// that depends on them is private.
class SeededNumbers : public Handle<class SeededNumbersInside> {
 public:
  using Handle::Handle;

  explicit SeededNumbers(std::uint64_t seed);

  /// 64 random bits.
  [[nodiscard]] std::uint64_t word();
  /// Numbers uniform on (0, 1).
  [[nodiscard]] std::vector<double> uniforms(std::size_t count);
  /// Standard normal numbers: the quantiles of `uniforms`.
  [[nodiscard]] std::vector<double> normals(std::size_t count);
};

/// A probability measure on R^d with a known density. Immutable, cheap to copy.
class KnownMeasure : public Handle<const class KnownMeasureInside> {
 public:
  using Handle::Handle;

  /// Reads the measure from JSON, as `mollify law --reference FILE` does
  /// (docs/theory/reproduction.md). Throws InvalidInput, one sentence, for anything else; `name` is
  /// what the sentence calls the JSON.
  explicit KnownMeasure(std::string_view json, std::string_view name = "the measure");

  [[nodiscard]] std::size_t dimension() const noexcept;
  /// A box that holds all the mass except 2^-40: the lower and the upper end of each axis in turn.
  [[nodiscard]] std::vector<double> central_box() const;
  /// The greatest value of p/h over the class that an envelope h is made for; infinite for other
  /// measures.
  [[nodiscard]] double class_bound() const;

  /// The density at each point; a point is `dimension()` numbers.
  [[nodiscard]] std::vector<double> densities(std::span<const double> points) const;
  /// The mass of each cell of a grid, the last axis fastest. `edges` are the ascending edges of all
  /// axes, one axis after the other, and `edge_counts` how many each axis has.
  [[nodiscard]] std::vector<double> cell_masses(std::span<const double> edges,
                                                std::span<const std::size_t> edge_counts) const;
  /// `count` independent points.
  [[nodiscard]] std::vector<double> sample(std::size_t count, SeededNumbers& numbers) const;
};

/// A density, a public reference and a band, as `mollify law --density` has them.
struct DensityLawQuestion {
  KnownMeasure p, reference;
  double epsilon = 1;
  std::optional<KnownMeasure> other{};  ///< another density, to compare its law with P's
  std::optional<std::string> band{};    ///< "minimax", "relative" or "location=B"
  std::optional<double> c1{}, c2{};     ///< for minimax; of an envelope c1 is 0, c2 its class_bound
  std::optional<std::uint64_t> cells{};       ///< of a grid: 2^16, 2^20 or 2^21 by its dimension
  std::optional<std::uint64_t> candidates{};  ///< drawn from the reference, instead of a grid
  std::vector<std::vector<double>> points{};  ///< at which both densities are listed
  std::vector<std::string> regions{};         ///< boxes, "low:high" for each axis with commas
  std::optional<double> renyi{}, hockey_stick{};  ///< as in LawQuestion
};

/// The exact law of a release of one point from a density over a grid or candidates. NOT PRIVATE.
/// Throws InvalidInput unless the reference has the dimension of the densities and is positive
/// where they are, and for numbers out of range.
[[nodiscard]] Answer law_of_density(const DensityLawQuestion& question);

/// The member of {Q : lower <= Q <= upper} nearest to P in every f-divergence. The three arrays
/// have equal lengths. Throws InvalidInput unless the bounds are finite with 0 <= lower <= upper
/// and sum(lower) <= 1 <= sum(upper).
[[nodiscard]] std::vector<double> projected_on_band(std::span<const double> p,
                                                    std::span<const double> lower,
                                                    std::span<const double> upper);

/// The member of the relative mollifier of `reference` that scales and shifts P's density as little
/// as it must, which keeps the order of its values [Husain et al. 2020, Figure 2].
[[nodiscard]] std::vector<double> scaled_and_shifted(std::span<const double> p,
                                                     std::span<const double> reference,
                                                     double epsilon);

/// How well a law of cells finds P.
struct LawFit {
  double negative_log_likelihood = 0;  ///< -E_P ln Q in nats, Q's density being constant in cells
  double mode_coverage = 0;            ///< share of P where Q has its densest 95 %
};
[[nodiscard]] LawFit law_fit(std::span<const double> p, std::span<const double> q,
                             std::span<const double> volumes);

// -----------------------------------------------------------------------------------------------
// What boosting learns with.

/// Points, one after the other, as networks read them.
struct Features {
  std::size_t dimension = 0;  ///< numbers of a point
  std::vector<float> numbers{};
};

/// Private records as points: all of them, or 2^17 drawn evenly where there are more. NOT PRIVATE.
/// Throws InvalidInput unless the source has each of the domain's columns once.
[[nodiscard]] Features record_features(const Domain& domain, const Source& records);

/// `count` public candidates of the domain's seed as points: even ones, or ones like the records of
/// a public CSV file. `text` is the file's text if it lies in memory; then `file` names it in
/// messages. Throws InvalidInput for the first value of the file that the domain does not declare.
[[nodiscard]] Features candidate_features(const Domain& domain, std::uint64_t count,
                                          const std::optional<std::string>& file = std::nullopt,
                                          std::optional<std::string_view> text = std::nullopt);

/// A list of public candidates as a file, for `candidates_file` of a release. Its text.
struct CandidateFile {
  std::uint64_t candidates = 0;
  std::string text{};
};

/// What `mollify candidates` writes: `count` public records of the domain's seed, even ones, or
/// ones like the reference. The reference is a public CSV file, or a measure as JSON if its name
/// ends in .json; `text` is its text if it lies in memory. Throws InvalidInput for a count from
/// which no list can be made, and for a reference that cannot be read or has undeclared values.
[[nodiscard]] CandidateFile candidates(const Domain& domain, std::uint64_t count,
                                       const std::optional<std::string>& reference = std::nullopt,
                                       std::optional<std::string_view> text = std::nullopt);

/// A mixture of Gaussians as JSON, for the reference of `candidates` and `law`.
struct ReferenceFile {
  std::uint64_t components = 0;
  std::string json{};
};

/// What `mollify reference` writes: a mixture of `components` Gaussians at most, from 1 to 1000,
/// that is fitted to the records of a public CSV file. `text` is the file's text if it lies in
/// memory. Throws InvalidInput unless the domain has numbers and integers alone, and for the first
/// value that it does not declare.
[[nodiscard]] ReferenceFile fitted_reference(const Domain& domain, std::uint64_t components,
                                             const std::string& records,
                                             std::optional<std::string_view> text = std::nullopt);

/// sum_t theta_t c_t at each point of the pool, as a release with the score `mbde` learns it from
/// points of P and from the pool, points of the reference. For comparison with the boosting of the
/// Python package, which also has other classifiers and bounds. Throws InvalidInput for an epsilon
/// or counts out of range, and for an empty pool.
[[nodiscard]] std::vector<double> boosted_log_ratios(std::span<const float> p,
                                                     std::span<const float> pool,
                                                     std::size_t dimension, double epsilon,
                                                     std::size_t iterations, std::size_t samples,
                                                     std::uint64_t seed);

/// How a network learns. Missing options are the schedule's.
struct NetworkOptions {
  /// "fast", as releases learn, or "papers": 1500 steps of Nesterov's method on the sum of losses.
  std::string schedule = "fast";
  std::optional<std::size_t> width{};        ///< neurons of each hidden layer
  std::optional<std::size_t> depth{};        ///< hidden layers
  std::optional<std::size_t> epochs{};       ///< passes over the samples
  std::optional<std::size_t> minibatches{};  ///< steps in a pass
  std::optional<std::string> optimiser{};    ///< "nesterov" or "adam"
  std::optional<double> rate{};
  /// Most passes without a better cross-entropy on a fifth of the samples.
  std::optional<std::size_t> patience{};
};

/// A network that tells two distributions apart: ln(P/Q) as it estimates it. Immutable, cheap to
/// copy. Learned from private data, it is private data.
class Network : public Handle<const class NetworkInside> {
 public:
  using Handle::Handle;

  /// Learns to tell `p` from `q`. Equal points, options and seeds give equal networks on equal
  /// processors. Seconds. Throws InvalidInput for options out of their range.
  [[nodiscard]] static Network learn(std::span<const float> p, std::span<const float> q,
                                     std::size_t dimension, std::uint64_t seed,
                                     const NetworkOptions& options = {});

  /// Number x of a point enters as (x - centre) * factor. A layer is, for each neuron in turn, its
  /// weights and its offset; the last layer has one neuron. Throws InvalidInput if these do not fit
  /// together.
  Network(std::vector<float> centres, std::vector<float> factors,
          std::vector<std::vector<float>> layers);

  [[nodiscard]] const std::vector<float>& centres() const noexcept;
  [[nodiscard]] const std::vector<float>& factors() const noexcept;
  [[nodiscard]] const std::vector<std::vector<float>>& layers() const noexcept;
  /// The mean cross-entropy in nats of the last pass over the samples; NaN if it was not learned.
  [[nodiscard]] double cross_entropy() const noexcept;

  /// The estimate at each point.
  [[nodiscard]] std::vector<float> logits(std::span<const float> points) const;
};

}  // namespace MOLLIFY_NAMESPACE
