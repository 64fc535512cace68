#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "domain/candidates.h"
#include "laboratory/boosting/learners.h"
#include "laboratory/contender/contenders.h"
#include "laboratory/measure/measure.h"
#include "sanitized.h"

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

// docs/theory/errata.md, 8: the shifted density is what its noisy coefficients, and nothing else,
// make it: their polynomial, less its minimum, divided by its integral.
TEST(BernsteinMechanism, ShiftingIsPostProcessing) {
  SeededRandom random(5);
  const BernsteinDensity density(sample_of_measure(three_in_the_unit_box(), 100, 1),
                                 {.epsilon = 0.1}, random);
  const std::span<const double> coefficients = density.coefficients();
  const auto by_coefficients = [&](double y) {  // de Casteljau's way
    std::vector<double> left(coefficients.begin(), coefficients.end());
    for (std::size_t size = left.size() - 1; size > 0; --size) {
      for (std::size_t v = 0; v < size; ++v) left[v] += y * (left[v + 1] - left[v]);
    }
    return left[0];
  };
  constexpr std::size_t kCells = 200;
  std::vector<double> values;
  for (std::size_t i = 0; i <= 2 * kCells; ++i) {
    values.push_back(by_coefficients(static_cast<double>(i) / (2 * kCells)));
  }
  const double least = *std::min_element(values.begin(), values.end());
  EXPECT_LT(least, 0) << "noise makes the polynomial negative";
  std::vector<double> expected;
  double whole = 0;
  for (std::size_t i = 0; i < kCells; ++i) {
    const double* at = &values[2 * i];
    expected.push_back(at[0] + 4 * at[1] + at[2] - 6 * least);
    whole += expected.back();
  }
  const std::vector<double> masses = density.cell_masses(kCells);
  for (std::size_t i = 0; i < kCells; ++i) EXPECT_NEAR(masses[i], expected[i] / whole, 1e-12);
}

/// What some seeds make of one table.
struct SeedSpread {
  double mean = 0;
  double deviation = 0;
  std::vector<double> ascending{};

  [[nodiscard]] double share_below(double nll) const {
    const auto place = std::lower_bound(ascending.begin(), ascending.end(), nll);
    return static_cast<double>(place - ascending.begin()) / static_cast<double>(ascending.size());
  }
};

/// How values of the noisy polynomial become positive: as the mechanism does it, and two other
/// ways.
enum class Repair { kSubtractLeastValue, kSubtractLeastCoefficient, kClamp };

SeedSpread spread_of(const NodeValues& estimate, const std::vector<double>& p, double epsilon,
                     Repair repair, std::uint64_t seeds) {
  const std::vector<double> volumes(p.size(), 1 / static_cast<double>(p.size()));
  SeedSpread result;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SeededRandom random(seed);
    const BernsteinDensity density(estimate, {.epsilon = epsilon}, random);
    std::vector<double> law = density.cell_masses(p.size());
    if (repair != Repair::kSubtractLeastValue) {
      const double least =
          *std::min_element(density.coefficients().begin(), density.coefficients().end());
      double whole = 0;
      for (std::size_t i = 0; i < law.size(); ++i) {
        const double y = (static_cast<double>(i) + 0.5) / static_cast<double>(law.size());
        const double value = density.polynomial(std::vector<double>{y});
        law[i] = repair == Repair::kClamp ? std::max(value, 1e-3) : value - std::min(least, 0.0);
        whole += law[i];
      }
      for (double& mass : law) mass /= whole;
    }
    result.ascending.push_back(negative_log_likelihood(p, law, volumes));
    result.mean += result.ascending.back() / static_cast<double>(seeds);
  }
  for (const double nll : result.ascending) {
    result.deviation += (nll - result.mean) * (nll - result.mean);
  }
  result.deviation = std::sqrt(result.deviation / static_cast<double>(seeds));
  std::sort(result.ascending.begin(), result.ascending.end());
  return result;
}

