#include "scores/network.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <numbers>
#include <numeric>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "every_lanes.h"
#include "scores/plain_network.h"
#include "scores/samples.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Network.

namespace {

using test::logits_of;

using test::gaussian_features;
using test::PlainNetwork;
using test::PlainSample;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

NetworkParameters network_parameters(const Classifier& classifier) {
  return dynamic_cast<const NetworkClassifier&>(classifier).parameters();
}

std::vector<double> flat(const NetworkParameters& parameters) {
  std::vector<double> result;
  for (const std::vector<float>& layer : parameters.layers) {
    result.insert(result.end(), layer.begin(), layer.end());
  }
  return result;
}

/// Two normal laws of deviation 1 around +-.5: ln P/Q is x.
TEST(Network, LearnsTheLogRatioOfTwoGaussians) {
  const Points p = gaussian_features(4000, {0.5}, {1}, 1);
  const Points q = gaussian_features(4000, {-0.5}, {1}, 2);
  for (const Optimiser optimiser : {Optimiser::kNesterov, Optimiser::kAdam}) {
    const NetworkLearner learner(
        {.width = 8, .depth = 2, .optimiser = optimiser, .rate = 0.02, .epochs = 300});
    const auto classifier = learner.learn(p, q, 3);
    Points points(1, 41);
    for (std::size_t i = 0; i < points.size(); ++i) {
      points.values(0)[i] = static_cast<float>(i) / 10 - 2;
    }
    const std::vector<float> logits = logits_of(*classifier, points);
    float worst = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      worst = std::max(worst, std::abs(logits[i] - points.values(0)[i]));
    }
    std::printf("logits on [-2, 2] are off by at most %.3f\n", static_cast<double>(worst));
    EXPECT_LT(worst, 0.35F);
  }
}

/// A few passes in one minibatch are plain gradient descent in double precision, on the sum of two
/// samples' mean losses, whatever their sizes are.
TEST(Network, StepsAreThePlainOnes) {
  const Points p = gaussian_features(40, {0.5, 3}, {1, 2}, 5);
  const Points q = gaussian_features(90, {0, 4}, {2, 1}, 6);
  NetworkOptions options{.width = 5, .depth = 2, .rate = 1e-300, .epochs = 1, .minibatches = 1};
  // With such a rate the weights stay where they start.
  const NetworkParameters start = network_parameters(*NetworkLearner(options).learn(p, q, 7));
  const std::vector<std::size_t> sizes = {2, 5, 5, 1};
  std::vector<PlainSample> samples;
  for (const Points* features : {&p, &q}) {
    for (std::size_t i = 0; i < features->size(); ++i) {
      PlainSample& sample = samples.emplace_back();
      for (std::size_t f = 0; f < 2; ++f) {
        sample.features.push_back(
            static_cast<double>((features->values(f)[i] - start.centres[f]) * start.factors[f]));
      }
      sample.target = features == &p ? 1 : 0;
      sample.weight = 1 / static_cast<double>(features->size());
    }
  }
  options.rate = 0.05;
  options.epochs = 20;
  PlainNetwork network(sizes, flat(start));
  std::vector<double> velocity(network.parameters().size());
  std::vector<double> cross_entropies;
  for (std::size_t epoch = 0; epoch < options.epochs; ++epoch) {
    cross_entropies.push_back(network.loss(samples));
    const std::vector<double> gradient = network.gradient(samples);
    for (std::size_t i = 0; i < velocity.size(); ++i) {
      velocity[i] = options.momentum * velocity[i] + gradient[i];
      network.parameters()[i] -= options.rate * (gradient[i] + options.momentum * velocity[i]);
    }
  }
  std::vector<double> told;
  const auto classifier = NetworkLearner(options).learn(
      p, q, 7, [&](std::size_t epoch, std::size_t epochs, double cross_entropy) {
        told.push_back(cross_entropy);
        EXPECT_EQ(epoch, told.size());
        EXPECT_EQ(epochs, 20U);
      });
  ASSERT_EQ(told.size(), cross_entropies.size());
  for (std::size_t e = 0; e < told.size(); ++e) EXPECT_NEAR(2 * told[e], cross_entropies[e], 1e-5);
  const std::vector<double> learned = flat(network_parameters(*classifier));
  for (std::size_t i = 0; i < learned.size(); ++i) {
    EXPECT_NEAR(learned[i], network.parameters()[i], 1e-5) << i;
  }
}

