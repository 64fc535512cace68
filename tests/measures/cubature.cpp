#include "measures/cubature.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace mollify {
namespace {

TEST(Cubature, IsExactOnPolynomialsBetweenKinks) {
  // |x - 0.3| on [0.05, 1], with kinks and a support that are no edges.
  const std::vector<double> masses = test::cubature(
      Grid({{0, 0.1, 0.4, 1}}), [](std::span<const double> x) { return std::abs(x[0] - 0.3); },
      {{0.05, 1}}, {{0.3}});
  EXPECT_NEAR(masses[0], (0.25 * 0.25 - 0.2 * 0.2) / 2, 1e-15);
  EXPECT_NEAR(masses[1], (0.2 * 0.2 + 0.1 * 0.1) / 2, 1e-15);
  EXPECT_NEAR(masses[2], (0.7 * 0.7 - 0.1 * 0.1) / 2, 1e-15);
}

TEST(Cubature, OfThreeDimensionsIsExactOnPolynomials) {
  const std::vector<double> masses = test::cubature(
      Grid({{0, 0.5, 1}, {0, 1}, {0, 1}}),
      [](std::span<const double> x) { return std::pow(x[0], 7) * x[1] * x[1] + x[2]; },
      {{0, 1}, {0, 1}, {0, 1}});
  EXPECT_NEAR(masses[0], std::pow(0.5, 8) / 8 / 3 + 0.25, 1e-15);
  EXPECT_NEAR(masses[0] + masses[1], 1.0 / 24 + 0.5, 1e-15);
}

TEST(Cubature, GainsAFactorOfHundredsByHalvingSmoothCells) {
  const auto error = [](std::size_t cells) {
    const std::vector<double> masses =
        test::cubature(Grid({equal_width_edges({0, 4}, cells)}),
                       [](std::span<const double> x) { return std::exp(x[0]); }, {{0, 4}});
    return std::abs(std::accumulate(masses.begin(), masses.end(), 0.0) - std::expm1(4.0));
  };
  EXPECT_GT(error(1) / error(2), 100);
  EXPECT_GT(error(2) / error(4), 100);
}

}  // namespace
}  // namespace mollify
