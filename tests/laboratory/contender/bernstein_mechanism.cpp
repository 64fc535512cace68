#include "laboratory/contender/bernstein_mechanism.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"
#include "laboratory/boosting/fit.h"
#include "laboratory/measure/gaussian_mixture.h"
#include "space/seeded_random.h"

namespace mollify {
namespace {

/// The three Gaussians of [Husain et al. 2020] with [-1, 2] as the unit box.
GaussianMixture three_in_the_unit_box() {
  return GaussianMixture({.means = {{1.3 / 3}, {1.5 / 3}, {1.7 / 3}},
                          .weights = {1, 1, 1},
                          .variances = {{0.01 / 9}, {0.1 / 9}, {0.1 / 9}},
                          .box = {{0, 1}}});
}

std::vector<double> sample_of_measure(const Measure& measure, std::size_t count,
                                      std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<double> points(count * measure.dimension());
  for (std::size_t i = 0; i < count; ++i) {
    measure.simulate(random,
                     std::span(points).subspan(i * measure.dimension(), measure.dimension()));
  }
  return points;
}

double nll_of(const Measure& truth, const BernsteinDensity& density, std::size_t along) {
  const Grid grid({equal_width_edges({0, 1}, along)});
  std::vector<double> p(along);
  truth.cell_masses(grid, p);
  return negative_log_likelihood(p, density.cell_masses(along),
                                 std::vector<double>(along, 1 / static_cast<double>(along)));
}

// By the definition: constants are kept, lines are, and B at order 1 is the binomial mean.
TEST(BernsteinMechanism, IsItsPolynomial) {
  SeededRandom random(1);
  const std::vector<double> points{0.2, 0.5, 0.9};
  const BernsteinDensity density(points, {.lattice = 3, .width = 0.3}, random);
  const auto f = [&](double y) {
    double sum = 0;
    for (const double x : points) {
      sum += std::exp(-(y - x) * (y - x) / 0.18) / (std::sqrt(2 * std::acos(-1.0)) * 0.3) / 3;
    }
    return sum;
  };
  for (std::size_t v = 0; v <= 3; ++v) {
    EXPECT_NEAR(density.coefficients()[v], f(static_cast<double>(v) / 3), 1e-12);
  }
  const double y = 0.37;
  const double expected = std::pow(1 - y, 3) * f(0) + 3 * y * (1 - y) * (1 - y) * f(1.0 / 3) +
                          3 * y * y * (1 - y) * f(2.0 / 3) + y * y * y * f(1);
  EXPECT_NEAR(density.polynomial(std::vector<double>{y}), expected, 1e-12);
  EXPECT_NEAR(density.polynomial(std::vector<double>{0}), f(0), 1e-12);
  EXPECT_NEAR(density.polynomial(std::vector<double>{1}), f(1), 1e-12);
  // Higher orders come nearer to f at the nodes.
  const BernsteinDensity iterated(points, {.lattice = 3, .order = 400, .width = 0.3}, random);
  EXPECT_NEAR(iterated.polynomial(std::vector<double>{1.0 / 3}), f(1.0 / 3), 1e-6);
  EXPECT_GT(std::abs(density.polynomial(std::vector<double>{1.0 / 3}) - f(1.0 / 3)), 1e-3);
}

// In two dimensions everything is a product where the points are one point.
TEST(BernsteinMechanism, OfOnePointInThePlaneIsAProduct) {
  SeededRandom random(1);
  for (const std::size_t order : {1U, 4U}) {
    const BernsteinSpec plane{.dimension = 2, .lattice = 6, .order = order, .width = 0.2};
    const BernsteinDensity both(std::vector<double>{0.3, 0.6}, plane, random);
    const std::vector<double> masses = both.cell_masses(8);
    EXPECT_EQ(masses.size(), 64U);
    EXPECT_NEAR(std::accumulate(masses.begin(), masses.end(), 0.0), 1, 1e-12);
    if (order > 1) continue;
    const BernsteinDensity x(std::vector<double>{0.3}, {.lattice = 6, .width = 0.2}, random);
    const BernsteinDensity y(std::vector<double>{0.6}, {.lattice = 6, .width = 0.2}, random);
    EXPECT_NEAR(both.polynomial(std::vector<double>{0.25, 0.7}),
                x.polynomial(std::vector<double>{0.25}) * y.polynomial(std::vector<double>{0.7}),
                1e-12);
    EXPECT_NEAR(masses[3 * 8 + 5], x.cell_masses(8)[3] * y.cell_masses(8)[5], 1e-12);
  }
}

// docs/theory/errata.md: what is done to noisy coefficients costs nothing. The theorem's sum: the
// coefficients of two tables that differ in one record differ by at most S (K + 1)^d together.
TEST(BernsteinMechanism, CoefficientsMoveByAtMostTheirSensitivity) {
  SeededRandom random(3);
  const std::size_t lattice = 5;
  double most = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> points;
    for (int i = 0; i < 10; ++i) {
      points.push_back(static_cast<double>(random.below(1'000'001)) * 1e-6);
    }
    const BernsteinSpec spec{.lattice = lattice, .width = trial % 2 == 0 ? 0.02 : 0.3};
    const BernsteinDensity before(points, spec, random);
    points[4] = static_cast<double>(random.below(6)) / 5;
    const BernsteinDensity after(points, spec, random);
    double moved = 0;
    for (std::size_t v = 0; v <= lattice; ++v) {
      moved += std::abs(before.coefficients()[v] - after.coefficients()[v]);
    }
    const double sensitivity = 1 / (10 * std::sqrt(2 * std::acos(-1.0)) * spec.width);
    ASSERT_LE(moved, sensitivity * (lattice + 1));
    most = std::max(most, moved / sensitivity);
  }
  std::printf("coefficients move by up to %.3f S; noise pays for %zu S\n", most, lattice + 1);
  EXPECT_GT(most, 1);
}

// Shifted to be positive: the same noisy coefficients give the same density, whatever was private.
TEST(BernsteinMechanism, ShiftingIsPostProcessing) {
  SeededRandom random(5);
  const BernsteinDensity density(sample_of_measure(three_in_the_unit_box(), 100, 1),
                                 {.epsilon = 0.1}, random);
  double least = 0;
  for (std::size_t i = 0; i <= 400; ++i) {
    least = std::min(least, density.polynomial(std::vector<double>{static_cast<double>(i) / 400}));
  }
  EXPECT_LT(least, 0) << "noise makes the polynomial negative";
  for (const double mass : density.cell_masses(200)) EXPECT_GT(mass, 0);
}

// n = 10 000, w = .01, K = 20, h = 1; entropy -.924, Q0 -.207. From epsilon 1 on a likelihood is
// known to .01; below, one seed deviates from another by more than that, and so does a mean of few.
TEST(BernsteinMechanism, HasTheExpectedLikelihoods) {
  const GaussianMixture truth = three_in_the_unit_box();
  const std::vector<double> points = sample_of_measure(truth, 10'000, 20261122);
  struct Seeds {
    double mean = 0;
    double median = 0;
    double deviation = 0;
  };
  const auto seeds_of = [&](std::optional<double> epsilon, std::uint64_t seeds) {
    std::vector<double> nlls;
    Seeds result;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      SeededRandom random(seed);
      nlls.push_back(nll_of(truth, BernsteinDensity(points, {.epsilon = epsilon}, random), 500));
      result.mean += nlls.back() / static_cast<double>(seeds);
    }
    for (const double nll : nlls) result.deviation += (nll - result.mean) * (nll - result.mean);
    result.deviation = std::sqrt(result.deviation / static_cast<double>(seeds));
    std::sort(nlls.begin(), nlls.end());
    result.median = nlls[nlls.size() / 2];
    std::printf("epsilon %g: mean %.4f, median %.4f, deviation of a seed %.4f\n",
                epsilon.value_or(0), result.mean, result.median, result.deviation);
    return result;
  };
  EXPECT_NEAR(seeds_of(std::nullopt, 1).mean, -0.775, 0.01);
  EXPECT_NEAR(seeds_of(10, 5).mean, -0.773, 0.01);
  EXPECT_NEAR(seeds_of(1, 40).mean, -0.735, 0.01);
  for (const auto& [epsilon, expected] : {std::pair{0.1, -0.44}, std::pair{0.01, -0.16}}) {
    const Seeds seeds = seeds_of(epsilon, 60);
    EXPECT_NEAR(seeds.mean, expected, seeds.deviation) << epsilon;
  }
}

TEST(BernsteinMechanism, FindsAWidthByCrossValidation) {
  const std::vector<double> narrow =
      sample_of_measure(GaussianMixture(single_gaussian({0.5}, 0.0004)), 500, 1);
  const std::vector<double> wide =
      sample_of_measure(GaussianMixture(single_gaussian({0.5}, 0.04)), 500, 1);
  const double of_narrow = cross_validated_width(narrow, 1);
  const double of_wide = cross_validated_width(wide, 1);
  std::printf("widths %.4f and %.4f\n", of_narrow, of_wide);
  EXPECT_LT(of_narrow, 0.02);
  EXPECT_GT(of_wide, 2 * of_narrow);
  EXPECT_GE(of_narrow, 0.005);
}

TEST(BernsteinMechanism, RefusesWhatItCannotDo) {
  SeededRandom random(1);
  const std::vector<double> points{0.1, 0.2};
  EXPECT_THROW(BernsteinDensity(points, {.dimension = 3}, random), InvalidInput);
  EXPECT_THROW(BernsteinDensity(points, {.lattice = 0}, random), InvalidInput);
  EXPECT_THROW(BernsteinDensity(points, {.order = 0}, random), InvalidInput);
  EXPECT_THROW(BernsteinDensity(points, {.width = 0}, random), InvalidInput);
  EXPECT_THROW(BernsteinDensity(points, {.epsilon = -1}, random), InvalidInput);
  EXPECT_THROW(BernsteinDensity({}, {}, random), InvalidInput);
  EXPECT_THROW((void)cross_validated_width(std::vector<double>{0.5}, 1), InvalidInput);
}

}  // namespace
}  // namespace mollify
