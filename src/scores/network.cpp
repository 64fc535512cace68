#include "scores/network.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/progress.h"
#include "base/refusal.h"
#include "core/ranges.h"
#include "domain/candidates.h"

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// Samples laid out for passes over them.

namespace {

struct Sample {
  bool is_of_p;
  std::size_t index;
};

/// Part `part` of `parts` as equal ones as can be.
std::span<const std::size_t> share(std::span<const std::size_t> all, std::size_t part,
                                   std::size_t parts) {
  const std::size_t begin = all.size() * part / parts;
  return all.subspan(begin, all.size() * (part + 1) / parts - begin);
}

}  // namespace

TrainingBlocks::TrainingBlocks(const Points& p, const Points& q, const SampleChoice& choice,
                               std::size_t minibatches)
    : dimension_(p.dimension()), size_(choice.of_p.size() + choice.of_q.size()) {
  const std::size_t count = std::min(minibatches, std::max(choice.of_p.size(), choice.of_q.size()));
  const auto weight = [&](std::size_t samples) {
    return static_cast<float>(static_cast<double>(size_) / (2 * static_cast<double>(samples)));
  };
  const float weight_of_p = weight(choice.of_p.size());
  const float weight_of_q = weight(choice.of_q.size());
  std::vector<Sample> samples;
  for (std::size_t m = 0; m < count; ++m) {
    samples.clear();
    for (const std::size_t i : share(choice.of_p, m, count)) samples.push_back({true, i});
    for (const std::size_t i : share(choice.of_q, m, count)) samples.push_back({false, i});
    const std::size_t first_block = blocks_.size();
    const std::size_t units = padded(samples.size()) / kSampleUnit;
    const std::size_t blocks = (samples.size() + kBlock - 1) / kBlock;
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t begin = kSampleUnit * (units * b / blocks);
      const std::size_t end = std::min(kSampleUnit * (units * (b + 1) / blocks), samples.size());
      const Block block{values_.size(), padded(end - begin)};
      values_.resize(block.begin + (dimension_ + kRowsBesideFeatures) * kRowStride);
      float* row = values_.data() + block.begin;
      for (std::size_t f = 0; f < dimension_; ++f, row += kRowStride) {
        for (std::size_t i = begin; i < end; ++i) {
          row[i - begin] = (samples[i].is_of_p ? p : q).values(f)[samples[i].index];
        }
      }
      std::fill_n(row, kRowStride, 1.0F);
      for (std::size_t i = begin; i < end; ++i) {
        row[kRowStride + i - begin] = samples[i].is_of_p ? 1.0F : 0.0F;
        row[2 * kRowStride + i - begin] = samples[i].is_of_p ? weight_of_p : weight_of_q;
      }
      blocks_.push_back(block);
    }
    minibatches_.push_back({first_block, blocks_.size()});
  }
}

double TrainingBlocks::cross_entropy(const Block& block, std::span<const float> logits) const {
  const float* const targets = values(block) + (dimension_ + 1) * kRowStride;
  const float* const weights = targets + kRowStride;
  double sum = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double against = static_cast<double>(targets[i] > 0 ? -logits[i] : logits[i]);
    const double softplus = std::fmax(against, 0.0) + std::log1p(std::exp(-std::abs(against)));
    sum += static_cast<double>(weights[i]) * softplus;
  }
  return sum;
}

// -----------------------------------------------------------------------------------------------
// Steps of gradient descent.

OptimiserSteps::OptimiserSteps(Optimiser optimiser, double rate, double momentum,
                               std::size_t parameter_count)
    : optimiser_(optimiser), rate_(rate), momentum_(momentum), velocity_(parameter_count) {
  if (optimiser == Optimiser::kAdam) squares_.resize(parameter_count);
}