/// The papers' schedule, which is the default, on a ring of eight Gaussians: 1500 steps on the sum
/// of both losses, and at half of the rate, which is their mean. Expected are another program's
/// cross-entropy, and -E_P ln Q_1 at epsilon 1.
TEST(Network, ThePapersScheduleStepsByTheSumOfBothLosses) {
  const std::size_t size = 10'000;
  Points p = gaussian_features(size, {0, 0}, {0.1, 0.1}, 31);
  const Points q = gaussian_features(size, {0, 0}, {1, 1}, 32);
  for (std::size_t i = 0; i < size; ++i) {
    const double angle = std::numbers::pi / 4 * static_cast<double>(i % 8);
    p.values(0)[i] += static_cast<float>(std::cos(angle));
    p.values(1)[i] += static_cast<float>(std::sin(angle));
  }
  const double log2 = std::numbers::ln2;
  const auto bent = [&](float logit) {
    return log2 * std::tanh(static_cast<double>(logit) / 2) / (1 + 4 * log2);
  };
  struct Expected {
    double rate, cross_entropy, nll;
  };
  for (const Expected expected : {Expected{0.01, 0.332, 2.149}, Expected{0.005, 0.607, 2.304}}) {
    double last = 0;
    const auto classifier =
        NetworkLearner({.rate = expected.rate})
            .learn(p, q, 33,
                   [&](std::size_t, std::size_t, double cross_entropy) { last = cross_entropy; });
    double normaliser = 0;
    for (const float logit : logits_of(*classifier, q)) normaliser += std::exp(bent(logit)) / size;
    double nll = std::log(2 * std::numbers::pi) + std::log(normaliser);
    const std::vector<float> at_p = logits_of(*classifier, p);
    for (std::size_t i = 0; i < size; ++i) {
      const double x = p.values(0)[i];
      const double y = p.values(1)[i];
      nll += ((x * x + y * y) / 2 - bent(at_p[i])) / size;
    }
    std::printf("rate %g: cross-entropy %.3f, likelihood %.3f\n", expected.rate, last, nll);
    EXPECT_NEAR(last, expected.cross_entropy, 0.03);
    EXPECT_NEAR(nll, expected.nll, 0.015);
  }
}

/// Standardisation is by the mixture's mean and deviation, and weights start as Glorot's.
TEST(Network, StartsAsStated) {
  const Points p = gaussian_features(5000, {3}, {1}, 8);
  const Points q = gaussian_features(100, {1}, {1}, 9);
  const NetworkOptions options{.width = 40, .depth = 1, .rate = 1e-300, .epochs = 1};
  const NetworkParameters start = network_parameters(*NetworkLearner(options).learn(p, q, 10));
  // Of the mixture of halves: mean 2, variance 2, within 6 standard errors of the smaller sample.
  EXPECT_NEAR(start.centres[0], 2, 0.4);
  EXPECT_NEAR(start.factors[0], std::sqrt(0.5), 0.15);
  const float limit = std::sqrt(6.0F / 41);
  float largest = 0;
  for (std::size_t j = 0; j < 40; ++j) {
    largest = std::max(largest, std::abs(start.layers[0][2 * j]));
    EXPECT_EQ(start.layers[0][2 * j + 1], 0);
  }
  EXPECT_LE(largest, limit);
  EXPECT_GT(largest, 0.7F * limit);  // all of 40 are below with probability 6e-7
}

TEST(Network, SameSeedSameBits) {
  const Points p = gaussian_features(700, {0.5, 0, 1}, {1, 1, 3}, 11);
  const Points q = gaussian_features(450, {0, 0, 1}, {1, 2, 1}, 12);
  const NetworkLearner learner({.epochs = 20, .minibatches = 3});
  const NetworkParameters once = network_parameters(*learner.learn(p, q, 13));
  EXPECT_TRUE(once == network_parameters(*learner.learn(p, q, 13)));
  EXPECT_FALSE(once == network_parameters(*learner.learn(p, q, 14)));
  // Listening changes nothing.
  const auto listen = [](std::size_t, std::size_t, double) {};
  EXPECT_TRUE(once == network_parameters(*learner.learn(p, q, 13, listen)));
  // A network that is read back gives equal logits.
  const NetworkClassifier copy{once};
  EXPECT_EQ(copy.sizes(), (std::vector<std::size_t>{3, 25, 25, 25, 1}));
  EXPECT_EQ(logits_of(copy, p), logits_of(*learner.learn(p, q, 13), p));
}

