// Private distributions, sensible and not, that no sampler may stumble over.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "methods/local/sampler.h"
#include "not_finite.h"

namespace mollify::test {

/// A private distribution that owns its numbers.
struct PrivateInput {
  std::string name;
  std::vector<std::uint32_t> outcomes;
  std::vector<double> weights;
  ScoredOutcomes view() const { return {outcomes, weights}; }
};

/// A weight for each of k outcomes.
inline PrivateInput every_outcome(std::string name, const std::vector<double>& weights) {
  PrivateInput input{std::move(name), {}, weights};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    input.outcomes.push_back(static_cast<std::uint32_t>(i));
  }
  return input;
}

inline PrivateInput point_mass(std::size_t outcome) {
  return {"point mass", {static_cast<std::uint32_t>(outcome)}, {1}};
}

/// About thirty inputs on k outcomes, the same for the same k.
inline std::vector<PrivateInput> private_inputs(std::size_t k) {
  constexpr double kDenormal = std::numeric_limits<double>::denorm_min();
  constexpr double kHuge = std::numeric_limits<double>::max();
  std::mt19937_64 random(k);
  const auto unit = [&] { return std::uniform_real_distribution<double>(0, 1)(random); };
  const auto last = static_cast<std::uint32_t>(k - 1);
  const auto filled = [&](auto weight) {
    std::vector<double> weights;
    for (std::size_t i = 0; i < k; ++i) weights.push_back(weight(i));
    return weights;
  };
  std::vector<PrivateInput> inputs = {
      point_mass(0),
      point_mass(k / 2),
      point_mass(k - 1),
      {"two outcomes", {0, last}, {2, 1}},
      every_outcome("uniform", std::vector<double>(k, 1)),
      every_outcome("near ties", filled([&](std::size_t) { return 1 + 0x1p-30 * unit(); })),
      every_outcome("falling", filled([](std::size_t i) { return std::exp(-0.3 * double(i)); })),
      every_outcome("heavy tail", filled([&](std::size_t) { return std::pow(unit(), -3); })),
      every_outcome("every exponent",
                    filled([&](std::size_t) { return std::exp(1400 * (unit() - 0.5)); })),
      {"nothing", {}, {}},
      {"zero", {0}, {0}},
      every_outcome("zeros", std::vector<double>(k, 0)),
      every_outcome("denormals", std::vector<double>(k, kDenormal)),
      every_outcome("huge", std::vector<double>(k, kHuge)),
      {"huge and tiny", {0, last}, {kHuge, kDenormal}},
      {"NaN", {0}, {kNan}},
      every_outcome("NaNs", std::vector<double>(k, kNan)),
      every_outcome("some NaN", filled([&](std::size_t) { return unit() < 0.5 ? kNan : 1; })),
      {"infinite", {last}, {kInfinity}},
      every_outcome("infinities", std::vector<double>(k, kInfinity)),
      {"infinite and not", {0, last}, {1, -kInfinity}},
      {"negative", {0, last}, {-1, 1}},
      every_outcome("negatives", std::vector<double>(k, -2)),
      {"out of range", {0, last, last + 1, 4'000'000'000U}, {1, 2, 3, 4}},
      {"only out of range", {last + 7}, {1}},
      {"unsorted", {last, 0, last / 2}, {3, 1, 2}},
      {"repeated", {0, 0, last, 0, last}, {1, 2, 3, kNan, 4}},
      {"more weights than outcomes", {0}, {1, 2, 3}},
      {"more outcomes than weights", {0, last}, {1}},
  };
  for (int trial = 0; trial < 3; ++trial) {
    inputs.push_back(
        every_outcome("random", filled([&](std::size_t) { return -std::log1p(-unit()); })));
    PrivateInput records{"counts of records", {}, {}};
    for (std::uint32_t i = 0; i < k; ++i) {
      if (unit() > 0.3) continue;
      records.outcomes.push_back(i);
      records.weights.push_back(std::floor(1 + 20 * unit()));
    }
    inputs.push_back(records);
  }
  return inputs;
}

}  // namespace mollify::test
