#include "scores/network_lanes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "every_lanes.h"

namespace mollify::detail {

namespace {

using test::every_lanes;

std::vector<float> uniform(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::vector<float> result(size);
  for (float& value : result) value = distribution(random);
  return result;
}

/// A million floats of all magnitudes, of either sign.
TEST(NetworkLanes, TanhIsAccurate) {
  constexpr std::uint32_t kInfinityBits = 0x7f800000;
  std::vector<float> values;
  for (std::uint32_t bits = 0; bits < kInfinityBits; bits += 3989) {
    values.push_back(std::bit_cast<float>(bits));
    values.push_back(-values.back());
  }
  // Around tanh's turns, float by float.
  for (float x = 8.99F; x < 9.01F; x = std::nextafter(x, 10.0F)) values.push_back(x);
  values.resize((values.size() + kSampleUnit - 1) / kSampleUnit * kSampleUnit);
  std::vector<float> results(values.size());
  for (const auto& [name, lanes] : every_lanes<NetworkLanes>()) {
    lanes.tanh(values.data(), results.data(), values.size());
    double worst = 0;
    float worst_at = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double expected = std::tanh(static_cast<double>(values[i]));
      const float rounded = static_cast<float>(std::abs(expected));
      const double unit = static_cast<double>(rounded - std::nextafter(rounded, -1.0F));
      const double error = std::abs(static_cast<double>(results[i]) - expected) / unit;
      if (!(error <= worst)) {
        worst = error;
        worst_at = values[i];
      }
    }
    std::printf("%s: %zu values, at most %.2f units in the last place off, at %g\n", name,
                values.size(), worst, static_cast<double>(worst_at));
    EXPECT_LE(worst, 6) << name;
  }
}

TEST(NetworkLanes, TanhOfWhatIsNotFinite) {
  std::vector<float> values(kSampleUnit);
  values[0] = std::numeric_limits<float>::infinity();
  values[1] = -values[0];
  values[2] = std::numeric_limits<float>::quiet_NaN();
  values[3] = -0.0F;
  for (const auto& [name, lanes] : every_lanes<NetworkLanes>()) {
    std::vector<float> results(kSampleUnit);
    lanes.tanh(values.data(), results.data(), values.size());
    EXPECT_NEAR(results[0], 1, 1e-6) << name;
    EXPECT_NEAR(results[1], -1, 1e-6) << name;
    EXPECT_TRUE(std::isnan(results[2])) << name;
    EXPECT_EQ(results[3], 0) << name;
  }
}

/// All shapes of tiles, with neighbours that must stay untouched.
TEST(NetworkLanes, CombinationsAreTheirDefinitions) {
  constexpr float kUntouched = 777;
  for (const auto& [name, lanes] : every_lanes<NetworkLanes>()) {
    for (const std::size_t inputs : {1U, 2U, 9U, 26U}) {
      for (std::size_t outputs = 1; outputs <= 14; ++outputs) {
        const std::size_t samples = outputs % 2 == 0 ? kBlock : kSampleUnit;
        const std::size_t stride = outputs + 3;
        const std::vector<float> coefficients = uniform(inputs * stride, 1);
        const std::vector<float> offsets = uniform(outputs, 2);
        const std::vector<float> from = uniform(inputs * kRowStride, 3);
        const std::vector<float> activations = uniform(outputs * kRowStride, 4);
        const Combination how{coefficients.data(), stride, inputs, outputs};
        std::vector<float> plain((outputs + 1) * kRowStride, kUntouched);
        std::vector<float> active = plain;
        std::vector<float> back = plain;
        lanes.combine(how, offsets.data(), from.data(), plain.data(), samples);
        lanes.activate(how, offsets.data(), from.data(), active.data(), samples);
        lanes.propagate_back(how, activations.data(), from.data(), back.data(), samples);
        for (std::size_t j = 0; j <= outputs; ++j) {
          for (std::size_t i = 0; i < kRowStride; ++i) {
            const std::size_t at = j * kRowStride + i;
            if (j == outputs || i >= samples) {
              ASSERT_EQ(plain[at], kUntouched);
              ASSERT_EQ(active[at], kUntouched);
              ASSERT_EQ(back[at], kUntouched);
              continue;
            }
            double sum = 0;
            for (std::size_t k = 0; k < inputs; ++k) {
              sum += static_cast<double>(coefficients[k * stride + j]) *
                     static_cast<double>(from[k * kRowStride + i]);
            }
            const double full = sum + static_cast<double>(offsets[j]);
            const double activation = static_cast<double>(activations[at]);
            // At most 27 terms of at most 1, each rounded by at most 2^-24 of their sum.
            ASSERT_NEAR(static_cast<double>(plain[at]), full, 2e-6) << name << ' ' << outputs;
            ASSERT_NEAR(static_cast<double>(active[at]), std::tanh(full), 2e-6) << name;
            ASSERT_NEAR(static_cast<double>(back[at]), sum * (1 - activation * activation), 2e-6)
                << name << ' ' << outputs;
          }
        }
      }
    }
  }
}

TEST(NetworkLanes, ProductsAreSummed) {
  for (const auto& [name, lanes] : every_lanes<NetworkLanes>()) {
    for (std::size_t slopes = 1; slopes <= 11; ++slopes) {
      for (const std::size_t inputs : {1U, 2U, 3U, 9U, 26U}) {
        const std::vector<float> from = uniform(slopes * kRowStride, 5);
        const std::vector<float> input = uniform(inputs * kRowStride, 6);
        std::vector<float> sums((slopes * inputs + 1) * kSampleLanes, 0.5F);
        lanes.add_products(from.data(), slopes, input.data(), inputs, 2 * kSampleUnit, sums.data());
        for (std::size_t entry = 0; entry < slopes * inputs; ++entry) {
          double expected = 0.5 * kSampleLanes;
          for (std::size_t i = 0; i < 2 * kSampleUnit; ++i) {
            expected += static_cast<double>(from[entry / inputs * kRowStride + i]) *
                        static_cast<double>(input[entry % inputs * kRowStride + i]);
          }
          double sum = 0;
          for (std::size_t part = 0; part < kSampleLanes; ++part) {
            sum += static_cast<double>(sums[entry * kSampleLanes + part]);
          }
          ASSERT_NEAR(sum, expected, 1e-5) << name << ' ' << slopes << ' ' << inputs;
        }
        EXPECT_EQ(sums.back(), 0.5F);
      }
    }
  }
}

TEST(NetworkLanes, ResidualsAreTheirDefinition) {
  std::vector<float> logits = uniform(kBlock, 7);
  for (float& logit : logits) logit *= 20;
  const std::vector<float> weights = uniform(kBlock, 8);
  std::vector<float> targets(kBlock);
  for (std::size_t i = 0; i < kBlock; i += 2) targets[i] = 1;
  for (const auto& [name, lanes] : every_lanes<NetworkLanes>()) {
    std::vector<float> residuals(kBlock);
    lanes.residuals(logits.data(), targets.data(), weights.data(), residuals.data(), kBlock);
    for (std::size_t i = 0; i < kBlock; ++i) {
      const double sigmoid = 1 / (1 + std::exp(-static_cast<double>(logits[i])));
      EXPECT_NEAR(static_cast<double>(residuals[i]),
                  static_cast<double>(weights[i]) * (sigmoid - static_cast<double>(targets[i])),
                  3e-7)
          << name;
    }
  }
}

}  // namespace

}  // namespace mollify::detail
