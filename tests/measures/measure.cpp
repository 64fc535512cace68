// What every public measure must keep, and what each kind has of its own.
#include "measures/measure.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <numbers>
#include <numeric>

#include <nlohmann/json.hpp>

#include "chi_square.h"
#include "core/invalid_input.h"
#include "measures/cubature.h"
#include "measures/gaussian_envelope.h"
#include "measures/measure.h"
#include "not_finite.h"
#include "sanitized.h"

namespace mollify {
namespace {

using MeasurePointer = std::shared_ptr<const Measure>;
using test::kInfinity;

struct NamedMeasure {
  const char* name;
  MeasurePointer measure;
};

std::vector<NamedMeasure> made_of_every_kind() {
  const auto uniform = std::make_shared<UniformMeasure>(Box{{-1, 3}, {0, 0.5}});
  const auto gaussian = std::make_shared<GaussianMixture>(test::single_gaussian({1}, 0.25));
  const auto truncated = std::make_shared<GaussianMixture>(
      test::single_gaussian({0, 1}, 2, {{-1, 4}, {1.5, kInfinity}}));
  const auto mixture =
      std::make_shared<GaussianMixture>(GaussianMixtureSpec{.means = {{0, 0}, {3, 1}},
                                                            .weights = {1, 3},
                                                            .variances = {{1, 0.5}, {0.2, 0.1}},
                                                            .box = {{-2, 4}, {-2, 2}}});
  const auto histogram = std::make_shared<HistogramMeasure>(Grid({{0, 1, 3}, {0, 0.25, 1}}),
                                                            std::vector<double>{1, 0.1, 2, 5});
  return {{"uniform", uniform},
          {"Gaussian", gaussian},
          {"truncated Gaussian", truncated},
          {"Gaussian mixture", mixture},
          {"histogram", histogram},
          {"product",
           std::make_shared<ProductMeasure>(std::vector<MeasurePointer>{gaussian, histogram})},
          {"envelope in one dimension", std::make_shared<GaussianEnvelope>(1, 1, 1, Box{{-4, 4}})},
          {"envelope on the line", std::make_shared<GaussianEnvelope>(0.5, 0.1, 1)},
          {"envelope in two dimensions", std::make_shared<GaussianEnvelope>(1, 0.5, 2)},
          {"envelope on a rectangle",
           std::make_shared<GaussianEnvelope>(1, 0.3, 2, Box{{-1.2, 3}, {-0.5, 2}})},
          {"envelope in three dimensions",
           std::make_shared<GaussianEnvelope>(0.7, 0.2, 3, Box{{-1, 2}, {-2, 1}, {-1, 1}})}};
}

const std::vector<NamedMeasure>& every_kind() {
  static const std::vector<NamedMeasure> kinds = made_of_every_kind();
  return kinds;
}

std::size_t cells_for(const Measure& measure) {
  return measure.dimension() == 1 ? 60 : measure.dimension() == 2 ? 30 * 30 : 10 * 10 * 10;
}

TEST(Measure, HasTheCellMassesOfItsDensity) {
  for (const auto& [name, measure] : every_kind()) {
    // Kinks at the lines where histograms jump; the envelopes' sphere is no line, and costs digits.
    const std::vector<std::vector<double>> kinks(measure->dimension(), {0, 0.25, 1, 3});
    const Grid grid = equal_width_grid(*measure, cells_for(*measure));
    std::vector<double> masses(grid.cell_count());
    measure->cell_masses(grid, masses);
    const std::vector<double> expected = test::cubature(
        grid, [&measure = measure](std::span<const double> x) { return measure->density(x); },
        measure->box(), kinks);
    EXPECT_NEAR(std::accumulate(masses.begin(), masses.end(), 0.0), 1, 1e-10) << name;
    for (std::size_t i = 0; i < masses.size(); ++i) {
      ASSERT_NEAR(masses[i], expected[i], 2e-6) << name << ", cell " << i;
      ASSERT_NEAR(measure->box_mass(grid.cell(i)), masses[i], 1e-12) << name << ", cell " << i;
    }
  }
}

TEST(Measure, DrawsWhatItsMassesSay) {
  constexpr std::size_t kDraws = test::whole_or_sanitized(20'000, 4'000);
  SeededRandom random(20260611);
  for (const auto& [name, measure] : every_kind()) {
    const std::size_t along = measure->dimension() == 1 ? 40 : measure->dimension() == 2 ? 6 : 3;
    std::vector<std::vector<double>> edges;
    for (std::size_t axis = 0; axis < measure->dimension(); ++axis) {
      edges.push_back(test::equal_mass_edges(*measure, axis, along));
    }
    const Grid grid(std::move(edges));
    std::vector<double> masses(grid.cell_count());
    measure->cell_masses(grid, masses);
    std::vector<std::uint64_t> counts(grid.cell_count());
    std::vector<double> point(measure->dimension());
    for (std::size_t draw = 0; draw < kDraws; ++draw) {
      measure->simulate(random, point);
      for (std::size_t axis = 0; axis < point.size(); ++axis) {
        ASSERT_TRUE(measure->box()[axis].contains(point[axis])) << name;
      }
      ++counts[grid.cell_of(point)];
    }
    std::printf("%s: ", name);
    EXPECT_TRUE(test::follows(masses, counts)) << name << ", seed 20260611";
  }
}

TEST(Measure, DrawsInsideACellWhatItsDensitySays) {
  constexpr std::size_t kDraws = test::whole_or_sanitized(10'000, 2'000);
  SeededRandom random(20260612);
  for (const auto& [name, measure] : every_kind()) {
    // A cell that holds much of the mass and reaches a little beyond the middle.
    Box cell = measure->central_box();
    for (std::size_t axis = 0; axis < cell.size(); ++axis) {
      const std::vector<double> edges = test::equal_mass_edges(*measure, axis, 5);
      cell[axis] = {edges[1], edges[4]};
    }
    std::vector<std::vector<double>> edges;
    const std::size_t along = measure->dimension() == 1 ? 40 : measure->dimension() == 2 ? 6 : 3;
    for (const Interval& interval : cell) edges.push_back(equal_width_edges(interval, along));
    const Grid grid(std::move(edges));
    std::vector<double> masses(grid.cell_count());
    double whole = 0;
    for (std::size_t i = 0; i < masses.size(); ++i) {
      whole += masses[i] = measure->box_mass(grid.cell(i));
    }
    for (double& mass : masses) mass /= whole;
    std::vector<std::uint64_t> counts(grid.cell_count());
    std::vector<double> point(measure->dimension());
    for (std::size_t draw = 0; draw < kDraws; ++draw) {
      measure->simulate_inside(random, cell, point);
      for (std::size_t axis = 0; axis < point.size(); ++axis) {
        ASSERT_TRUE(cell[axis].contains(point[axis])) << name;
      }
      ++counts[grid.cell_of(point)];
    }
    std::printf("%s: ", name);
    EXPECT_TRUE(test::follows(masses, counts)) << name << ", seed 20260612";
  }
}

nlohmann::json reference_file(const char* name) {
  std::ifstream file(std::string(MOLLIFY_TEST_DATA) + "/" + name);
  return nlohmann::json::parse(file);
}

TEST(GaussianEnvelope, HasTheMassesOfTheReferenceFiles) {
  const auto one = reference_file("gaussian_mixture_1d.json")["setup"];
  const GaussianEnvelope line(1, 1, 1, {{-4, 4}});
  const double mass = std::stod(one["M_total_mass_h"].get<std::string>());
  EXPECT_NEAR(line.class_bound(), mass, 1e-13);
  EXPECT_NEAR(line.density(std::array{0.5}) * mass, std::stod(one["K"].get<std::string>()), 1e-13);
  const GaussianEnvelope plane(1, 0.5, 2);
  EXPECT_NEAR(plane.class_bound(), reference_file("gaussian_ring_3.json")["M"].get<double>(),
              1e-13);
  EXPECT_NEAR(plane.class_bound(), 2 + std::sqrt(std::numbers::pi), 1e-13);
  // Cubature over a box that leaves nothing out, two dimensions and three.
  EXPECT_NEAR(GaussianEnvelope(1, 0.5, 2, {{-9, 9}, {-9, 9}}).class_bound(), plane.class_bound(),
              1e-10);
  EXPECT_NEAR(GaussianEnvelope(1, 0.5, 3, {{-9, 9}, {-9, 9}, {-9, 9}}).class_bound(),
              GaussianEnvelope(1, 0.5, 3).class_bound(), 1e-9);
}

TEST(GaussianEnvelope, LiesAboveEveryComponentWithItsMeanInTheBall) {
  for (const Box& box : {Box{}, Box{{-1.5, 2}, {-1, 3}}}) {
    const GaussianEnvelope envelope(1, 0.4, 2, box);
    for (double angle = 0; angle < 6.3; angle += 0.1) {
      for (const double norm : {0.0, 0.5, 1.0}) {
        const GaussianMixture component(
            test::single_gaussian({norm * std::cos(angle), norm * std::sin(angle)}, 0.4, box));
        for (double x = -1.5; x <= 2; x += 0.25) {
          for (double y = -1; y <= 3; y += 0.25) {
            const std::array point{x, y};
            ASSERT_LE(component.density(point),
                      envelope.class_bound() * envelope.density(point) * (1 + 1e-12));
          }
        }
      }
    }
  }
  // Without a box it is the supremum itself.
  const GaussianEnvelope envelope(1, 0.4, 2);
  const std::array<double, 2> outside{1.2, 1.6};
  EXPECT_NEAR(envelope.class_bound() * envelope.density(outside),
              GaussianMixture(test::single_gaussian({0.6, 0.8}, 0.4)).density(outside), 1e-14);
}

TEST(GaussianEnvelope, IsDrawnInManyDimensions) {
  // The share of the ball, and the mean norm outside by integration over spheres.
  const std::size_t d = 10;
  const GaussianEnvelope envelope(2, 0.3, d);
  std::vector<double> point(d);
  SeededRandom random(20260613);
  constexpr int kDraws = 20'000;
  int inside = 0;
  std::vector<double> mean(d);
  for (int draw = 0; draw < kDraws; ++draw) {
    envelope.simulate(random, point);
    double squared = 0;
    for (std::size_t axis = 0; axis < d; ++axis) {
      squared += point[axis] * point[axis];
      mean[axis] += point[axis] / kDraws;
    }
    inside += squared <= 4 ? 1 : 0;
  }
  const std::vector<double> origin(d);
  const double ball = std::pow(std::numbers::pi, 5) / 120 * std::pow(2, 10);
  const double share = envelope.density(origin) * ball;
  const double deviation = std::sqrt(share * (1 - share) * kDraws);
  std::printf("%d of %d in the ball, expected %.1f, deviation %.1f, seed 20260613\n", inside,
              kDraws, share * kDraws, deviation);
  EXPECT_NEAR(inside, share * kDraws, 4.9 * deviation);  // false alarms: 1e-6
  // A coordinate's deviation is below 1.5; ten coordinates at 1e-7 each.
  for (const double m : mean) EXPECT_NEAR(m, 0, 5.4 * 1.5 / std::sqrt(kDraws));
}

TEST(Measure, RefusesWhatIsNoMeasure) {
  EXPECT_THROW(UniformMeasure({}), InvalidInput);
  EXPECT_THROW(UniformMeasure({{0, kInfinity}}), InvalidInput);
  EXPECT_THROW(UniformMeasure({{1, 1}}), InvalidInput);
  EXPECT_THROW(UniformMeasure(Box(3, {0, 1e-200})), InvalidInput);
  EXPECT_THROW(ProductMeasure({}), InvalidInput);
  EXPECT_THROW(HistogramMeasure(Grid({{0, 1, 2}}), {1}), InvalidInput);
  EXPECT_THROW(HistogramMeasure(Grid({{0, 1, 2}}), {1, 0}), InvalidInput);
  EXPECT_THROW(HistogramMeasure(Grid({{0, 1, 2}}), {2, -1}), InvalidInput);
  EXPECT_THROW(HistogramMeasure(Grid({{0, 1, 2}}), {2, kInfinity}), InvalidInput);
  EXPECT_THROW(GaussianEnvelope(-1, 1, 1), InvalidInput);
  EXPECT_THROW(GaussianEnvelope(1, 0, 1), InvalidInput);
  EXPECT_THROW(GaussianEnvelope(1, 1, 0), InvalidInput);
  EXPECT_THROW(GaussianEnvelope(1, 1, 101), InvalidInput);
  EXPECT_THROW(GaussianEnvelope(1, 1, 2, {{0, 1}}), InvalidInput);
  EXPECT_THROW(GaussianEnvelope(1, 1, 4, Box(4, {0, 1})), InvalidInput);
  EXPECT_THROW(GaussianEnvelope(1, 1, 1, {{500, 501}}), InvalidInput);
  EXPECT_THROW((void)GaussianEnvelope(1, 1, 4).box_mass(Box(4, {0, 1})), InvalidInput);
  EXPECT_THROW((void)GaussianEnvelope(201, 1, 2).box_mass({{0, 500}, {0, 500}}), InvalidInput);
  EXPECT_THROW(GaussianEnvelope(21, 1, 3, Box(3, {-30, 30})), InvalidInput);
  EXPECT_THROW((void)equal_width_grid(GaussianEnvelope(1, 1, 4), 16), InvalidInput);
}

}  // namespace
}  // namespace mollify