void OptimiserSteps::step(std::span<const float> gradient, std::span<float> parameters) {
  if (optimiser_ == Optimiser::kNesterov) {
    const float rate = static_cast<float>(rate_);
    const float momentum = static_cast<float>(momentum_);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      velocity_[i] = momentum * velocity_[i] + gradient[i];
      parameters[i] -= rate * (gradient[i] + momentum * velocity_[i]);
    }
    return;
  }
  constexpr float kFirst = 0.9F;
  constexpr float kSecond = 0.999F;
  first_decay_ *= 0.9;
  second_decay_ *= 0.999;
  const float rate = static_cast<float>(rate_ / (1 - first_decay_));
  const float scale = static_cast<float>(1 / (1 - second_decay_));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    velocity_[i] = kFirst * velocity_[i] + (1 - kFirst) * gradient[i];
    squares_[i] = kSecond * squares_[i] + (1 - kSecond) * gradient[i] * gradient[i];
    parameters[i] -= rate * velocity_[i] / (std::sqrt(squares_[i] * scale) + 1e-8F);
  }
}

// -----------------------------------------------------------------------------------------------
// Forward and backward passes of a network over blocks of samples.

NetworkPasses::NetworkPasses(std::vector<std::size_t> sizes, const NetworkLanes& lanes)
    : lanes_(lanes) {
  std::size_t parameter_count = 0;
  for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
    const std::size_t inputs = sizes[l];
    const std::size_t outputs = sizes[l + 1];
    AlignedFloats activations((outputs + 1) * kRowStride);
    std::fill_n(activations.begin() + static_cast<std::ptrdiff_t>(outputs * kRowStride), kRowStride,
                1.0F);
    layers_.push_back({inputs, outputs, parameter_count, std::vector<float>(inputs * outputs),
                       std::vector<float>(outputs), std::move(activations)});
    parameter_count += (inputs + 1) * outputs;
  }
  parameters_.resize(parameter_count);
}

void NetworkPasses::set_parameters(std::span<const float> parameters) {
  std::copy(parameters.begin(), parameters.end(), parameters_.begin());
  for (Layer& layer : layers_) {
    const float* parameter = parameters_.data() + layer.first_parameter;
    for (std::size_t j = 0; j < layer.outputs; ++j) {
      for (std::size_t k = 0; k < layer.inputs; ++k) {
        layer.by_input[k * layer.outputs + j] = *parameter++;
      }
      layer.offsets[j] = *parameter++;
    }
  }
}

std::span<const float> NetworkPasses::forward(const float* block, std::size_t samples) {
  const float* from = block;
  for (Layer& layer : layers_) {
    const Combination how{layer.by_input.data(), layer.outputs, layer.inputs, layer.outputs};
    const bool is_last = &layer == &layers_.back();
    (is_last ? lanes_.combine : lanes_.activate)(how, layer.offsets.data(), from,
                                                 layer.activations.data(), samples);
    from = layer.activations.data();
  }
  return {from, samples};
}

void NetworkPasses::backward(const float* block, std::size_t samples) {
  if (sums_.empty()) make_room_for_backward();
  const float* const targets = block + (layers_.front().inputs + 1) * kRowStride;
  lanes_.residuals(layers_.back().activations.data(), targets, targets + kRowStride, slopes_.data(),
                   samples);
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    const float* const inputs = l > 0 ? layers_[l - 1].activations.data() : block;
    // The row of ones makes the offsets' gradients.
    lanes_.add_products(slopes_.data(), layer.outputs, inputs, layer.inputs + 1, samples,
                        sums_.data() + layer.first_parameter * kSampleLanes);
    if (l == 0) break;
    const Combination how{parameters_.data() + layer.first_parameter, layer.inputs + 1,
                          layer.outputs, layer.inputs};
    lanes_.propagate_back(how, inputs, slopes_.data(), next_slopes_.data(), samples);
    std::swap(slopes_, next_slopes_);
  }
}

