// Learners.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/candidates.h"
#include "laboratory/measure/grid.h"
#include "laboratory/measure/measure.h"
#include "scores/boosting.h"
#include "scores/network.h"
#include "scores/points.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Decision trees that tell two distributions apart; of depth 1, stumps.

/// A point with value < threshold goes on at `child`, any other at child + 1, NaN among them. A
/// leaf has no child, which is 0.
struct TreeNode {
  std::uint32_t feature = 0;
  std::uint32_t child = 0;
  float threshold = 0;
  float logit = 0;  ///< of points that end here

  friend bool operator==(const TreeNode&, const TreeNode&) = default;
};

/// A binary tree whose leaves say a logit.
class DecisionTree final : public Classifier {
 public:
  /// The first node is the root. Throws InvalidInput unless there is a node, the dimension is at
  /// least 1, and nodes name features below it and children that exist and come after them.
  DecisionTree(std::size_t dimension, std::vector<TreeNode> nodes);

  [[nodiscard]] std::size_t dimension() const noexcept override { return dimension_; }
  /// O(points * depth).
  void logits(const Points& points, std::span<float> logits) const override;

  [[nodiscard]] const std::vector<TreeNode>& nodes() const noexcept { return nodes_; }

 private:
  std::size_t dimension_;
  std::vector<TreeNode> nodes_;
};

/// How a tree is grown.
struct TreeOptions {
  std::size_t depth = 3;        ///< splits from the root to a leaf at most, 1 to 16
  std::size_t least_leaf = 20;  ///< samples that each leaf has at least
  double smoothing = 1;         ///< samples of either distribution added to a leaf; positive
};

/// Grows trees level by level. Each node is split where the cross-entropy of its two parts falls
/// most, over all features and all places between different values, the first of equals; nodes that
/// no split improves stay leaves. A leaf with the shares p of P and q of Q, of n samples in all,
/// says ln((p n / 2 + smoothing) / (q n / 2 + smoothing)).
///
/// Nothing is random, so the seed is not used. O(dimension * n * (ln n + depth)).
class TreeLearner final : public WeakLearner {
 public:
  /// Throws InvalidInput if an option is out of its range.
  explicit TreeLearner(const TreeOptions& options = {});

  /// A DecisionTree. Progress is a level at a time.
  [[nodiscard]] std::unique_ptr<Classifier> learn(
      const Points& p, const Points& q, std::uint64_t seed,
      const TrainingProgress& progress = nullptr) const override;

 private:
  TreeOptions options_;
};

// -----------------------------------------------------------------------------------------------
// Logistic regression on the points' features, or on their squares and products as well.

/// All that a logistic model is. Feature f enters as x_f = (value - centres[f]) * factors[f], or as
/// 0 if that is not finite.
struct LogisticParameters {
  std::vector<float> centres{};  ///< of each feature
  std::vector<float> factors{};  ///< of each feature
  bool has_products = false;
  /// Of 1; of x_0, x_1, ...; and with products of x_0 x_0, x_0 x_1, ..., x_1 x_1, x_1 x_2, ...
  std::vector<double> coefficients{};

  friend bool operator==(const LogisticParameters&, const LogisticParameters&) = default;
};

/// A logit that is linear or quadratic in the features.
class LogisticClassifier final : public Classifier {
 public:
  /// Throws InvalidInput unless there is at least one feature, each feature has a centre and a
  /// factor, and there are as many coefficients as terms. The values may be anything.
  explicit LogisticClassifier(LogisticParameters parameters);

  [[nodiscard]] std::size_t dimension() const noexcept override {
    return parameters_.centres.size();
  }
  /// O(points * terms).
  void logits(const Points& points, std::span<float> logits) const override;

  [[nodiscard]] const LogisticParameters& parameters() const noexcept { return parameters_; }

 private:
  LogisticParameters parameters_;
};

/// How a logistic model is fitted.
struct LogisticOptions {
  bool has_products = false;  ///< squares and products of the features are terms too
  double ridge = 1e-4;        ///< finite and positive
  std::size_t passes = 30;    ///< over the samples, at least 1
};

/// Fits logistic models by Newton's method: the minimum of the mean cross-entropy, each
/// distribution counting half, plus ridge / 2 times the squares of all coefficients but the first.
/// Two Gaussians' log ratio is quadratic, so products make the model exact for them.
///
/// Features are standardised as NetworkLearner does. Each pass either makes a step or, where the
/// last one did not lower the objective, halves it; their number is fixed, so that it tells nothing
/// about the samples. Nothing is random, so the seed is not used.
///
/// O(passes (n terms^2 + terms^3)); 1 + d terms, and d (d + 1) / 2 more with products.
class LogisticLearner final : public WeakLearner {
 public:
  /// Throws InvalidInput if an option is out of its range.
  explicit LogisticLearner(const LogisticOptions& options = {});

  /// A LogisticClassifier.
  [[nodiscard]] std::unique_ptr<Classifier> learn(
      const Points& p, const Points& q, std::uint64_t seed,
      const TrainingProgress& progress = nullptr) const override;

 private:
  LogisticOptions options_;
};

