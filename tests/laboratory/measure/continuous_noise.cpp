#include "laboratory/measure/continuous_noise.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include "chi_square.h"
#include "kernel/core/invalid_input.h"
#include "not_finite.h"

namespace mollify {
namespace {

/// Counts of values of a distribution function in 40 bins of the same probability.
class LevelCounts {
 public:
  void add(double level) { ++counts_[std::min(static_cast<std::size_t>(40 * level), kBins - 1)]; }
  ::testing::AssertionResult fit() const {
    return test::follows(std::vector<double>(kBins, 1.0 / kBins), counts_);
  }

 private:
  static constexpr std::size_t kBins = 40;
  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(kBins);
};

struct Polar {
  double radius;
  double cosine;  // with the diagonal
};

Polar in_polar(const std::vector<double>& point) {
  double squared = 0, sum = 0;
  for (const double x : point) {
    squared += x * x;
    sum += x;
  }
  const double radius = std::sqrt(squared);
  return {radius, sum / std::sqrt(static_cast<double>(point.size())) / radius};
}

TEST(ContinuousNoise, GaussianHasItsLaw) {
  SeededRandom random(51);
  const boost::math::normal_distribution<> law(0, std::sqrt(7.0));
  LevelCounts coordinates, radii;
  std::vector<double> noise(3);
  for (int i = 0; i < 10'000; ++i) {
    simulate_gaussian_not_private(7, noise, random);
    for (const double x : noise) coordinates.add(boost::math::cdf(law, x));
    const double radius = in_polar(noise).radius;
    radii.add(boost::math::cdf(boost::math::chi_squared(3), radius * radius / 7));
  }
  EXPECT_TRUE(coordinates.fit());
  EXPECT_TRUE(radii.fit());
}

TEST(ContinuousNoise, EuclideanLaplaceHasItsRadiusAndDirection) {
  SeededRandom random(52);
  for (const std::size_t dimension : {1u, 2u, 3u, 10u}) {
    const auto d = static_cast<double>(dimension);
    const boost::math::gamma_distribution<> radius_law(d, 2.5);
    LevelCounts radii, cosines;
    std::vector<double> noise(dimension);
    std::uint64_t positive = 0;
    for (int i = 0; i < 10'000; ++i) {
      simulate_euclidean_laplace_not_private(2.5, noise, random);
      const Polar polar = in_polar(noise);
      radii.add(boost::math::cdf(radius_law, polar.radius));
      if (polar.cosine > 0) ++positive;
      if (dimension == 1) continue;
      const boost::math::beta_distribution<> cosine_law((d - 1) / 2, (d - 1) / 2);
      const double half = std::clamp((polar.cosine + 1) / 2, 0.0, 1.0);
      cosines.add(boost::math::cdf(cosine_law, half));
    }
    EXPECT_TRUE(radii.fit()) << dimension;
    const std::vector<std::uint64_t> sides = {positive, 10'000 - positive};
    EXPECT_TRUE(test::follows(std::vector<double>{0.5, 0.5}, sides)) << dimension;
    if (dimension > 1) {
      EXPECT_TRUE(cosines.fit()) << dimension;
    }
  }
}

std::string refusal_of_noise(double scale, std::size_t dimension) {
  SeededRandom random(53);
  std::vector<double> noise(dimension);
  try {
    simulate_euclidean_laplace_not_private(scale, noise, random);
  } catch (const InvalidInput& refused) {
    return refused.what();
  }
  return "accepted";
}

TEST(ContinuousNoise, RefusesInOneSentence) {
  EXPECT_EQ(refusal_of_noise(0, 1), "the scale of noise must be finite and positive, but is 0");
  EXPECT_EQ(refusal_of_noise(1, 0), "the dimension of noise must be at least 1, but is 0");
  SeededRandom random(54);
  std::vector<double> noise(1);
  EXPECT_THROW(simulate_gaussian_not_private(test::kInfinity, noise, random), InvalidInput);
  EXPECT_THROW(simulate_gaussian_not_private(test::kNan, noise, random), InvalidInput);
}

}  // namespace
}  // namespace mollify
