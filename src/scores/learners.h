// Weak learners beside networks: decision trees, logistic models, and one that learns once for all
// values of epsilon.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

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

}  // namespace mollify
