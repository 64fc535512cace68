#include "laboratory/contender/private_gan.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "laboratory/measure/word_stream.h"
#include "space/seeded_random.h"

namespace mollify {
namespace {

constexpr std::size_t kPlane = 2;
constexpr std::size_t kMostGanWidth = 128;

/// Inputs, two hidden layers of tanh, linear outputs. Parameters are one vector: of each layer the
/// weights, row by row, and then the offsets.
class SmallNetwork {
 public:
  SmallNetwork(std::size_t inputs, std::size_t width, std::size_t outputs)
      : sizes_{inputs, width, width, outputs} {
    for (std::size_t l = 0; l < 3; ++l) {
      first_[l] = count_;
      count_ += (sizes_[l] + 1) * sizes_[l + 1];
    }
    for (std::size_t l = 0; l < 4; ++l) {
      values_[l].resize(sizes_[l]);
      slopes_[l].resize(sizes_[l]);
    }
  }

  [[nodiscard]] std::size_t parameter_count() const { return count_; }

  /// Uniform weights as [Glorot, Bengio 2010] have them, offsets 0.
  [[nodiscard]] std::vector<float> start(WordStream& words) const {
    std::vector<float> parameters(count_);
    for (std::size_t l = 0; l < 3; ++l) {
      const double limit = std::sqrt(6 / static_cast<double>(sizes_[l] + sizes_[l + 1]));
      for (std::size_t i = 0; i < sizes_[l] * sizes_[l + 1]; ++i) {
        parameters[first_[l] + i] = static_cast<float>(limit * (2 * words.unit() - 1));
      }
    }
    return parameters;
  }

  /// The outputs, which stay until the next call.
  const std::vector<float>& forward(const std::vector<float>& parameters, const float* inputs) {
    std::copy(inputs, inputs + sizes_[0], values_[0].begin());
    for (std::size_t l = 0; l < 3; ++l) {
      const float* weight = parameters.data() + first_[l];
      const float* offset = weight + sizes_[l] * sizes_[l + 1];
      for (std::size_t j = 0; j < sizes_[l + 1]; ++j) {
        float sum = offset[j];
        for (std::size_t k = 0; k < sizes_[l]; ++k) sum += weight[k] * values_[l][k];
        weight += sizes_[l];
        values_[l + 1][j] = l < 2 ? std::tanh(sum) : sum;
      }
    }
    return values_[3];
  }

  /// Adds the gradient of sum_j slopes[j] output_j, for what went forward last; returns that with
  /// respect to the inputs.
  const std::vector<float>& backward(const std::vector<float>& parameters, const float* slopes,
                                     std::vector<float>& gradient) {
    std::copy(slopes, slopes + sizes_[3], slopes_[3].begin());
    for (std::size_t l = 3; l-- > 0;) {
      const float* weight = parameters.data() + first_[l];
      float* of_weight = gradient.data() + first_[l];
      float* of_offset = of_weight + sizes_[l] * sizes_[l + 1];
      std::fill(slopes_[l].begin(), slopes_[l].end(), 0.0F);
      for (std::size_t j = 0; j < sizes_[l + 1]; ++j) {
        const float slope = l < 2 ? slopes_[l + 1][j] * (1 - values_[l + 1][j] * values_[l + 1][j])
                                  : slopes_[l + 1][j];
        of_offset[j] += slope;
        for (std::size_t k = 0; k < sizes_[l]; ++k) {
          of_weight[k] += slope * values_[l][k];
          slopes_[l][k] += slope * weight[k];
        }
        weight += sizes_[l];
        of_weight += sizes_[l];
      }
    }
    return slopes_[0];
  }

 private:
  std::size_t sizes_[4];
  std::size_t first_[3] = {};
  std::size_t count_ = 0;
  std::vector<float> values_[4];
  std::vector<float> slopes_[4];
};

/// RMSProp: each coordinate's step is divided by the root of its mean square.
class RootMeanSquareSteps {
 public:
  RootMeanSquareSteps(std::size_t count, double rate) : squares_(count), rate_(rate) {}

  /// Moves the parameters along the gradient; `direction` is 1 or -1.
  void step(const std::vector<float>& gradient, float direction, std::vector<float>& parameters) {
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      squares_[i] = 0.9F * squares_[i] + 0.1F * gradient[i] * gradient[i];
      parameters[i] +=
          direction * static_cast<float>(rate_) * gradient[i] / (std::sqrt(squares_[i]) + 1e-8F);
    }
  }

 private:
  std::vector<float> squares_;
  double rate_;
};

void require_gan(const Points& records, const PrivateGanSpec& spec) {
  if (records.dimension() != kPlane || records.size() == 0) {
    throw InvalidInput(
        fmt::format("the network learns from points of the plane, but has {} of {} "
                    "dimensions",
                    records.size(), records.dimension()));
  }
  if (spec.width < 1 || spec.width > kMostGanWidth || spec.batch < 1 || spec.critic_steps < 1) {
    throw InvalidInput(
        fmt::format("width (to {}), batch and steps of the critic must be at least 1, but are {}, "
                    "{} and {}",
                    kMostGanWidth, spec.width, spec.batch, spec.critic_steps));
  }
  if (!(spec.rate > 0) || !(spec.weight_bound > 0) || !(spec.gradient_bound > 0) ||
      !(spec.noise >= 0)) {
    throw InvalidInput("rate and bounds must be positive and noise not negative");
  }
}

/// Generator and critic with all that they are trained with.
class Training {
 public:
  Training(const Points& records, const PrivateGanSpec& spec, SeededRandom& random)
      : records_(records),
        spec_(spec),
        words_(random),
        generator_(kPlane, spec.width, kPlane),
        critic_(kPlane, spec.width, 1),
        generator_weights_(generator_.start(words_)),
        critic_weights_(critic_.start(words_)),
        generator_steps_(generator_weights_.size(), spec.rate),
        critic_steps_(critic_weights_.size(), spec.rate),
        sum_(critic_weights_.size()),
        one_(critic_weights_.size()),
        of_generator_(generator_weights_.size()) {
    bound_weights();
  }

