#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "boosting/classifier.h"
#include "boosting/network.h"
#include "boosting/network_passes.h"
#include "boosting/optimiser_steps.h"
#include "boosting/standardisation.h"
#include "boosting/training_blocks.h"
#include "kernel/core/invalid_input.h"
#include "space/seeded_random.h"

namespace mollify {
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
    if (most == std::numeric_limits<std::size_t>::max()) {
      throw InvalidInput(fmt::format("{} must be at least 1, but is {}", name, count));
    }
    throw InvalidInput(fmt::format("{} must be from 1 to {}, but is {}", name, most, count));
  };
  constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
  check_count("the width of a network", options.width, kMostWidth);
  check_count("the depth of a network", options.depth, kMostDepth);
  check_count("the number of epochs", options.epochs, kNoLimit);
  check_count("the number of minibatches", options.minibatches, kNoLimit);
  check_count("the patience of early stopping", options.patience, kNoLimit);
  if (!(options.rate > 0 && options.rate <= kMostRate)) {
    throw InvalidInput(fmt::format("the learning rate must be positive and at most {}, but is {:g}",
                                   kMostRate, options.rate));
  }
  if (!(options.momentum >= 0 && options.momentum < 1)) {
    throw InvalidInput(
        fmt::format("the momentum must be from 0 to below 1, but is {:g}", options.momentum));
  }
  if (!(options.held_out >= 0 && options.held_out < 1)) {
    throw InvalidInput(
        fmt::format("the share held out must be from 0 to below 1, but is {:g}", options.held_out));
  }
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
  OptimiserSteps steps(options_.optimiser, options_.rate, options_.momentum, parameters.size());
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
