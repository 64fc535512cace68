// Small neural networks that tell two distributions apart: the papers' weak learner.
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

/// All that a network is. Feature f enters as (x - centres[f]) * factors[f], or as 0 if that is not
/// finite. Then come hidden layers, each tanh(W h + b), and the logit, W h + b without tanh.
struct NetworkParameters {
  std::vector<float> centres{};  ///< of each feature
  std::vector<float> factors{};  ///< of each feature
  /// Of each layer, the last one being the logit's: the row of W and then the entry of b for each
  /// neuron in turn. A layer's number of neurons follows from that of the one before.
  std::vector<std::vector<float>> layers{};

  friend bool operator==(const NetworkParameters&, const NetworkParameters&) = default;
};

/// A fully connected network in single precision with one logit.
///
/// Processors with fused multiply-adds round differently, so logits differ between processors by a
/// few units in the last place of what is summed.
class NetworkClassifier final : public Classifier {
 public:
  /// Throws InvalidInput unless there is at least one feature, each feature has a centre and a
  /// factor, there is at least one layer, layers fit together, and the last has one neuron. The
  /// values themselves may be anything: NaN gives some logits.
  explicit NetworkClassifier(NetworkParameters parameters);

  [[nodiscard]] std::size_t dimension() const noexcept override;
  /// O(points * parameters).
  void logits(const Points& points, std::span<float> logits) const override;

  [[nodiscard]] const NetworkParameters& parameters() const noexcept { return parameters_; }

  /// Neurons: of the input (the features), of each hidden layer, and 1.
  [[nodiscard]] const std::vector<std::size_t>& sizes() const noexcept { return sizes_; }

 private:
  NetworkParameters parameters_;
  std::vector<std::size_t> sizes_;
};

/// How steps follow from gradients g of the mean cross-entropy.
enum class Optimiser {
  kNesterov,  ///< v <- momentum v + g; w <- w - rate (g + momentum v)
  kAdam,      ///< Kingma, Ba 2015, with decays .9 and .999 and 1e-8
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
/// Arithmetic is in single precision and in one thread. The same samples, options and seed give the
/// same weights bit for bit on processors with the same instruction set. Weights that are not
/// finite stay so and are nobody's error.
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
/// a small part of the time (docs/guide/boosting.md): Adam, many small steps, no early stopping, so
/// that the time it takes says nothing about the rows.
[[nodiscard]] NetworkOptions release_network();

/// What a release learns with: a learner of such networks.
[[nodiscard]] std::shared_ptr<const WeakLearner> release_learner();

}  // namespace mollify