  /// One step of the critic: up f(x) - f(G(z)), privately.
  void improve_critic() {
    std::fill(sum_.begin(), sum_.end(), 0.0F);
    for (std::size_t chosen = passed_over(); chosen < records_.size();
         chosen += 1 + passed_over()) {
      const float record[kPlane] = {records_.values(0)[chosen], records_.values(1)[chosen]};
      std::fill(one_.begin(), one_.end(), 0.0F);
      add_critic_gradient(record, 1);
      add_critic_gradient(made().data(), -1);
      double squares = 0;
      for (const float part : one_) squares += static_cast<double>(part * part);
      const double norm = std::sqrt(squares);
      const auto kept =
          static_cast<float>(norm > spec_.gradient_bound ? spec_.gradient_bound / norm : 1);
      for (std::size_t j = 0; j < sum_.size(); ++j) sum_[j] += kept * one_[j];
    }
    const double deviation = spec_.noise * spec_.gradient_bound;
    for (float& part : sum_) {
      if (deviation > 0) part += static_cast<float>(deviation * words_.normal());
      part /= static_cast<float>(spec_.batch);
    }
    critic_steps_.step(sum_, 1, critic_weights_);
    bound_weights();
  }

  /// One step of the generator: up f(G(z)); no record is looked at.
  void improve_generator() {
    std::fill(of_generator_.begin(), of_generator_.end(), 0.0F);
    const float share = 1 / static_cast<float>(spec_.batch);
    for (std::size_t i = 0; i < spec_.batch; ++i) {
      const std::vector<float> point = made();
      critic_.forward(critic_weights_, point.data());
      const float slope = share;
      const std::vector<float> of_point = critic_.backward(critic_weights_, &slope, one_);
      generator_.backward(generator_weights_, of_point.data(), of_generator_);
    }
    generator_steps_.step(of_generator_, 1, generator_weights_);
  }

  /// A point of the generator.
  const std::vector<float>& made() {
    const float noise[kPlane] = {static_cast<float>(words_.normal()),
                                 static_cast<float>(words_.normal())};
    return generator_.forward(generator_weights_, noise);
  }

 private:
  /// How many records are passed over before one that is chosen, each with probability batch/n.
  std::size_t passed_over() {
    const double rest = 1 - static_cast<double>(spec_.batch) / static_cast<double>(records_.size());
    if (rest <= 0) return 0;
    const double passed = std::floor(std::log(words_.unit()) / std::log(rest));
    return passed < static_cast<double>(records_.size()) ? static_cast<std::size_t>(passed)
                                                         : records_.size();
  }

  void add_critic_gradient(const float* point, float sign) {
    critic_.forward(critic_weights_, point);
    critic_.backward(critic_weights_, &sign, one_);
  }

  void bound_weights() {
    const auto bound = static_cast<float>(spec_.weight_bound);
    for (float& weight : critic_weights_) weight = std::clamp(weight, -bound, bound);
  }

  const Points& records_;
  const PrivateGanSpec& spec_;
  WordStream words_;
  SmallNetwork generator_;
  SmallNetwork critic_;
  std::vector<float> generator_weights_;
  std::vector<float> critic_weights_;
  RootMeanSquareSteps generator_steps_;
  RootMeanSquareSteps critic_steps_;
  std::vector<float> sum_;
  std::vector<float> one_;
  std::vector<float> of_generator_;
};

}  // namespace

double private_gan_noise(const PrivateGanSpec& spec, std::size_t records, double epsilon,
                         double delta) {
  const double rate = static_cast<double>(spec.batch) / static_cast<double>(records);
  return 2 * rate * std::sqrt(static_cast<double>(spec.critic_steps) * std::log(1 / delta)) /
         epsilon;
}

SampledGaussian private_gan_cost(const PrivateGanSpec& spec, std::size_t records) {
  return {.rate = std::min(1.0, static_cast<double>(spec.batch) / static_cast<double>(records)),
          .deviation = spec.noise,
          .steps = spec.generator_steps * spec.critic_steps};
}

Points private_gan_sample(const Points& records, const PrivateGanSpec& spec, std::size_t count,
                          std::uint64_t seed,
                          const std::function<void(std::size_t step)>& progress) {
  require_gan(records, spec);
  SeededRandom random(seed);
  Training training(records, spec, random);
  const std::size_t hundredth = std::max<std::size_t>(spec.generator_steps / 100, 1);
  for (std::size_t step = 1; step <= spec.generator_steps; ++step) {
    for (std::size_t i = 0; i < spec.critic_steps; ++i) training.improve_critic();
    training.improve_generator();
    if (progress && step % hundredth == 0) progress(step);
  }
  Points sample(kPlane, count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<float>& point = training.made();
    for (std::size_t axis = 0; axis < kPlane; ++axis) sample.values(axis)[i] = point[axis];
  }
  return sample;
}

}  // namespace mollify
