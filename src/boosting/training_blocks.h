// Samples laid out for passes over them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "boosting/network_passes.h"
#include "density/points.h"

namespace mollify::detail {

/// Which samples of P and of Q, in which order.
struct SampleChoice {
  std::span<const std::size_t> of_p;
  std::span<const std::size_t> of_q;
};

/// Chosen samples in minibatches, each with its share of P and of Q, and minibatches in blocks as
/// NetworkPasses reads them. Weights are 1 on average, and half of their sum is P's.
class TrainingBlocks {
 public:
  struct Block {
    std::size_t begin;    ///< in the values
    std::size_t samples;  ///< padded by samples of weight 0
  };
  struct Minibatch {
    std::size_t first_block;
    std::size_t last_block;  ///< one further
  };

  /// There are no more minibatches than either choice has samples; each is of at least one sample.
  /// Requires both choices to have samples.
  TrainingBlocks(const Points& p, const Points& q, const SampleChoice& choice,
                 std::size_t minibatches);

  [[nodiscard]] std::span<const Minibatch> minibatches() const noexcept { return minibatches_; }
  [[nodiscard]] std::span<const Block> blocks_of(const Minibatch& minibatch) const noexcept {
    return std::span(blocks_).subspan(minibatch.first_block,
                                      minibatch.last_block - minibatch.first_block);
  }
  [[nodiscard]] const float* values(const Block& block) const noexcept {
    return values_.data() + block.begin;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// The sum of weighted cross-entropies in nats of a block with these logits.
  [[nodiscard]] double cross_entropy(const Block& block, std::span<const float> logits) const;

 private:
  std::size_t dimension_;
  std::size_t size_;
  AlignedFloats values_;
  std::vector<Block> blocks_;
  std::vector<Minibatch> minibatches_;
};

}  // namespace mollify::detail
