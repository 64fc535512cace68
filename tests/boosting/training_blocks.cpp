#include "boosting/training_blocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "boosting/network_passes.h"

namespace mollify::detail {
namespace {

/// Samples that can be told apart: sample i of P is (i, -i), of Q (1000 + i, -1000 - i).
Points countable(std::size_t size, float first) {
  Points result(2, size);
  for (std::size_t i = 0; i < size; ++i) {
    result.values(0)[i] = first + static_cast<float>(i);
    result.values(1)[i] = -result.values(0)[i];
  }
  return result;
}

/// Chosen samples come once each, in the order of their choice; every minibatch has its share.
TEST(TrainingBlocks, HoldEachChosenSampleOnce) {
  const Points p = countable(700, 0);
  const Points q = countable(900, 1000);
  for (const std::size_t p_size : {1U, 2U, 63U, 699U}) {
    for (const std::size_t q_size : {1U, 65U, 900U}) {
      for (const std::size_t minibatches : {1U, 2U, 7U, 5000U}) {
        std::vector<std::size_t> of_p(p_size);
        std::vector<std::size_t> of_q(q_size);
        std::iota(of_p.rbegin(), of_p.rend(), std::size_t{0});
        std::iota(of_q.rbegin(), of_q.rend(), std::size_t{0});
        const TrainingBlocks blocks(p, q, {of_p, of_q}, minibatches);
        ASSERT_EQ(blocks.size(), p_size + q_size);
        ASSERT_EQ(blocks.minibatches().size(), std::min(minibatches, std::max(p_size, q_size)));
        std::vector<float> seen_of_p;
        std::vector<float> seen_of_q;
        double weight_of_p = 0;
        double weight_of_q = 0;
        for (const TrainingBlocks::Minibatch& minibatch : blocks.minibatches()) {
          std::size_t here_of_p = seen_of_p.size();
          std::size_t here_of_q = seen_of_q.size();
          for (const TrainingBlocks::Block& block : blocks.blocks_of(minibatch)) {
            ASSERT_GT(block.samples, 0U);
            ASSERT_LE(block.samples, kBlock);
            ASSERT_EQ(block.samples % kSampleUnit, 0U);
            const float* const row = blocks.values(block);
            for (std::size_t i = 0; i < block.samples; ++i) {
              ASSERT_EQ(row[kRowStride + i], -row[i]);
              ASSERT_EQ(row[2 * kRowStride + i], 1);
              const float target = row[3 * kRowStride + i];
              const float weight = row[4 * kRowStride + i];
              if (weight == 0) continue;
              (target == 1 ? seen_of_p : seen_of_q).push_back(row[i]);
              (target == 1 ? weight_of_p : weight_of_q) += static_cast<double>(weight);
            }
          }
          here_of_p = seen_of_p.size() - here_of_p;
          here_of_q = seen_of_q.size() - here_of_q;
          const auto share = [&](std::size_t all) {
            return static_cast<double>(all) / static_cast<double>(blocks.minibatches().size());
          };
          ASSERT_LT(std::abs(static_cast<double>(here_of_p) - share(p_size)), 1);
          ASSERT_LT(std::abs(static_cast<double>(here_of_q) - share(q_size)), 1);
          ASSERT_GT(here_of_p + here_of_q, 0U);
        }
        ASSERT_EQ(seen_of_p, std::vector<float>(of_p.begin(), of_p.end()));
        ASSERT_EQ(seen_of_q.size(), q_size);
        for (std::size_t i = 0; i < q_size; ++i) {
          ASSERT_EQ(seen_of_q[i], 1000 + static_cast<float>(of_q[i]));
        }
        const double half = static_cast<double>(p_size + q_size) / 2;
        ASSERT_NEAR(weight_of_p, half, 1e-4 * half);
        ASSERT_NEAR(weight_of_q, half, 1e-4 * half);
      }
    }
  }
}

TEST(TrainingBlocks, CrossEntropyIsItsDefinition) {
  const Points p = countable(1, 0);
  const Points q = countable(3, 1000);
  const std::vector<std::size_t> first = {0};
  const std::vector<std::size_t> all = {0, 1, 2};
  const TrainingBlocks blocks(p, q, {first, all}, 1);
  const TrainingBlocks::Block& block = blocks.blocks_of(blocks.minibatches()[0])[0];
  std::vector<float> logits(block.samples, 5);
  logits[0] = 2;
  logits[1] = 200;
  logits[2] = -200;
  logits[3] = -1;
  const double expected = 2 * std::log1p(std::exp(-2.0)) + (200 + std::log1p(std::exp(-1.0))) / 1.5;
  EXPECT_NEAR(blocks.cross_entropy(block, logits), expected, 1e-5 * expected);
}

}  // namespace
}  // namespace mollify::detail
