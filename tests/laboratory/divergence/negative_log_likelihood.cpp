#include "laboratory/divergence/negative_log_likelihood.h"

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "divergence/f_divergence.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

using Values = std::vector<double>;

TEST(NegativeLogLikelihood, IsEntropyAndDivergence) {
  const Values p{0.2, 0.5, 0.3};
  const Values q{0.4, 0.4, 0.2};
  const Values volumes{2, 0.5, 1};
  double entropy = 0;
  for (std::size_t i = 0; i < 3; ++i) entropy -= p[i] * std::log(p[i] / volumes[i]);
  EXPECT_NEAR(negative_log_likelihood(p, p, volumes), entropy, 1e-15);
  EXPECT_NEAR(negative_log_likelihood(p, q, volumes), entropy + kullback_leibler(p, q), 1e-15);
  // Masses need not sum to one.
  const Values counts{2, 5, 3};
  const Values weights{4e-3, 4e-3, 2e-3};
  EXPECT_NEAR(negative_log_likelihood(counts, weights, volumes),
              negative_log_likelihood(p, q, volumes), 1e-14);
}

TEST(NegativeLogLikelihood, TreatsZeros) {
  const Values volumes{1, 1};
  EXPECT_TRUE(std::isinf(negative_log_likelihood(Values{0.5, 0.5}, Values{1, 0}, volumes)));
  EXPECT_EQ(negative_log_likelihood(Values{1, 0}, Values{1, 0}, volumes), 0);
}

TEST(NegativeLogLikelihood, OfSamplesIsWithinItsErrors) {
  // Q = N(0, 1), P = N(.3, .5^2): exact (log 2 pi + .25 + .09) / 2.
  constexpr std::size_t kSamples = 20'000;
  std::mt19937_64 random(20260706);
  std::normal_distribution<double> p(0.3, 0.5);
  Values log_q;
  const double log_two_pi = std::log(2 * std::acos(-1.0));
  for (std::size_t i = 0; i < kSamples; ++i) {
    const double x = p(random);
    log_q.push_back(-(x * x + log_two_pi) / 2);
  }
  const Estimate estimate = negative_log_likelihood(log_q);
  const double exact = (log_two_pi + 0.34) / 2;
  const double deviations = (estimate.value - exact) / estimate.standard_error;
  std::printf("%.4f +- %.4f, exact %.4f, off by %.2f deviations, seed 20260706\n", estimate.value,
              estimate.standard_error, exact, deviations);
  EXPECT_LT(std::abs(deviations), 4.9) << "false alarms at 1e-6";
  EXPECT_LT(estimate.standard_error, 0.005);
}

TEST(NegativeLogLikelihood, RefusesMalformedCells) {
  const Values two{0.5, 0.5};
  EXPECT_THROW(negative_log_likelihood(two, two, Values{1}), InvalidInput);
  EXPECT_THROW(negative_log_likelihood(two, two, Values{1, 0}), InvalidInput);
  EXPECT_THROW(negative_log_likelihood(Values{0, 0}, two, Values{1, 1}), InvalidInput);
  EXPECT_THROW(negative_log_likelihood(Values{1}), InvalidInput);
}

}  // namespace
}  // namespace mollify
