// Tiny networks and how they learn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <boost/align/aligned_allocator.hpp>

#include "core/lanes.h"
#include "scores/boosting.h"
#include "scores/network_lanes.h"
#include "scores/points.h"

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// Forward and backward passes of a network over blocks of samples.

/// Values that begin at a cache line, as then do all rows of a block: passes take 6 % longer
/// without.
using AlignedFloats = std::vector<float, boost::alignment::aligned_allocator<float, 64>>;

/// Number of samples, rounded up for passes.
[[nodiscard]] constexpr std::size_t padded(std::size_t samples) {
  return (samples + kSampleUnit - 1) / kSampleUnit * kSampleUnit;
}

/// A block has a row for each feature, one of ones, one of targets (1 for P, 0 for Q) and one of
/// weights. Rows are kRowStride apart.
inline constexpr std::size_t kRowsBesideFeatures = 3;

/// A network with its parameters and, for one block at a time, its activations.
///
/// Parameters are one vector: the layers of NetworkParameters after each other.
class NetworkPasses {
 public:
  /// `sizes` as NetworkClassifier has them.
  explicit NetworkPasses(std::vector<std::size_t> sizes,
                         const NetworkLanes& lanes = fastest<NetworkLanes>());

  [[nodiscard]] std::size_t parameter_count() const noexcept { return parameters_.size(); }

  void set_parameters(std::span<const float> parameters);

  /// The logits of a block's samples. `samples` is a multiple of kSampleUnit and at most kBlock.
  std::span<const float> forward(const float* block, std::size_t samples);

  /// Adds the gradient of sum_i weight_i cross-entropy_i over the block that went forward last.
  void backward(const float* block, std::size_t samples);

  /// The sum of gradients since the last time, times `factor`. It is 0 afterwards. Requires that
  /// something went backward before.
  std::span<const float> take_gradient(float factor);

 private:
  struct Layer {
    std::size_t inputs;
    std::size_t outputs;
    std::size_t first_parameter;
    std::vector<float> by_input;  ///< W transposed
    std::vector<float> offsets;
    AlignedFloats activations;  ///< a row for each output, and one of ones
  };

  /// A caller who only asks for logits needs none, and it is more than all the rest.
  void make_room_for_backward();

  const NetworkLanes& lanes_;
  std::vector<Layer> layers_;
  std::vector<float> parameters_;
  AlignedFloats slopes_;       ///< inputs of tanh in a layer, a row for each output
  AlignedFloats next_slopes_;  ///< in the layer before
  AlignedFloats sums_;         ///< gradients in parts
  std::vector<float> gradient_;
};

// -----------------------------------------------------------------------------------------------
// Samples laid out for passes over them.

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

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Small neural networks that tell two distributions apart: the papers' weak learner.

/// All that a network is. Feature f enters as (x - centres[f]) * factors[f], or as 0 if that is not
/// finite. Then come hidden layers, each tanh(W h + b), and the logit, W h + b without tanh.
struct NetworkParameters {
  std::vector<float> centres{};  ///< of each feature
  std::vector<float> factors{};  ///< of each feature
  /// Of each layer, the last one being the logit's: the row of W and then the entry of b for each
  /// neuron in turn. A layer's number of inputs follows from the layer before.
  std::vector<std::vector<float>> layers{};

  friend bool operator==(const NetworkParameters&, const NetworkParameters&) = default;
};

/// A fully connected network in single precision with one logit.
///
/// Processors with fused multiply-adds round differently, so logits differ between processors by a
/// few units in the last place of the sum.
class NetworkClassifier final : public Classifier {
 public:
  /// Throws InvalidInput unless there is at least one feature, each feature has a centre and a
  /// factor, there is at least one layer, layers fit together, and the last has one neuron. The
  /// values themselves may be anything: NaN gives some logits.
  explicit NetworkClassifier(NetworkParameters parameters);

  [[nodiscard]] std::size_t dimension() const noexcept override {
    return parameters_.centres.size();
  }
  /// O(points * parameters).
  void logits(const Points& points, std::span<float> logits) const override;

  [[nodiscard]] const NetworkParameters& parameters() const noexcept { return parameters_; }

