// Distributions that are known, and what boosting learns of them: for analysis. NOT PRIVATE.
//
// The library mollify::laboratory holds what is declared here. No release needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mollify/answers.h"
#include "mollify/handle.h"
#include "mollify/namespace.h"
#include "mollify/sampler.h"

namespace MOLLIFY_NAMESPACE {

/// The exact law of a sampler's draw from masses that sum to one: each probability a fraction of
/// integers. NOT PRIVATE. Throws InvalidInput for parameters that no sampler has, and unless there
/// is a mass for each outcome.
[[nodiscard]] Answer law(const SamplerParameters& parameters, std::span<const double> p);

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

  /// Reads the measure from JSON, as `mollify law --reference FILE` does (docs/guide/law.md).
  /// Throws InvalidInput, one sentence, for anything else; `name` is what the sentence calls the
  /// JSON.
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

/// What three iterations of boosting from `reference` reach if each classifier's logit is
/// ln P/Q_(t-1) itself. `bounding` as of BoostedRatio.
[[nodiscard]] std::vector<double> perfectly_boosted(std::span<const double> p,
                                                    std::span<const double> reference,
                                                    double epsilon, std::string_view bounding);

/// How well a law of cells finds P.
struct LawFit {
  double negative_log_likelihood = 0;  ///< -E_P ln Q in nats, Q's density being constant in cells
  double mode_coverage = 0;            ///< share of P where Q has its densest 95 %
};
[[nodiscard]] LawFit law_fit(std::span<const double> p, std::span<const double> q,
                             std::span<const double> volumes);

/// Two laws from which `draws` independent draws each are at most `joint` apart in total variation:
/// how far apart the laws themselves can be [Cheu, Nayak 2024, Theorem 21, with its constant].
[[nodiscard]] double single_total_variation_most(std::uint64_t draws, double joint);

/// A boosted density relative to its start: ln dQ_T/dQ_0 up to a constant, T classifiers that are
/// bounded [Husain et al. 2020, Algorithm 1]. Immutable, cheap to copy.
class BoostedRatio : public Handle<const class BoostedRatioInside> {
 public:
  using Handle::Handle;

  /// Q_0 itself, for points of `dimension` numbers. `bounding` says how classifiers are bounded:
  /// "probability", "logit", "sign" or "sigmoid".
  BoostedRatio(double epsilon, std::string_view bounding, std::size_t dimension);

  [[nodiscard]] std::size_t dimension() const noexcept;

  /// This density boosted by one more classifier: a network of three hidden layers of 25 that
  /// learns in `epochs` passes with Nesterov's momentum to tell `p` from `q`. Equal points and
  /// seeds give equal classifiers on equal processors. Seconds.
  [[nodiscard]] BoostedRatio boosted(std::span<const float> p, std::span<const float> q,
                                     std::uint64_t seed, std::size_t epochs) const;

  /// ln dQ_T/dQ_0 at each point, up to one constant.
  [[nodiscard]] std::vector<double> log_ratios(std::span<const float> points) const;
};

/// Runs of boosting on one set of points of P and one pool of points of Q_0, as releases that are
/// scored by `mbde` learn. All runs have the first classifier in common. Not for several threads.
class BoostingRuns : public Handle<const class BoostingRunsInside> {
 public:
  using Handle::Handle;

  /// Points of `dimension` numbers. `epochs` 0 is as many passes as a release makes.
  BoostingRuns(std::span<const float> p, std::span<const float> pool, std::size_t dimension,
               std::uint64_t seed, std::size_t epochs = 0);

  /// Three iterations at this epsilon.
  [[nodiscard]] BoostedRatio boosted(double epsilon) const;
};

}  // namespace MOLLIFY_NAMESPACE
