#include "boosting/network.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "boosting/plain_network.h"
#include "boosting/samples.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
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

/// A few passes in one minibatch are those of plain gradient descent in double precision, where
/// each of two samples of different sizes counts half.
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
      sample.weight = 0.5 / static_cast<double>(features->size());
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
  for (std::size_t e = 0; e < told.size(); ++e) EXPECT_NEAR(told[e], cross_entropies[e], 1e-5);
  const std::vector<double> learned = flat(network_parameters(*classifier));
  for (std::size_t i = 0; i < learned.size(); ++i) {
    EXPECT_NEAR(learned[i], network.parameters()[i], 1e-5) << i;
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
  // What is read back says the same.
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
  EXPECT_THAT(making({.rate = -1}), refuses("the learning rate must be positive"));
  EXPECT_THAT(making({.rate = std::nan("")}), refuses("the learning rate must be positive"));
  EXPECT_THAT(making({.momentum = 1}), refuses("the momentum must be from 0 to below 1"));
  EXPECT_THAT(making({.epochs = 0}), refuses("the number of epochs must be at least 1"));
  EXPECT_THAT(making({.minibatches = 0}), refuses("the number of minibatches must be at least 1"));
  EXPECT_THAT(making({.held_out = 1}), refuses("the share held out must be from 0 to below 1"));
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
