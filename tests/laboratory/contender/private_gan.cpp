#include <cmath>
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "domain/candidates.h"
#include "laboratory/boosting/learners.h"
#include "laboratory/contender/contenders.h"
#include "laboratory/measure/measure.h"
#include "laboratory/reproduction/reproduction.h"

namespace mollify {
namespace {

Points gaussian_points(std::vector<double> mean, std::size_t count) {
  SeededRandom random(7);
  return measure_sample(GaussianMixture(single_gaussian(std::move(mean), 0.01)), count, random);
}

std::vector<double> centre_of(const Points& points) {
  std::vector<double> centre(2);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    for (const float value : points.values(axis)) {
      centre[axis] += static_cast<double>(value) / static_cast<double>(points.size());
    }
  }
  return centre;
}

// With larger rates and bounds than the source's, so that it takes a second: the generator moves
// towards the records, wherever they are, and noise keeps it from that.
TEST(PrivateGan, LearnsWhereTheRecordsAre) {
  const PrivateGanSpec spec{.width = 8,
                            .batch = 16,
                            .generator_steps = 300,
                            .critic_steps = 3,
                            .rate = 5e-3,
                            .weight_bound = 0.3};
  for (const std::vector<double>& mean : {std::vector<double>{1, -1}, std::vector<double>{-1, 1}}) {
    const Points made = private_gan_sample(gaussian_points(mean, 500), spec, 500, 1);
    const std::vector<double> centre = centre_of(made);
    std::printf("records at %g %g, made at %.3f %.3f\n", mean[0], mean[1], centre[0], centre[1]);
    EXPECT_NEAR(centre[0], mean[0], 0.5);
    EXPECT_NEAR(centre[1], mean[1], 0.5);
  }
}

/// How many of a ring's eight modes have 1 % of the points within 3 deviations, and how many points
/// are that near to any.
struct OnTheRing {
  std::size_t modes = 0;
  std::size_t points = 0;
};
OnTheRing on_the_ring(const Points& points, const GaussianMixtureSpec& ring) {
  OnTheRing result;
  for (std::size_t mode = 0; mode < ring.means.size(); ++mode) {
    std::size_t near = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double x = static_cast<double>(points.values(0)[i]) - ring.means[mode][0];
      const double y = static_cast<double>(points.values(1)[i]) - ring.means[mode][1];
      if (x * x + y * y < 9 * ring.variances[mode][0]) ++near;
    }
    if (100 * near >= points.size()) ++result.modes;
    result.points += near;
  }
  return result;
}

// [Husain et al. 2020]: the GAN loses modes. A smaller one, at larger rates and bounds than the
// source's, spreads over all eight without noise; with noise it does not, although that costs far
// more than epsilon 1.
TEST(PrivateGan, LosesModesToNoise) {
  const GaussianMixtureSpec ring = detail::ring_of_eight(1, 0.1);
  SeededRandom random(2026);
  const Points records = measure_sample(GaussianMixture(ring), 2000, random);
  PrivateGanSpec spec{
      .batch = 24, .generator_steps = 250, .rate = 1.5e-3, .weight_bound = 0.1, .noise = 0};
  const OnTheRing without = on_the_ring(private_gan_sample(records, spec, 2000, 2026), ring);
  spec.noise = 0.5;
  const OnTheRing with = on_the_ring(private_gan_sample(records, spec, 2000, 2026), ring);
  const double epsilon = sampled_gaussian_epsilon_up(private_gan_cost(spec, 2000), 0.1);
  std::printf("without noise %zu modes, %zu of 2000 points near; at epsilon %.1f %zu and %zu\n",
              without.modes, without.points, epsilon, with.modes, with.points);
  EXPECT_EQ(without.modes, 8U);
  EXPECT_LE(with.modes, 6U);
  EXPECT_LT(2 * with.points, without.points);
  EXPECT_GT(epsilon, 5);
}

TEST(PrivateGan, IsTheSameForTheSameSeedAndBoundsWhatOneRecordDoes) {
  const PrivateGanSpec spec{.width = 4, .batch = 8, .generator_steps = 5, .noise = 1};
  const Points records = gaussian_points({1, 1}, 50);
  const Points first = private_gan_sample(records, spec, 10, 3);
  const Points again = private_gan_sample(records, spec, 10, 3);
  const Points other = private_gan_sample(records, spec, 10, 4);
  bool differs = false;
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(first.values(0)[i], again.values(0)[i]);
    differs = differs || first.values(0)[i] != other.values(0)[i];
  }
  EXPECT_TRUE(differs);
  // Clipped to (almost) nothing beside the noise, records do not matter: RMSProp looks at the
  // direction alone, so both runs take the noise's.
  PrivateGanSpec clipped = spec;
  clipped.gradient_bound = 1e-30;
  clipped.noise = 1e30;
  const Points here = private_gan_sample(records, clipped, 10, 3);
  const Points there = private_gan_sample(gaussian_points({-5, 2}, 50), clipped, 10, 3);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_NEAR(here.values(1)[i], there.values(1)[i], 1e-6);
  }
}

// The source's sigma is for one step of the generator; what all of training costs is far more.
TEST(PrivateGan, CostsMoreThanItsSourceSays) {
  PrivateGanSpec spec;
  spec.noise = private_gan_noise(spec, 10'000, 1, 0.1);
  EXPECT_NEAR(spec.noise, 2 * 0.0128 * std::sqrt(5 * std::log(10.0)), 1e-12);
  const SampledGaussian cost = private_gan_cost(spec, 10'000);
  EXPECT_EQ(cost.steps, 50'000U);
  EXPECT_NEAR(cost.rate, 0.0128, 1e-15);
  const double epsilon = sampled_gaussian_epsilon_up(cost, 0.1);
  std::printf("sigma %.4f: epsilon 1 by the source, %.4g for all steps\n", spec.noise, epsilon);
  // No order tells less than that of the limit 1, 50 000 times the Kullback-Leibler divergence.
  EXPECT_GT(epsilon, 50'000 * 0.77);
  EXPECT_LT(epsilon, 4.3e4);
}

TEST(PrivateGan, RefusesWhatItCannotLearnFrom) {
  const Points records = gaussian_points({0, 0}, 5);
  EXPECT_THROW((void)private_gan_sample(Points(1, 5), {}, 1, 1), InvalidInput);
  EXPECT_THROW((void)private_gan_sample(Points(2, 0), {}, 1, 1), InvalidInput);
  EXPECT_THROW((void)private_gan_sample(records, {.batch = 0}, 1, 1), InvalidInput);
  EXPECT_THROW((void)private_gan_sample(records, {.width = 1000}, 1, 1), InvalidInput);
  EXPECT_THROW((void)private_gan_sample(records, {.noise = -1}, 1, 1), InvalidInput);
}

}  // namespace
}  // namespace mollify
