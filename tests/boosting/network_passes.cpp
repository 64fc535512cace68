#include "boosting/network_passes.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "boosting/plain_network.h"
#include "every_lanes.h"

namespace mollify::detail {
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

/// The definition's gradient is that of the loss.
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
}  // namespace mollify::detail