// -----------------------------------------------------------------------------------------------
// Draws from a measure and cells of a grid as classifiers read them.

/// `count` independent points of the measure, rounded to single precision: samples of a known P, a
/// pool for `boost` that is public by its seed, or what a normaliser is averaged over.
[[nodiscard]] Points measure_sample(const Measure& measure, std::size_t count,
                                    SeededRandom& random);

/// The middles of all cells of a grid, in the order of the cells.
[[nodiscard]] Points cell_centres(const Grid& grid);

// -----------------------------------------------------------------------------------------------
// A learner that learns the first classifier once for all values of epsilon.

/// What the first call learned is given again for the same seed: the first classifier of `boost`
/// tells P from Q0 by the same samples and seed for every epsilon and bounding, and is a third of
/// the work. For runs that share P, pool and seed; by one thread.
class FirstOnceLearner final : public WeakLearner {
 public:
  explicit FirstOnceLearner(const NetworkOptions& options) : learner_(options) {}

  [[nodiscard]] std::unique_ptr<Classifier> learn(
      const Points& p, const Points& q, std::uint64_t seed,
      const TrainingProgress& progress = nullptr) const override;

 private:
  NetworkLearner learner_;
  mutable std::optional<NetworkParameters> first_;
  mutable std::uint64_t first_seed_ = 0;
};

// -----------------------------------------------------------------------------------------------
// Boosting by classifiers that know everything.

/// Q_T's cell masses where each classifier's logit is log P/Q_(t-1) itself: what boosting would
/// reach if learning had no error. P's and Q0's masses of the same cells; where P has none c is its
/// least value. Throws InvalidInput as BoostedDensity does and if sizes differ. O(T k).
[[nodiscard]] std::vector<double> perfectly_boosted(std::span<const double> p,
                                                    std::span<const double> reference,
                                                    const BoostingSpec& spec,
                                                    std::size_t iterations = 3);

// -----------------------------------------------------------------------------------------------
// How well a density finds what another distribution produces.

/// An estimate and its standard error, in the same units.
struct Estimate {
  double value = 0;
  double standard_error = 0;
};

/// -E_P log Q in nats, of densities with respect to volume: KL(P, Q) and P's own entropy together,
/// so it may be negative. Lower is better, and the entropy of P is the least it can be.
///
/// Exact for densities that are constant in each cell: masses of P and of Q and the volume of each
/// cell, P's and Q's masses being divided by their sums. Infinite if P has mass where Q has none.
/// Throws InvalidInput if sizes differ, a volume is not positive, or a sum of masses is not. O(k).
[[nodiscard]] double negative_log_likelihood(std::span<const double> p, std::span<const double> q,
                                             std::span<const double> volumes);

/// Estimated from log Q at independent samples of P, with its standard error. Throws InvalidInput
/// below two samples.
[[nodiscard]] Estimate negative_log_likelihood(std::span<const double> log_q_at_samples_of_p);

/// The share of Q that its region of high density holds.
inline constexpr double kCoverageLevel = 0.95;

/// Mode coverage P{q >= t}, t such that Q{q >= t} = `level`: 1 if all of P lies where Q puts its
/// first 95 %. [Husain et al. 2020] writes the inequalities the other way round; its
/// text and code mean this.
///
/// Exact for densities that are constant in each cell: masses of P and of Q and the volume of each
/// cell, masses being divided by their sums. Cells are taken from the densest on until Q has
/// `level`; cells as dense as the last one belong, too. Throws InvalidInput if sizes differ, a
/// volume or a sum of masses is not positive, or level is not in (0, 1). O(k log k).
[[nodiscard]] double mode_coverage(std::span<const double> p, std::span<const double> q,
                                   std::span<const double> volumes, double level = kCoverageLevel);

/// Estimated from q at independent samples of P and at independent samples of Q: any increasing
/// function of the density does, its logarithm for instance. The standard error is that of the
/// share of P above the threshold, and half of how P's share changes as the threshold moves by one
/// standard error of its level either way, added in squares. Throws InvalidInput without samples of
/// P, below two of Q, or if level is not in (0, 1). O(n log n).
[[nodiscard]] Estimate mode_coverage_of_samples(std::span<const double> q_at_samples_of_p,
                                                std::span<const double> q_at_samples_of_q,
                                                double level = kCoverageLevel);

// -----------------------------------------------------------------------------------------------
// Boosted densities in files.

/// The text of a model, JSON, format "mollify boosted density", version 1; docs/guide/boosting.md
/// describes it. A model is learned from private data and is private data, and the text says so.
/// Numbers are written so that they are read back as the same numbers; NaN and infinities as texts.
/// Throws InvalidInput for a classifier of another kind than networks, trees and logistic models.
[[nodiscard]] std::string boosted_model_json(const BoostedDensity& density);

/// The reverse; `name` is the file's, for messages. Throws InvalidInput, in one sentence, for
/// anything that is not such a model, unknown versions included.
[[nodiscard]] BoostedDensity boosted_model_from_json(std::string_view text,
                                                     const std::string& name);

}  // namespace mollify
