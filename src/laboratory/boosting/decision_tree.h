// Decision trees that tell two distributions apart; of depth 1, stumps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "boosting/classifier.h"
#include "boosting/weak_learner.h"
#include "density/points.h"

namespace mollify {

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

}  // namespace mollify
