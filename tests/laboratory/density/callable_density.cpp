#include "laboratory/density/callable_density.h"

#include <array>
#include <cmath>
#include <limits>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

TEST(CallableDensity, IsExactOnPolynomialsBetweenKinks) {
  // |x - 0.3| on [0, 1], with kinks and a support that are no edges.
  const CallableDensity density([](std::span<const double> x) { return std::abs(x[0] - 0.3); },
                                {{0.05, 1}}, {{0.3}});
  const Grid grid({{0, 0.1, 0.4, 1}});
  std::vector<double> masses(3);
  density.cell_masses(grid, masses);
  EXPECT_NEAR(masses[0], (0.25 * 0.25 - 0.2 * 0.2) / 2, 1e-15);
  EXPECT_NEAR(masses[1], (0.2 * 0.2 + 0.1 * 0.1) / 2, 1e-15);
  EXPECT_NEAR(masses[2], (0.7 * 0.7 - 0.1 * 0.1) / 2, 1e-15);
  EXPECT_EQ(density.density(std::array{0.01}), 0);
}

TEST(CallableDensity, OfThreeDimensionsIsExactOnPolynomials) {
  const CallableDensity density(
      [](std::span<const double> x) { return std::pow(x[0], 7) * x[1] * x[1] + x[2]; },
      {{0, 1}, {0, 1}, {0, 1}});
  const Grid grid({{0, 0.5, 1}, {0, 1}, {0, 1}});
  std::vector<double> masses(2);
  density.cell_masses(grid, masses);
  EXPECT_NEAR(masses[0], std::pow(0.5, 8) / 8 / 3 + 0.25, 1e-15);
  EXPECT_NEAR(masses[0] + masses[1], 1.0 / 24 + 0.5, 1e-15);
}

TEST(CallableDensity, GainsAFactorOfHundredsByHalvingSmoothCells) {
  const CallableDensity density([](std::span<const double> x) { return std::exp(x[0]); }, {{0, 4}});
  const auto error = [&](std::size_t cells) {
    std::vector<double> masses(cells);
    density.cell_masses(Grid({equal_width_edges({0, 4}, cells)}), masses);
    double sum = 0;
    for (const double mass : masses) sum += mass;
    return std::abs(sum - std::expm1(4.0));
  };
  EXPECT_GT(error(1) / error(2), 100);
  EXPECT_GT(error(2) / error(4), 100);
}

TEST(CallableDensity, RefusesKinksForOtherAxes) {
  const auto one = [](std::span<const double>) { return 1.0; };
  EXPECT_THROW(CallableDensity(one, {{0, 1}}, {{}, {}}), InvalidInput);
  EXPECT_THROW(CallableDensity(one, {}), InvalidInput);
}

}  // namespace
}  // namespace mollify