struct ThreeGaussians {
  std::vector<double> p = std::vector<double>(200);
  NodeValues estimate;
};
ThreeGaussians three_gaussians_of(std::uint64_t seed) {
  const GaussianMixture truth = three_in_the_unit_box();
  ThreeGaussians result;
  truth.cell_masses(Grid({equal_width_edges({0, 1}, result.p.size())}), result.p);
  result.estimate = kernel_density_at_nodes(sample_of_measure(truth, 10'000, seed), {});
  return result;
}

// n = 10 000, w = .01, K = 20, h = 1; entropy -.924, Q0 -.207. Expected: -.775 without noise, -.773
// at epsilon 10, -.735 at 1, where one draw of the noise deviates by .004 and .03.
TEST(BernsteinMechanism, HasTheExpectedLikelihoods) {
  const GaussianMixture truth = three_in_the_unit_box();
  const ThreeGaussians three = three_gaussians_of(20261122);
  SeededRandom random(1);
  EXPECT_NEAR(nll_of(truth, BernsteinDensity(three.estimate, {}, random), 500), -0.775, 0.01);
  for (const auto& [epsilon, expected] : {std::pair{10.0, -0.773}, std::pair{1.0, -0.735}}) {
    const SeedSpread seeds =
        spread_of(three.estimate, three.p, epsilon, Repair::kSubtractLeastValue, 500);
    std::printf("epsilon %g: mean %.4f, deviation of a draw %.4f\n", epsilon, seeds.mean,
                seeds.deviation);
    EXPECT_NEAR(seeds.mean, expected, 0.01);
  }
  // No other way to be positive gives what is expected at epsilon 1.
  for (const Repair repair : {Repair::kSubtractLeastCoefficient, Repair::kClamp}) {
    const SeedSpread seeds = spread_of(three.estimate, three.p, 1, repair, 100);
    std::printf("%s: mean %.4f at epsilon 1\n",
                repair == Repair::kClamp ? "clamped" : "least coefficient subtracted", seeds.mean);
    EXPECT_GT(std::abs(seeds.mean + 0.735), 0.02);
  }
}

// At epsilon .1 and .01 a draw of the noise deviates by .11 and .5, so that the expected -.44 and
// -.16, which are of one draw or the mean of a few, are not to be met to .01. What can be checked
// is that they are ordinary draws: they lie in the middle half of the law of one draw, whose mean,
// median and share below them an independent program computed with other points and other noise
// (20 000 draws each of two sets of points). Allowed: 4.9 standard errors of these draws
// (two-sided, 1e-6), and .006 for the points.
TEST(BernsteinMechanism, ExpectedLikelihoodsAreOrdinaryDraws) {
  constexpr std::uint64_t kDraws = test::whole_or_sanitized(2500, 500);
  const ThreeGaussians three = three_gaussians_of(20261122);
  struct Case {
    double epsilon, expected, mean, median, share_below;
  };
  for (const Case& one :
       {Case{0.1, -0.44, -0.5015, -0.5120, 0.7145}, Case{0.01, -0.16, 0.058, -0.083, 0.351}}) {
    const SeedSpread draws =
        spread_of(three.estimate, three.p, one.epsilon, Repair::kSubtractLeastValue, kDraws);
    const double error = draws.deviation / std::sqrt(kDraws);
    const double median = draws.ascending[kDraws / 2];
    const double share = draws.share_below(one.expected);
    std::printf(
        "epsilon %g: mean %.4f with error %.4f, median %.4f, deviation of a draw %.4f; "
        "%.3f of draws are below %g\n",
        one.epsilon, draws.mean, error, median, draws.deviation, share, one.expected);
    EXPECT_NEAR(draws.mean, one.mean, 4.9 * error + 0.006);
    EXPECT_NEAR(median, one.median, 4.9 * 1.26 * error + 0.006);
    EXPECT_NEAR(share, one.share_below, 4.9 * 0.5 / std::sqrt(kDraws) + 0.006);
    EXPECT_GT(share, 0.25);
    EXPECT_LT(share, 0.75);
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
  EXPECT_THROW((void)kernel_density_at_nodes({}, {}), InvalidInput);
  EXPECT_THROW(BernsteinDensity(kernel_density_at_nodes(points, {}), {.lattice = 10}, random),
               InvalidInput);
  EXPECT_THROW((void)cross_validated_width(std::vector<double>{0.5}, 1), InvalidInput);
}

}  // namespace
}  // namespace mollify
