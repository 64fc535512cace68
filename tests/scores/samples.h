// Samples as learners read them, and classifiers' logits.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "scores/boosting.h"
#include "scores/points.h"

namespace mollify::test {

/// Independent normal features with these means and deviations.
inline Points gaussian_features(std::size_t size, const std::vector<double>& means,
                                const std::vector<double>& deviations, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Points result(means.size(), size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t f = 0; f < means.size(); ++f) {
      result.values(f)[i] = static_cast<float>(means[f] + deviations[f] * normal(random));
    }
  }
  return result;
}

/// Calls take(p, q) with samples of 1 to 10 features and of these sizes whose values are as odd as
/// floats can be.
template <class Take>
void for_odd_samples(const std::vector<std::size_t>& p_sizes,
                     const std::vector<std::size_t>& q_sizes, std::uint64_t seed,
                     const Take& take) {
  using Limits = std::numeric_limits<float>;
  constexpr float kOdd[] = {0.0F,
                            -0.0F,
                            1.0F,
                            -1.0F,
                            1e-45F,
                            Limits::max(),
                            Limits::lowest(),
                            Limits::infinity(),
                            -Limits::infinity(),
                            Limits::quiet_NaN()};
  std::mt19937_64 random(seed);
  for (std::size_t dimension = 1; dimension <= 10; ++dimension) {
    for (const std::size_t p_size : p_sizes) {
      for (const std::size_t q_size : q_sizes) {
        Points p(dimension, p_size);
        Points q(dimension, q_size);
        for (Points* sample : {&p, &q}) {
          for (std::size_t f = 0; f < dimension; ++f) {
            for (float& value : sample->values(f)) value = kOdd[random() % std::size(kOdd)];
          }
        }
        take(p, q);
      }
    }
  }
}

inline std::vector<float> logits_of(const Classifier& classifier, const Points& points) {
  std::vector<float> result(points.size(), -777.0F);
  classifier.logits(points, result);
  return result;
}

/// Any logits are finite, and 0 if either sample is empty: then there is nothing to tell.
inline void expect_finite_logits(const Classifier& classifier, const Points& p, const Points& q) {
  for (const Points* sample : {&p, &q}) {
    for (const float logit : logits_of(classifier, *sample)) {
      ASSERT_TRUE(std::isfinite(logit));
      ASSERT_TRUE(logit == 0.0F || (p.size() > 0 && q.size() > 0)) << logit;
    }
  }
}

}  // namespace mollify::test
