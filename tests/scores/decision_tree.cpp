#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "not_finite.h"
#include "scores/learners.h"
#include "scores/samples.h"

namespace mollify {
namespace {

using test::kInfiniteFloat;
using test::kNanFloat;
using test::logits_of;

using test::gaussian_features;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::vector<TreeNode>& nodes_of(const Classifier& classifier) {
  return dynamic_cast<const DecisionTree&>(classifier).nodes();
}

Points column(const std::vector<float>& values) {
  Points result(1, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result.values(0)[i] = values[i];
  return result;
}

/// The mean cross-entropy of logits, each distribution counting half.
double cross_entropy(const Classifier& tree, const Points& p, const Points& q) {
  double sum = 0;
  for (const float z : logits_of(tree, p)) {
    sum += std::log1p(std::exp(-static_cast<double>(z))) / 2 / static_cast<double>(p.size());
  }
  for (const float z : logits_of(tree, q)) {
    sum += std::log1p(std::exp(static_cast<double>(z))) / 2 / static_cast<double>(q.size());
  }
  return sum;
}

TEST(DecisionTree, StumpIsTheObviousOne) {
  const Points p = column({1, 2, 3, 4, 10});
  const Points q = column({5, 6, 7, 8, 9});
  const auto stump = TreeLearner({.depth = 1, .least_leaf = 1}).learn(p, q, 0);
  ASSERT_EQ(nodes_of(*stump).size(), 3U);
  const TreeNode& root = nodes_of(*stump)[0];
  EXPECT_EQ(root.child, 1U);
  EXPECT_EQ(root.threshold, 4.5F);
  EXPECT_FLOAT_EQ(nodes_of(*stump)[1].logit, std::log(5.0F / 1));
  EXPECT_FLOAT_EQ(nodes_of(*stump)[2].logit, std::log(2.0F / 6));
  EXPECT_EQ(logits_of(*stump, column({4.4F, 4.5F, kNanFloat, -kInfiniteFloat, kInfiniteFloat})),
            (std::vector<float>{nodes_of(*stump)[1].logit, nodes_of(*stump)[2].logit,
                                nodes_of(*stump)[2].logit, nodes_of(*stump)[1].logit,
                                nodes_of(*stump)[2].logit}));
  // One more level sets the last point apart.
  const auto tree = TreeLearner({.depth = 2, .least_leaf = 1}).learn(p, q, 0);
  ASSERT_EQ(nodes_of(*tree).size(), 5U);
  EXPECT_EQ(nodes_of(*tree)[2].threshold, 9.5F);
}

/// No other place for a split leaves less cross-entropy.
TEST(DecisionTree, StumpIsTheBestOfAll) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Points p = gaussian_features(25, {0.4, 0}, {1, 0.5}, 2 * seed);
    Points q = gaussian_features(40, {0, 0}, {1, 1}, 2 * seed + 1);
    for (Points* features : {&p, &q}) {  // values that meet
      for (float& value : features->values(1)) value = std::round(value * 2) / 2;
    }
    constexpr double kSmoothing = 1e-9;
    const auto stump =
        TreeLearner({.depth = 1, .least_leaf = 4, .smoothing = kSmoothing}).learn(p, q, 0);
    const double found = cross_entropy(*stump, p, q);
    for (const Points* features : {&p, &q}) {
      for (std::size_t f = 0; f < 2; ++f) {
        for (const float threshold : features->values(f)) {
          double below_p = 0;
          double below_q = 0;
          for (const float value : p.values(f)) below_p += value < threshold ? 1 : 0;
          for (const float value : q.values(f)) below_q += value < threshold ? 1 : 0;
          if (below_p + below_q < 4 || 65 - below_p - below_q < 4) continue;
          const auto logit = [&](double of_p, double of_q) {
            return static_cast<float>(
                std::log((of_p / 50 * 65 + kSmoothing) / (of_q / 80 * 65 + kSmoothing)));
          };
          const DecisionTree other(2, {{static_cast<std::uint32_t>(f), 1, threshold, 0},
                                       {0, 0, 0, logit(below_p, below_q)},
                                       {0, 0, 0, logit(25 - below_p, 40 - below_q)}});
          ASSERT_LE(found, cross_entropy(other, p, q) + 1e-6) << "seed " << seed;
        }
      }
    }
  }
}

/// Sixteen squares of a chessboard need both features, and depth.
TEST(DecisionTree, DepthHelps) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<float> unit(0, 1);
  Points p(2, 2000);
  Points q(2, 3000);
  for (std::size_t i = 0; i < q.size(); ++i) {
    for (std::size_t f = 0; f < 2; ++f) q.values(f)[i] = unit(random);
  }
  for (std::size_t i = 0; i < p.size(); ++i) {  // in the lower left quarter and the upper right
    const float corner = i % 4 == 0 ? 0.5F : 0.0F;
    for (std::size_t f = 0; f < 2; ++f) p.values(f)[i] = corner + unit(random) / 2;
  }
  double last = std::log(2.0);
  for (const std::size_t depth : {1U, 2U, 4U}) {
    double told = 0;
    std::size_t levels = 0;
    const auto tree = TreeLearner({.depth = depth, .smoothing = 1e-9})
                          .learn(p, q, 0, [&](std::size_t level, std::size_t of, double now) {
                            EXPECT_EQ(level, ++levels);
                            EXPECT_EQ(of, depth);
                            told = now;
                          });
    EXPECT_EQ(levels, depth);
    const double now = cross_entropy(*tree, p, q);
    EXPECT_NEAR(told, now, 1e-6);
    EXPECT_LT(now, last);
    last = now;
  }
  // P's density is 3 and 1 in its quarters, 0 elsewhere; Q's is 1.
  const double ideal =
      std::log(4.0) / 8 + 3 * std::log(4.0 / 3) / 8 + std::log(2.0) / 8 + std::log(2.0) / 8;
  std::printf("cross-entropy %.4f, of the true ratio %.4f\n", last, ideal);
  EXPECT_NEAR(last, ideal, 0.03);
}

