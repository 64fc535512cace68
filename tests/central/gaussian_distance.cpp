#include "central/gaussian_distance.h"

#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

namespace mollify::test {
namespace {

/// 4.9 standard errors at most of a mean of 40 000 draws: false alarms are rarer than 1e-6, for
/// this bound on the error is not reached by far.
constexpr std::size_t kDraws = 40'000;
constexpr double kError = 4.9 / (2 * 200.0);

TEST(GaussianDistance, IsThatOfMovedAndOfWiderGaussians) {
  SecureRandom random;
  const SharedGaussian standard{{0, 0}, {1, 0, 0, 1}};
  EXPECT_EQ(simulated_total_variation(standard, standard, 100, random), 0);
  const SharedGaussian correlated{{1, 2}, {4, 1.2, 1.2, 1}};
  EXPECT_NEAR(simulated_total_variation(correlated, correlated, 100, random), 0, 1e-12);
  // Moved by one standard deviation: 2 Phi(1/2) - 1.
  const SharedGaussian moved{{3, 2.6}, {4, 1.2, 1.2, 1}};
  const double by_mean = simulated_total_variation(correlated, moved, kDraws, random);
  // Twice as wide in one coordinate: erf(t/sqrt 2) - erf(t/sqrt 8), where densities cross at
  // t = sqrt(8 ln 2 / 3).
  const SharedGaussian wide{{0, 0}, {4, 0, 0, 1}};
  const double by_width = simulated_total_variation(standard, wide, kDraws, random);
  const double t = std::sqrt(8 * std::log(2.0) / 3);
  std::printf("moved %.5f, wider %.5f\n", by_mean, by_width);
  EXPECT_NEAR(by_mean, std::erf(0.5 / std::sqrt(2.0)), kError);
  EXPECT_NEAR(by_width, std::erf(t / std::sqrt(2.0)) - std::erf(t / std::sqrt(8.0)), kError);
}

TEST(GaussianDistance, IsOneWhereACovarianceIsFlat) {
  SecureRandom random;
  EXPECT_EQ(simulated_total_variation({{0, 0}, {1, 0, 0, 0}}, {{0, 0}, {1, 0, 0, 1}}, 10, random),
            1);
}

}  // namespace
}  // namespace mollify::test
