#include <array>
#include <cmath>
#include <numeric>

#include "core/invalid_input.h"
#include "measures/cubature.h"
#include "measures/measure.h"

namespace mollify {
namespace {

GaussianMixtureSpec some_mixture(std::size_t dimension, const Box& box) {
  GaussianMixtureSpec spec;
  for (int i = 0; i < 3; ++i) {
    spec.means.emplace_back();
    spec.variances.emplace_back();
    for (std::size_t axis = 0; axis < dimension; ++axis) {
      spec.means.back().push_back(0.4 * i - 0.3 * static_cast<double>(axis));
      spec.variances.back().push_back(0.2 + 0.3 * i + 0.1 * static_cast<double>(axis));
    }
    spec.weights.push_back(1 + i);
  }
  spec.box = box;
  return spec;
}

Grid grid_over(const Box& box, std::size_t along) {
  std::vector<std::vector<double>> edges;
  for (const Interval& interval : box) edges.push_back(equal_width_edges(interval, along));
  return Grid(std::move(edges));
}

TEST(GaussianMixture, HasTheCellMassesOfItsDensity) {
  for (std::size_t dimension = 1; dimension <= 3; ++dimension) {
    const Box box(dimension, {-1, 2});
    const GaussianMixture mixture(some_mixture(dimension, box));
    const Grid grid = grid_over(box, dimension == 3 ? 12 : 40);
    std::vector<double> exact(grid.cell_count());
    mixture.cell_masses(grid, exact);
    const std::vector<double> by_cubature = test::cubature(
        grid, [&](std::span<const double> point) { return mixture.density(point); }, box);
    EXPECT_NEAR(std::accumulate(exact.begin(), exact.end(), 0.0), 1, 1e-12);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      ASSERT_NEAR(exact[i], by_cubature[i], 1e-8 * exact[i]) << dimension << ' ' << i;
      ASSERT_NEAR(exact[i], mixture.box_mass(grid.cell(i)), 1e-10 * exact[i] + 1e-16);
    }
  }
}

TEST(GaussianMixture, OnABoxIsTheMixtureGivenTheBox) {
  const Box box{{-0.5, 0.5}, {0, 1}};
  const GaussianMixture everywhere(some_mixture(2, {}));
  const GaussianMixture on_box(some_mixture(2, box));
  const double mass = everywhere.box_mass(box);
  for (const std::array<double, 2>& x :
       {std::array{0.0, 0.5}, std::array{-0.5, 0.01}, std::array{0.4, 0.9}}) {
    EXPECT_NEAR(on_box.density(x), everywhere.density(x) / mass, 1e-13);
  }
  EXPECT_EQ(on_box.density(std::array{0.6, 0.5}), 0);
  EXPECT_NEAR(on_box.box_mass(box), 1, 1e-14);
  EXPECT_NEAR(on_box.box_mass({{-0.5, 0}, {0, 1}}), everywhere.box_mass({{-0.5, 0}, {0, 1}}) / mass,
              1e-13);
}

TEST(GaussianMixture, CountsWhatLiesOutsideAGridToItsOutermostCells) {
  const GaussianMixture mixture({.means = {{0}}, .weights = {3}, .variances = {{1}}, .box = {}});
  const Grid grid({{1, 2, 3}});
  std::vector<double> masses(2);
  mixture.cell_masses(grid, masses);
  EXPECT_NEAR(masses[0], 0.977249868051821, 1e-14);
  EXPECT_NEAR(masses[1], 0.022750131948179, 1e-14);
}

TEST(GaussianMixture, RefusesWhatIsNoMixture) {
  const GaussianMixtureSpec good{
      .means = {{0, 1}}, .weights = {1}, .variances = {{1, 1}}, .box = {}};
  EXPECT_NO_THROW(GaussianMixture{good});
  const auto refused = [&](const auto& change) {
    GaussianMixtureSpec spec = good;
    change(spec);
    EXPECT_THROW(GaussianMixture{spec}, InvalidInput);
  };
  refused([](auto& spec) { spec.means.clear(); });
  refused([](auto& spec) { spec.means = {{}}; });
  refused([](auto& spec) { spec.means.push_back({0, 1}); });
  refused([](auto& spec) { spec.weights = {-1}; });
  refused([](auto& spec) { spec.weights = {0}; });
  refused([](auto& spec) { spec.weights = {std::nan("")}; });
  refused([](auto& spec) { spec.weights = {HUGE_VAL}; });
  refused([](auto& spec) { spec.variances = {{1}}; });
  refused([](auto& spec) { spec.variances = {{1, 0}}; });
  refused([](auto& spec) { spec.box = {{0, 1}}; });
  refused([](auto& spec) { spec.box = {{0, 1}, {1000, 1001}}; });
}

}  // namespace
}  // namespace mollify
