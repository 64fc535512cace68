#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/estimate.h"
#include "methods/local/bands.h"
#include "methods/local/mechanism.h"
#include "methods/local/sampler.h"
#include "printed.h"

namespace mollify {

namespace {

std::vector<double> random_masses(std::size_t k, std::mt19937_64& random) {
  std::exponential_distribution<double> exponential;
  std::vector<double> masses(k);
  for (double& mass : masses) mass = exponential(random) + 1e-3;
  const double sum = std::accumulate(masses.begin(), masses.end(), 0.0);
  for (double& mass : masses) mass /= sum;
  return masses;
}

std::unique_ptr<LocalSampler> linear_sampler(Mechanism mechanism, std::size_t k, double epsilon,
                                             const std::vector<double>& reference) {
  MechanismParameters parameters{.mechanism = mechanism, .outcome_count = k};
  if (mechanism == Mechanism::kGaussianCurve) {
    parameters.mu = epsilon;
  } else {
    parameters.epsilon = epsilon;
  }
  if (mechanism != Mechanism::kRandomizedResponse) parameters.reference = reference;
  return make_sampler(parameters);
}

class LinearLaws : public testing::TestWithParam<Mechanism> {};

TEST_P(LinearLaws, AreTheSamplersOwnAndCanBeUndone) {
  std::mt19937_64 random(2);
  for (const std::size_t k : {1U, 2U, 3U, 7U, 200U}) {
    if (k == 1 && GetParam() == Mechanism::kGaussianCurve) continue;  // has nothing to keep
    for (const double epsilon : {0.1, 1.0, 6.0}) {
      const std::vector<double> reference = random_masses(k, random);
      const auto sampler = linear_sampler(GetParam(), k, epsilon, reference);
      const auto law = LinearLaw::of(*sampler);
      ASSERT_TRUE(law);
      std::vector<double> p(k);
      std::vector<std::uint32_t> outcomes(k);
      double sum = 0;
      for (std::size_t j = 0; j < k; ++j) {
        outcomes[j] = static_cast<std::uint32_t>(j);
        p[j] = static_cast<double>(random() % 1000 + 1);
        sum += p[j];
      }
      const Law exact = sampler->law({outcomes, p});
      for (double& mass : p) mass /= sum;
      const std::vector<double> q = law->released(p);
      for (std::size_t j = 0; j < k; ++j) EXPECT_NEAR(q[j], exact.probabilities[j], 1e-11);
      const std::vector<double> back = law->unbiased(q);
      for (std::size_t j = 0; j < k; ++j) EXPECT_NEAR(back[j], p[j], 1e-8) << k << " " << epsilon;

      std::vector<double> v(k);
      for (double& value : v) value = std::uniform_real_distribution<double>(-1, 1)(random);
      const double truth = std::inner_product(v.begin(), v.end(), p.begin(), 0.0);
      const std::vector<double> w = law->report_weights(v);
      EXPECT_NEAR(std::inner_product(w.begin(), w.end(), q.begin(), 0.0), truth, 1e-7);
      const std::vector<double> expected = law->expected(v);
      EXPECT_NEAR(std::inner_product(expected.begin(), expected.end(), p.begin(), 0.0),
                  std::inner_product(v.begin(), v.end(), q.begin(), 0.0), 1e-11);
    }
  }
}

// The greatest likelihood: no distribution of many is likelier by more than the gap.
TEST_P(LinearLaws, HaveALikeliestDistribution) {
  std::mt19937_64 random(3);
  for (const std::size_t k : {2U, 3U, 6U}) {
    const std::vector<double> reference = random_masses(k, random);
    const auto law = *LinearLaw::of(*linear_sampler(GetParam(), k, 1, reference));
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<double> shares = random_masses(k, random);
      if (repeat % 3 == 0) shares[0] = 0;
      const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
      for (double& share : shares) share /= sum;
      const LikelihoodFit fit = maximum_likelihood(law, shares, 1);
      EXPECT_NEAR(std::accumulate(fit.p.begin(), fit.p.end(), 0.0), 1, 1e-9);
      EXPECT_LT(fit.gap_up, 1e-5);
      const auto likelihood = [&](const std::vector<double>& p) {
        const std::vector<double> q = law.released(p);
        double value = 0;
        for (std::size_t j = 0; j < k; ++j) {
          if (shares[j] > 0) value += shares[j] * std::log(q[j]);
        }
        return value;
      };
      const double best = likelihood(fit.p);
      for (int other = 0; other < 300; ++other) {
        std::vector<double> p = random_masses(k, random);
        const double weight = std::pow(10, -(other % 6));
        for (std::size_t j = 0; j < k; ++j) p[j] = fit.p[j] + weight * (p[j] - fit.p[j]);
        EXPECT_LE(likelihood(p), best + fit.gap_up + 1e-12);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, LinearLaws,
                         testing::Values(Mechanism::kRandomizedResponse, Mechanism::kMixture,
                                         Mechanism::kPublicKernel, Mechanism::kGaussianCurve));

TEST(LinearLaw, IsNoneOfABand) {
  const auto sampler =
      make_sampler({.mechanism = Mechanism::kMinimax, .outcome_count = 4, .epsilon = 1.0});
  EXPECT_FALSE(LinearLaw::of(*sampler));
}

TEST(Simplex, HoldsTheNearestDistribution) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal(0.2, 0.5);
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::vector<double> masses(5);
    for (double& mass : masses) mass = normal(random);
    const std::vector<double> nearest = projected_on_simplex(masses);
    EXPECT_NEAR(std::accumulate(nearest.begin(), nearest.end(), 0.0), 1, 1e-12);
    // Towards no other point of the simplex does the distance fall: (m - x)(y - x) <= 0.
    for (int other = 0; other < 50; ++other) {
      const std::vector<double> y = random_masses(5, random);
      double inner = 0;
      for (std::size_t j = 0; j < 5; ++j) {
        EXPECT_GE(nearest[j], 0);
        inner += (masses[j] - nearest[j]) * (y[j] - nearest[j]);
      }
      EXPECT_LE(inner, 1e-12);
    }
  }
}

}  // namespace

}  // namespace mollify