TEST(DecisionTree, LeavesHaveSamples) {
  const Points p = gaussian_features(300, {0.3, 0}, {1, 1}, 3);
  const Points q = gaussian_features(300, {0, 0}, {1, 1}, 4);
  const auto tree = TreeLearner({.depth = 8, .least_leaf = 50}).learn(p, q, 0);
  std::vector<std::size_t> counts(nodes_of(*tree).size());
  for (const Points* features : {&p, &q}) {
    for (std::size_t i = 0; i < 300; ++i) {
      std::size_t node = 0;
      while (nodes_of(*tree)[node].child != 0) {
        const TreeNode& at = nodes_of(*tree)[node];
        node = at.child + (features->values(at.feature)[i] < at.threshold ? 0U : 1U);
      }
      ++counts[node];
    }
  }
  for (std::size_t node = 0; node < counts.size(); ++node) {
    if (nodes_of(*tree)[node].child == 0) {
      EXPECT_GE(counts[node], 50U);
    }
  }
}

TEST(DecisionTree, AnySamplesGiveATree) {
  test::for_odd_samples({0, 1, 30}, {0, 1, 50}, 5, [](const Points& p, const Points& q) {
    test::expect_finite_logits(*TreeLearner({.least_leaf = 0}).learn(p, q, 0), p, q);
  });
}

TEST(DecisionTree, RefusesWhatIsNoTree) {
  const auto making = [](std::size_t dimension, std::vector<TreeNode> nodes) {
    return [dimension, nodes] { const DecisionTree tree(dimension, nodes); };
  };
  const auto refuses = [](const char* what) {
    return ThrowsMessage<InvalidInput>(HasSubstr(what));
  };
  EXPECT_NO_THROW(making(1, {{0, 1, 0, 0}, {}, {}})());
  EXPECT_THAT(making(0, {{}}), refuses("at least 1 feature, but reads 0"));
  EXPECT_THAT(making(1, {}), refuses("at least 1 node, but has 0"));
  EXPECT_THAT(making(1, {{0, 2, 0, 0}, {}, {}}), refuses("but they are 2 and 3"));
  EXPECT_THAT(making(1, {{0, 1, 0, 0}, {0, 1, 0, 0}, {}}), refuses("node 1 of a tree of 3"));
  EXPECT_THAT(making(1, {{0, 4294967295U, 0, 0}, {}, {}}), refuses("4294967295 and 4294967296"));
  EXPECT_THAT(making(2, {{2, 1, 0, 0}, {}, {}}), refuses("a feature below 2, but reads 2"));
  EXPECT_THAT([] { const TreeLearner learner({.depth = 0}); },
              refuses("the depth of a tree must be from 1 to 16, but is 0"));
  EXPECT_THAT([] { const TreeLearner learner({.smoothing = 0}); },
              refuses("the smoothing of a tree must be finite and positive, but is 0"));
}

}  // namespace
}  // namespace mollify
