#include "laboratory/contender/private_gan.h"

#include <cmath>
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"
#include "laboratory/boosting/measure_features.h"
#include "laboratory/measure/gaussian_mixture.h"
#include "space/seeded_random.h"

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