/// A point's logit does not depend on which others are asked for.
TEST(Network, LogitsArePointwise) {
  const Points p = gaussian_features(513, {0, 1}, {1, 1}, 15);
  const auto classifier = NetworkLearner({.epochs = 2}).learn(p, p, 16);
  const std::vector<float> logits = logits_of(*classifier, p);
  for (const std::size_t i : {0U, 255U, 256U, 511U, 512U}) {
    Points point(2, 1);
    for (std::size_t f = 0; f < 2; ++f) point.values(f)[0] = p.values(f)[i];
    EXPECT_EQ(logits_of(*classifier, point)[0], logits[i]);
  }
  EXPECT_TRUE(logits_of(*classifier, Points(2, 0)).empty());
}

/// There is nothing to learn from two samples of one law, so held-out samples soon say stop.
TEST(Network, StopsEarly) {
  const Points p = gaussian_features(60, {0, 0}, {1, 1}, 17);
  const Points q = gaussian_features(60, {0, 0}, {1, 1}, 18);
  NetworkOptions options{.optimiser = Optimiser::kAdam, .epochs = 2000};
  const auto train = [&] {
    std::size_t passes = 0;
    const auto classifier = NetworkLearner(options).learn(
        p, q, 19, [&](std::size_t, std::size_t, double) { ++passes; });
    float largest = 0;
    for (const float logit : logits_of(*classifier, p))
      largest = std::max(largest, std::abs(logit));
    std::printf("%zu passes, logits up to %.2f\n", passes, static_cast<double>(largest));
    return std::pair(passes, largest);
  };
  const auto [all_passes, overfitted] = train();
  options.held_out = 0.5;
  options.patience = 10;
  const auto [passes, fitted] = train();
  EXPECT_EQ(all_passes, 2000U);
  EXPECT_GE(passes, 10U);
  EXPECT_LT(passes, 1000U);
  EXPECT_LT(fitted, overfitted / 2);
}

TEST(Network, AnySamplesGiveAClassifier) {
  test::for_odd_samples({0, 1, 2, 65}, {0, 1, 70}, 20, [](const Points& p, const Points& q) {
    const NetworkLearner learner({.width = 7, .epochs = 3, .minibatches = 5, .held_out = 0.3});
    const auto classifier = learner.learn(p, q, 21);
    ASSERT_EQ(classifier->dimension(), p.dimension());
    test::expect_finite_logits(*classifier, p, q);
  });
}

/// A rate at which training explodes, and one minibatch for each sample.
TEST(Network, AnyTrainingEnds) {
  const Points p = gaussian_features(30, {0, 1}, {1, 1}, 22);
  const Points q = gaussian_features(20, {2, 1}, {1, 1}, 23);
  for (const double rate : {1e-300, 1000.0}) {
    for (const Optimiser optimiser : {Optimiser::kNesterov, Optimiser::kAdam}) {
      const NetworkLearner learner({.optimiser = optimiser,
                                    .rate = rate,
                                    .momentum = 0.999,
                                    .epochs = 100,
                                    .minibatches = 1000,
                                    .held_out = 0.2});
      EXPECT_EQ(logits_of(*learner.learn(p, q, 24), p).size(), 30U);
    }
  }
}

TEST(Network, AnyWeightsGiveLogits) {
  const Points points = gaussian_features(100, {0, 1}, {1, 1}, 25);
  for (const float weight :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        std::numeric_limits<float>::max()}) {
    NetworkParameters parameters{
        {weight, 0}, {1, weight}, {std::vector<float>(9, weight), std::vector<float>(4, -weight)}};
    EXPECT_EQ(logits_of(NetworkClassifier(parameters), points).size(), 100U);
    parameters = {{0, 0}, {1, 1}, {std::vector<float>(9, 1), std::vector<float>(4, weight)}};
    EXPECT_EQ(logits_of(NetworkClassifier(parameters), points).size(), 100U);
  }
}