void NetworkPasses::make_room_for_backward() {
  std::size_t widest = 0;
  for (const Layer& layer : layers_) widest = std::max(widest, layer.outputs);
  slopes_.resize(widest * kRowStride);
  next_slopes_.resize(widest * kRowStride);
  sums_.resize(parameters_.size() * kSampleLanes);
  gradient_.resize(parameters_.size());
}

std::span<const float> NetworkPasses::take_gradient(float factor) {
  for (std::size_t i = 0; i < gradient_.size(); ++i) {
    float sum = 0;
    for (std::size_t part = 0; part < kSampleLanes; ++part) sum += sums_[i * kSampleLanes + part];
    gradient_[i] = sum * factor;
  }
  std::fill(sums_.begin(), sums_.end(), 0.0F);
  return gradient_;
}

}  // namespace mollify::detail

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Small neural networks that tell two distributions apart.

namespace {

std::vector<std::size_t> sizes_of(const NetworkParameters& parameters) {
  const std::size_t dimension = parameters.centres.size();
  refuse_if(dimension == 0, "out-of-range", {},
            "a network must read at least 1 feature, but reads 0");
  refuse_if(parameters.factors.size() != dimension, "wrong-shape", {},
            "a network of {} features must have as many factors, but has {}", dimension,
            parameters.factors.size());
  refuse_if(parameters.layers.empty(), "out-of-range", "layers",
            "a network must have at least 1 layer, but has 0");
  std::vector<std::size_t> sizes = {dimension};
  for (std::size_t l = 0; l < parameters.layers.size(); ++l) {
    const std::size_t count = parameters.layers[l].size();
    const std::size_t row = sizes.back() + 1;
    refuse_if(count == 0 || count % row != 0, "wrong-shape", {},
              "layer {} of a network must have {} values for each neuron, but has {} values", l + 1,
              row, count);
    sizes.push_back(count / row);
  }
  if (sizes.back() != 1) {
    refuse_input("wrong-shape", {}, "the last layer of a network must have 1 neuron, but has {}",
                 sizes.back());
  }
  return sizes;
}

}  // namespace

NetworkClassifier::NetworkClassifier(NetworkParameters parameters)
    : parameters_(std::move(parameters)), sizes_(sizes_of(parameters_)) {}