  /// Neurons: of the input (the features), of each hidden layer, and 1.
  [[nodiscard]] const std::vector<std::size_t>& sizes() const noexcept { return sizes_; }

 private:
  NetworkParameters parameters_;
  std::vector<std::size_t> sizes_;
};

/// How steps follow from gradients g of the loss, the sum of P's and of Q's mean cross-entropies.
enum class Optimiser {
  kNesterov,  ///< v <- momentum v + g; w <- w - rate (g + momentum v)
  kAdam,      ///< of half of the loss: Kingma, Ba 2015, with decays .9 and .999 and 1e-8
};

/// How a network is trained; as it stands, the system of [Husain et al. 2020, Section 5]: three
/// hidden layers of 25.
struct NetworkOptions {
  std::size_t width = 25;  ///< neurons of each hidden layer, 1 to 1024
  std::size_t depth = 3;   ///< hidden layers, 1 to 16
  Optimiser optimiser = Optimiser::kNesterov;
  double rate = 0.01;           ///< positive, at most 1000
  double momentum = 0.9;        ///< of Nesterov's method, from 0 to below 1
  std::size_t epochs = 750;     ///< passes over the samples, at least 1
  std::size_t minibatches = 2;  ///< steps in a pass, at least 1
  /// Early stopping, for analysis only: how long training takes then tells about the samples. This
  /// share of either sample, below 1, is held out; training ends when the cross-entropy there has
  /// not reached a new minimum for `patience` passes, and the weights of the minimum are kept. 0
  /// trains for all epochs on all samples.
  double held_out = 0;
  std::size_t patience = 20;  ///< at least 1
};

/// Trains networks by the cross-entropy of a sigmoid output.
///
/// Start. Weights are uniform on +-sqrt(6 / (inputs + outputs)) as [Glorot, Bengio 2010] have them,
/// offsets are 0.
///
/// Samples. Features are standardised by the samples' own mean and deviation, each distribution
/// counting half and values that are not finite counting as absent. Either sample is shuffled once;
/// each minibatch has its share of both, and minibatches stay the same in all passes.
///
/// Arithmetic is in single precision and in one thread. Equal samples, options and seeds give equal
/// weights bit for bit on processors with the same instruction set. Weights that are not finite
/// stay so and are nobody's error.
///
/// O(epochs * samples * parameters): the papers' setting (20000 samples, 1376 parameters of two
/// features) takes 6e10 multiply-adds.
class NetworkLearner final : public WeakLearner {
 public:
  /// Throws InvalidInput if an option is out of its range.
  explicit NetworkLearner(const NetworkOptions& options = {});

  /// A NetworkClassifier of sizes dimension, width, ..., width, 1. Throws InvalidInput if the
  /// dimensions differ or are 0.
  [[nodiscard]] std::unique_ptr<Classifier> learn(
      const Points& p, const Points& q, std::uint64_t seed,
      const TrainingProgress& progress = nullptr) const override;

 private:
  NetworkOptions options_;
};

/// The papers' network with a schedule of fixed length that reaches the loss of their 750 epochs in
/// a small part of the time (docs/evidence/single-records.md): Adam, many small steps, no early
/// stopping, so that the time it takes says nothing about the rows.
[[nodiscard]] NetworkOptions release_network();

/// A release's learner of such networks.
[[nodiscard]] std::shared_ptr<const WeakLearner> release_learner();

}  // namespace mollify

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// Steps of gradient descent.

/// The state of an optimiser between its steps. Total: gradients that are not finite give weights
/// that are not.
class OptimiserSteps {
 public:
  OptimiserSteps(Optimiser optimiser, double rate, double momentum, std::size_t parameter_count);

  /// Moves the parameters by one step.
  void step(std::span<const float> gradient, std::span<float> parameters);

 private:
  Optimiser optimiser_;
  double rate_;
  double momentum_;
  double first_decay_ = 1;   ///< .9 to the number of steps
  double second_decay_ = 1;  ///< .999 to it
  std::vector<float> velocity_;
  std::vector<float> squares_;
};

}  // namespace mollify::detail