TEST(Network, RefusesParametersThatDoNotFit) {
  const auto making = [](NetworkParameters parameters) {
    return [parameters] { const NetworkClassifier network(parameters); };
  };
  EXPECT_NO_THROW(making({{0}, {1}, {{1, 2, 3, 4}, {1, 2, 3}}})());
  EXPECT_THAT(making({{}, {}, {{1}}}),
              ThrowsMessage<InvalidInput>(HasSubstr("at least 1 feature, but reads 0")));
  EXPECT_THAT(making({{0, 0}, {1}, {{1, 2, 3}}}),
              ThrowsMessage<InvalidInput>(HasSubstr("of 2 features must have as many factors")));
  EXPECT_THAT(making({{0}, {1}, {}}),
              ThrowsMessage<InvalidInput>(HasSubstr("at least 1 layer, but has 0")));
  EXPECT_THAT(making({{0}, {1}, {{1, 2, 3, 4}, {1, 2}}}),
              ThrowsMessage<InvalidInput>(HasSubstr("layer 2 of a network must have 3 values")));
  EXPECT_THAT(making({{0}, {1}, {{1, 2}, {}}}),
              ThrowsMessage<InvalidInput>(HasSubstr("layer 2 of a network must have 2 values")));
  EXPECT_THAT(making({{0}, {1}, {{1, 2, 3, 4}}}),
              ThrowsMessage<InvalidInput>(HasSubstr("must have 1 neuron, but has 2")));
}

TEST(Network, RefusesOptionsOutOfRange) {
  const auto making = [](NetworkOptions options) {
    return [options] { const NetworkLearner learner(options); };
  };
  const auto refuses = [](const char* what) {
    return ThrowsMessage<InvalidInput>(HasSubstr(what));
  };
  EXPECT_THAT(making({.width = 0}), refuses("the width of a network must be from 1 to 1024"));
  EXPECT_THAT(making({.depth = 17}), refuses("the depth of a network must be from 1 to 16"));
  EXPECT_THAT(making({.rate = -1}), refuses("the learning rate must be above 0 and at most 1000"));
  EXPECT_THAT(making({.rate = std::nan("")}),
              refuses("the learning rate must be above 0 and at most 1000"));
  EXPECT_THAT(making({.momentum = 1}), refuses("the momentum must be at least 0 and below 1"));
  EXPECT_THAT(making({.epochs = 0}), refuses("the number of epochs must be at least 1"));
  EXPECT_THAT(making({.minibatches = 0}), refuses("the number of minibatches must be at least 1"));
  EXPECT_THAT(making({.held_out = 1}),
              refuses("the share held out must be at least 0 and below 1"));
  EXPECT_THAT(making({.patience = 0}),
              refuses("the patience of early stopping must be at least 1"));
}

TEST(Network, RefusesOtherDimensions) {
  const NetworkLearner learner({.epochs = 1});
  EXPECT_THAT([&] { (void)learner.learn(Points(2, 5), Points(3, 5), 1); },
              ThrowsMessage<InvalidInput>(HasSubstr("but have 2 and 3")));
  EXPECT_THAT([&] { (void)learner.learn(Points(0, 5), Points(0, 5), 1); },
              ThrowsMessage<InvalidInput>(HasSubstr("at least 1 feature")));
  const auto classifier = learner.learn(Points(2, 5), Points(2, 5), 1);
  std::vector<float> logits(4);
  EXPECT_THAT([&] { classifier->logits(Points(3, 4), logits); },
              ThrowsMessage<InvalidInput>(HasSubstr("the 2 features that the classifier reads")));
  EXPECT_THAT([&] { classifier->logits(Points(2, 5), logits); },
              ThrowsMessage<InvalidInput>(HasSubstr("the logits of 5 points, but it is 4")));
}

}  // namespace

}  // namespace mollify

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// Network passes.