void NetworkClassifier::logits(const Points& points, std::span<float> logits) const {
  detail::check_points(*this, points, logits);
  detail::NetworkPasses passes(sizes_);
  std::vector<float> parameters;
  for (const std::vector<float>& layer : parameters_.layers) {
    parameters.insert(parameters.end(), layer.begin(), layer.end());
  }
  passes.set_parameters(parameters);
  detail::AlignedFloats block(dimension() * detail::kRowStride);
  for (std::size_t begin = 0; begin < points.size(); begin += detail::kBlock) {
    const std::size_t count = std::min(detail::kBlock, points.size() - begin);
    for (std::size_t f = 0; f < dimension(); ++f) {
      detail::standardise(points.values(f).subspan(begin, count), parameters_.centres[f],
                          parameters_.factors[f], block.data() + f * detail::kRowStride);
    }
    const std::span<const float> result = passes.forward(block.data(), detail::padded(count));
    std::copy_n(result.begin(), count, logits.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

// -----------------------------------------------------------------------------------------------
// Network learner.

namespace {

using detail::NetworkPasses;
using detail::OptimiserSteps;
using detail::SampleChoice;
using detail::Standardisation;
using detail::TrainingBlocks;

constexpr std::size_t kMostWidth = 1024;
constexpr std::size_t kMostDepth = 16;
constexpr double kMostRate = 1000;

void check(const NetworkOptions& options) {
  const auto check_count = [](const char* name, std::size_t count, std::size_t most) {
    if (count >= 1 && count <= most) return;
    Range range{.least = 1};
    if (most != std::numeric_limits<std::size_t>::max()) range.most = static_cast<double>(most);
    require_in(range, {name, name}, count);
  };
  constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
  check_count("the width of a network", options.width, kMostWidth);
  check_count("the depth of a network", options.depth, kMostDepth);
  check_count("the number of epochs", options.epochs, kNoLimit);
  check_count("the number of minibatches", options.minibatches, kNoLimit);
  check_count("the patience of early stopping", options.patience, kNoLimit);
  require_in(positive_up_to(kMostRate), {"the learning rate", "rate"}, options.rate);
  require_in(kBelowOne, {"the momentum", "momentum"}, options.momentum);
  require_in(kBelowOne, {"the share held out", "held-out"}, options.held_out);
}

std::vector<std::size_t> sizes_of(const NetworkOptions& options, std::size_t dimension) {
  std::vector<std::size_t> sizes(options.depth + 2, options.width);
  sizes.front() = dimension;
  sizes.back() = 1;
  return sizes;
}

/// All layers after each other.
std::vector<float> starting_parameters(const std::vector<std::size_t>& sizes,
                                       SeededRandom& random) {
  std::vector<float> result;
  for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
    const double limit = std::sqrt(6 / static_cast<double>(sizes[l] + sizes[l + 1]));
    for (std::size_t j = 0; j < sizes[l + 1]; ++j) {
      for (std::size_t k = 0; k < sizes[l]; ++k) {
        const double uniform = static_cast<double>(random.word() >> 11) * 0x1p-53;
        result.push_back(static_cast<float>(limit * (2 * uniform - 1)));
      }
      result.push_back(0);
    }
  }
  return result;
}

std::unique_ptr<Classifier> classifier(const std::vector<std::size_t>& sizes,
                                       Standardisation standardisation,
                                       std::span<const float> parameters) {
  NetworkParameters result{
      std::move(standardisation.centres), std::move(standardisation.factors), {}};
  auto next = parameters.begin();
  for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
    const auto end = next + static_cast<std::ptrdiff_t>((sizes[l] + 1) * sizes[l + 1]);
    result.layers.emplace_back(next, end);
    next = end;
  }
  return std::make_unique<NetworkClassifier>(std::move(result));
}

Points standardised(const Points& samples, const Standardisation& standardisation) {
  Points result(samples.dimension(), samples.size());
  for (std::size_t f = 0; f < samples.dimension(); ++f) {
    detail::standardise(samples.values(f), standardisation.centres[f], standardisation.factors[f],
                        result.values(f).data());
  }
  return result;
}

std::vector<std::size_t> shuffled(std::size_t size, SeededRandom& random) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = size; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

/// The mean cross-entropy.
double cross_entropy(const TrainingBlocks& samples, NetworkPasses& passes) {
  double sum = 0;
  for (const TrainingBlocks::Minibatch& minibatch : samples.minibatches()) {
    for (const TrainingBlocks::Block& block : samples.blocks_of(minibatch)) {
      sum += samples.cross_entropy(block, passes.forward(samples.values(block), block.samples));
    }
  }
  return sum / static_cast<double>(samples.size());
}

/// One pass; its mean cross-entropy if that is asked for.
double pass(const TrainingBlocks& samples, bool with_cross_entropy, NetworkPasses& passes,
            OptimiserSteps& steps, std::span<float> parameters) {
  const double minibatch_size =
      static_cast<double>(samples.size()) / static_cast<double>(samples.minibatches().size());
  double sum = 0;
  for (const TrainingBlocks::Minibatch& minibatch : samples.minibatches()) {
    keep_going();
    for (const TrainingBlocks::Block& block : samples.blocks_of(minibatch)) {
      const float* const values = samples.values(block);
      const std::span<const float> logits = passes.forward(values, block.samples);
      if (with_cross_entropy) sum += samples.cross_entropy(block, logits);
      passes.backward(values, block.samples);
    }
    steps.step(passes.take_gradient(static_cast<float>(1 / minibatch_size)), parameters);
    passes.set_parameters(parameters);
  }
  return sum / static_cast<double>(samples.size());
}

/// Remembers the parameters with which held-out samples have the least cross-entropy.
class EarlyStop {
 public:
  EarlyStop(TrainingBlocks held_out, std::size_t patience)
      : held_out_(std::move(held_out)), patience_(patience) {}

  /// Whether to stop after a pass that left these parameters.
  bool is_due(std::span<const float> parameters, NetworkPasses& passes) {
    const double now = cross_entropy(held_out_, passes);
    if (now < least_) {
      least_ = now;
      best_.assign(parameters.begin(), parameters.end());
      waited_ = 0;
      return false;
    }
    return ++waited_ == patience_;
  }

  /// Empty if no cross-entropy was a number.
  [[nodiscard]] const std::vector<float>& best() const noexcept { return best_; }

 private:
  TrainingBlocks held_out_;
  std::size_t patience_;
  std::size_t waited_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
  std::vector<float> best_;
};

}  // namespace

NetworkLearner::NetworkLearner(const NetworkOptions& options) : options_(options) {
  check(options);
}

std::unique_ptr<Classifier> NetworkLearner::learn(const Points& p, const Points& q,
                                                  std::uint64_t seed,
                                                  const TrainingProgress& progress) const {
  detail::check_samples(p, q);
  const std::vector<std::size_t> sizes = sizes_of(options_, p.dimension());
  Standardisation standardisation = detail::standardisation_of(p, q);
  NetworkPasses passes(sizes);
  if (p.size() == 0 || q.size() == 0) {
    return classifier(sizes, std::move(standardisation),
                      std::vector<float>(passes.parameter_count()));
  }
  const Points standard_p = standardised(p, standardisation);
  const Points standard_q = standardised(q, standardisation);
  SeededRandom random(seed);
  std::vector<float> parameters = starting_parameters(sizes, random);
  const std::vector<std::size_t> order_of_p = shuffled(p.size(), random);
  const std::vector<std::size_t> order_of_q = shuffled(q.size(), random);
  const auto kept = [&](std::size_t size) {
    const double held_out = options_.held_out * static_cast<double>(size);
    return size - std::min(size - 1, static_cast<std::size_t>(held_out));
  };
  const std::span of_p(order_of_p);
  const std::span of_q(order_of_q);
  const TrainingBlocks samples(standard_p, standard_q,
                               {of_p.first(kept(p.size())), of_q.first(kept(q.size()))},
                               options_.minibatches);
  const SampleChoice held_out{of_p.subspan(kept(p.size())), of_q.subspan(kept(q.size()))};
  std::optional<EarlyStop> stop;
  if (!held_out.of_p.empty() && !held_out.of_q.empty()) {
    stop.emplace(TrainingBlocks(standard_p, standard_q, held_out, 1), options_.patience);
  }
  // Passes give the gradient of the mean over both samples, half of the loss.
  const double rate = (options_.optimiser == Optimiser::kNesterov ? 2 : 1) * options_.rate;
  OptimiserSteps steps(options_.optimiser, rate, options_.momentum, parameters.size());
  passes.set_parameters(parameters);
  for (std::size_t epoch = 1; epoch <= options_.epochs; ++epoch) {
    const double mean = pass(samples, progress != nullptr, passes, steps, parameters);
    if (progress) progress(epoch, options_.epochs, mean);
    if (stop && stop->is_due(parameters, passes)) break;
  }
  if (stop && !stop->best().empty()) parameters = stop->best();
  return classifier(sizes, std::move(standardisation), parameters);
}

NetworkOptions release_network() {
  NetworkOptions options;
  options.optimiser = Optimiser::kAdam;
  options.rate = 0.01;
  options.epochs = 30;
  options.minibatches = 40;
  return options;
}

std::shared_ptr<const WeakLearner> release_learner() {
  return std::make_shared<NetworkLearner>(release_network());
}

}  // namespace mollify