namespace {

using test::every_lanes;
using test::PlainNetwork;
using test::PlainSample;

std::vector<double> random_parameters(const std::vector<std::size_t>& sizes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<double> result(PlainNetwork::parameter_count(sizes));
  for (double& value : result) value = static_cast<double>(uniform(random));
  return result;
}

std::vector<PlainSample> random_samples(std::size_t size, std::size_t dimension,
                                        std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> uniform(0, 2);
  std::vector<PlainSample> result(size);
  for (PlainSample& sample : result) {
    for (std::size_t f = 0; f < dimension; ++f) {
      sample.features.push_back(static_cast<double>(normal(random)));
    }
    sample.target = static_cast<double>(random() % 2);
    sample.weight = static_cast<double>(uniform(random));
  }
  return result;
}

struct Result {
  std::vector<double> logits{};
  std::vector<double> gradient{};
};

Result run(const NetworkLanes& lanes, const std::vector<std::size_t>& sizes,
           const std::vector<double>& parameters, const std::vector<PlainSample>& samples) {
  NetworkPasses passes(sizes, lanes);
  passes.set_parameters(std::vector<float>(parameters.begin(), parameters.end()));
  Result result;
  const std::size_t dimension = sizes.front();
  for (std::size_t begin = 0; begin < samples.size(); begin += kBlock) {
    const std::size_t count = std::min(kBlock, samples.size() - begin);
    std::vector<float> block((dimension + kRowsBesideFeatures) * kRowStride);
    for (std::size_t i = 0; i < count; ++i) {
      const PlainSample& sample = samples[begin + i];
      for (std::size_t f = 0; f < dimension; ++f) {
        block[f * kRowStride + i] = static_cast<float>(sample.features[f]);
      }
      block[(dimension + 1) * kRowStride + i] = static_cast<float>(sample.target);
      block[(dimension + 2) * kRowStride + i] = static_cast<float>(sample.weight);
    }
    std::fill_n(block.begin() + static_cast<std::ptrdiff_t>(dimension * kRowStride), kRowStride,
                1.0F);
    const std::span<const float> logits = passes.forward(block.data(), padded(count));
    result.logits.insert(result.logits.end(), logits.begin(),
                         logits.begin() + static_cast<std::ptrdiff_t>(count));
    passes.backward(block.data(), padded(count));
  }
  const std::span<const float> gradient = passes.take_gradient(1);
  result.gradient.assign(gradient.begin(), gradient.end());
  const std::span<const float> rest = passes.take_gradient(1);
  EXPECT_TRUE(std::all_of(rest.begin(), rest.end(), [](float value) { return value == 0; }));
  return result;
}

/// The definition's gradient is the loss's.
TEST(NetworkPasses, PlainGradientIsTheDifferenceQuotient) {
  for (const std::size_t width : {1U, 7U, 25U}) {
    const std::vector<std::size_t> sizes = {2, width, width, width, 1};
    const std::vector<PlainSample> samples = random_samples(3, 2, width);
    PlainNetwork network(sizes, random_parameters(sizes, width + 1));
    const std::vector<double> gradient = network.gradient(samples);
    constexpr double kStep = 1e-5;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      double& parameter = network.parameters()[i];
      const double at = parameter;
      parameter = at + kStep;
      const double above = network.loss(samples);
      parameter = at - kStep;
      const double below = network.loss(samples);
      parameter = at;
      ASSERT_NEAR(gradient[i], (above - below) / (2 * kStep), 1e-7) << width << ' ' << i;
    }
  }
}

/// All layers, odd sizes, either instruction set.
TEST(NetworkPasses, FusedGradientIsThePlainOne) {
  double worst = 0;
  for (const std::size_t width : {1U, 7U, 25U, 33U}) {
    for (const std::size_t size : {1U, 3U, 511U, 513U}) {
      for (const std::size_t dimension : {1U, 2U, 10U}) {
        if (dimension != 2 && width == 33) continue;
        std::vector<std::size_t> sizes = {dimension, width, width, width, 1};
        if (width == 7) sizes = {dimension, 7, 12, 1};
        const std::vector<double> parameters = random_parameters(sizes, size);
        const std::vector<PlainSample> samples = random_samples(size, dimension, size + 1);
        const PlainNetwork network(sizes, parameters);
        const std::vector<double> gradient = network.gradient(samples);
        double largest = 0;
        for (const double entry : gradient) largest = std::max(largest, std::abs(entry));
        for (const auto& [name, lanes] : every_lanes<NetworkLanes>()) {
          const Result result = run(lanes, sizes, parameters, samples);
          for (std::size_t i = 0; i < size; ++i) {
            const double expected = network.logit(samples[i].features);
            ASSERT_NEAR(result.logits[i], expected, 1e-5 * (1 + std::abs(expected)))
                << name << ", width " << width << ", sample " << i << " of " << size;
          }
          for (std::size_t i = 0; i < gradient.size(); ++i) {
            const double error = std::abs(result.gradient[i] - gradient[i]) / largest;
            worst = std::max(worst, error);
            ASSERT_LE(error, 1e-5)
                << name << ", width " << width << ", " << size << " samples, parameter " << i;
          }
        }
      }
    }
  }
  std::printf("gradients differ by at most %.2g of their largest entry\n", worst);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Optimiser steps.

namespace {

constexpr std::size_t kSteps = 50;

/// The gradient of a crooked valley.
std::vector<double> gradient_at(const std::vector<double>& w) {
  return {w[0] - std::sin(w[1]), 4 * w[1] - std::sin(w[0]), std::tanh(w[2])};
}

template <class Step>
void expect_same_path(OptimiserSteps steps, Step plain_step) {
  std::vector<double> plain = {1, -2, 3};
  std::vector<float> parameters(plain.begin(), plain.end());
  for (std::size_t step = 1; step <= kSteps; ++step) {
    plain_step(step, gradient_at(plain), plain);
    const std::vector<double> gradient = gradient_at({parameters.begin(), parameters.end()});
    steps.step(std::vector<float>(gradient.begin(), gradient.end()), parameters);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      ASSERT_NEAR(static_cast<double>(parameters[i]), plain[i], 2e-5) << "step " << step;
    }
  }
}

TEST(OptimiserSteps, NesterovIsItsDefinition) {
  // As first published: the gradient is looked at ahead, at w + m v; here in terms of the place
  // looked from, w + m v itself.
  std::vector<double> velocity(3);
  expect_same_path(OptimiserSteps(Optimiser::kNesterov, 0.01, 0.9, 3),
                   [&](std::size_t, const std::vector<double>& g, std::vector<double>& ahead) {
                     for (std::size_t i = 0; i < ahead.size(); ++i) {
                       const double place = ahead[i] - 0.9 * velocity[i];
                       velocity[i] = 0.9 * velocity[i] - 0.01 * g[i];
                       ahead[i] = place + velocity[i] + 0.9 * velocity[i];
                     }
                   });
}

TEST(OptimiserSteps, AdamIsItsDefinition) {
  std::vector<double> m(3), v(3);
  expect_same_path(OptimiserSteps(Optimiser::kAdam, 0.05, 0, 3),
                   [&](std::size_t step, const std::vector<double>& g, std::vector<double>& w) {
                     const double t = static_cast<double>(step);
                     for (std::size_t i = 0; i < w.size(); ++i) {
                       m[i] = 0.9 * m[i] + 0.1 * g[i];
                       v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i];
                       const double m_hat = m[i] / (1 - std::pow(0.9, t));
                       const double v_hat = v[i] / (1 - std::pow(0.999, t));
                       w[i] -= 0.05 * m_hat / (std::sqrt(v_hat) + 1e-8);
                     }
                   });
}

TEST(OptimiserSteps, BothReachTheMinimum) {
  for (const Optimiser optimiser : {Optimiser::kNesterov, Optimiser::kAdam}) {
    OptimiserSteps steps(optimiser, 0.01, 0.9, 3);
    std::vector<float> parameters = {1, -2, 3};
    for (std::size_t step = 0; step < 3000; ++step) {
      const std::vector<double> gradient = gradient_at({parameters.begin(), parameters.end()});
      steps.step(std::vector<float>(gradient.begin(), gradient.end()), parameters);
    }
    for (const float parameter : parameters) EXPECT_NEAR(parameter, 0, 1e-3);
  }
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Training blocks.

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
