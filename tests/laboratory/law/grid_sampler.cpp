#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "core/invalid_input.h"
#include "kernel/search.h"
#include "laboratory/law/law.h"
#include "measures/cubature.h"
#include "measures/gaussian_envelope.h"
#include "measures/measure.h"
#include "methods/divergence/f_divergence.h"
#include "methods/divergence/worst_case_risk.h"
#include "methods/local/bands.h"
#include "not_finite.h"

namespace mollify {
namespace {

using test::kInfinity;
constexpr double kGridEpsilon = 1;

GaussianMixture two_peaks(std::size_t dimension) {
  const std::vector<double> left(dimension, -0.8);
  const std::vector<double> right(dimension, 0.5);
  const std::vector<double> variances(dimension, 0.3);
  return GaussianMixture(
      {.means = {left, right}, .weights = {2, 1}, .variances = {variances, variances}, .box = {}});
}

GridSampler sampler_of(std::size_t dimension, std::size_t cells) {
  auto envelope = std::make_shared<GaussianEnvelope>(2, 0.3, dimension);
  Grid grid = equal_width_grid(*envelope, cells);
  const double floor = class_floor(0, envelope->class_bound(), kGridEpsilon);
  return {std::move(envelope), std::move(grid), floor, kGridEpsilon};
}

TEST(GridSampler, FollowsTheProjectionOfP) {
  for (std::size_t dimension = 1; dimension <= 3; ++dimension) {
    const GridSampler sampler = sampler_of(dimension, 1000);
    GridRelease release(sampler);
    release.assign(two_peaks(dimension));
    const double floor = class_floor(0, sampler.reference().class_bound(), kGridEpsilon);
    std::vector<double> lower;
    std::vector<double> upper;
    double whole = 0;
    for (const double mass : sampler.reference_masses()) whole += mass;
    for (const double mass : sampler.reference_masses()) {
      lower.push_back(floor * mass / whole);
      upper.push_back(lower.back() * std::exp(kGridEpsilon));
    }
    const BandProjection projection = project_on_band(release.masses(), lower, upper);
    const std::vector<double> law = probabilities(release.table());
    for (std::size_t i = 0; i < law.size(); ++i) {
      // The table's own accuracy ends at two parts of N.
      ASSERT_NEAR(law[i], projection.law[i], 1e-8 * projection.law[i] + 0x1p-61)
          << dimension << ' ' << i;
    }
    EXPECT_NEAR(release.scale() / projection.scale, 1, 1e-6) << dimension;
  }
}

/// Scores that no density has.
std::vector<std::vector<double>> garbage(std::size_t cells) {
  std::vector<std::vector<double>> scores(8, std::vector<double>(cells));
  for (std::size_t i = 0; i < cells; ++i) {
    scores[0][i] = 0;
    scores[1][i] = i == 0 ? 1 : 0;
    scores[2][i] = i + 1 == cells ? kInfinity : 0;
    scores[3][i] = std::nan("");
    scores[4][i] = -1;
    scores[5][i] = std::ldexp(1.0, static_cast<int>(i % 2000) - 1000);
    scores[6][i] = i % 3 == 0 ? 1 : std::nan("");
    scores[7][i] = i % 2 == 0 ? 1e308 : 5e-324;
  }
  return scores;
}

TEST(GridSampler, KeepsEpsilonOnEveryGridWhateverTheScores) {
  // Coarse and fine grids, of equal width and of equal mass, in integers.
  for (std::size_t dimension = 1; dimension <= 3; ++dimension) {
    for (const std::size_t cells : {1U, 8U, 1000U}) {
      for (const bool equal_mass : {false, true}) {
        auto reference = std::make_shared<GaussianMixture>(
            test::single_gaussian(std::vector<double>(dimension, 0.5), 2));
        Grid grid = equal_width_grid(*reference, cells);
        if (equal_mass) {
          std::vector<std::vector<double>> edges;
          for (std::size_t axis = 0; axis < dimension; ++axis) {
            edges.push_back(test::equal_mass_edges(*reference, axis, grid.cells_along(axis)));
          }
          grid = Grid(std::move(edges));
        }
        const GridSampler sampler(std::move(reference), std::move(grid),
                                  relative_floor(kGridEpsilon), kGridEpsilon);
        const std::size_t count = sampler.grid().cell_count();
        std::vector<std::vector<std::uint64_t>> laws;
        for (const auto& scores : garbage(count)) {
          GridRelease release(sampler);
          release.assign(scores);
          laws.emplace_back(release.table().numerators().begin(),
                            release.table().numerators().end());
          EXPECT_EQ(std::accumulate(laws.back().begin(), laws.back().end(), std::uint64_t{0}),
                    sampler.band().total());
        }
        for (std::size_t i = 0; i < count; ++i) {
          const auto [least, greatest] = std::minmax_element(
              laws.begin(), laws.end(), [i](const auto& a, const auto& b) { return a[i] < b[i]; });
          ASSERT_TRUE(sampler.band().bound().allows((*greatest)[i], (*least)[i])) << i;
        }
      }
    }
  }
}

TEST(GridSampler, DrawsPointsByItsDensity) {
  constexpr std::size_t kDraws = 40'000;
  const GridSampler sampler = sampler_of(2, 400);
  GridRelease release(sampler);
  release.assign(two_peaks(2));
  // Bins that cut through the cells: the density inside cells counts.
  std::vector<std::vector<double>> edges;
  for (const Interval& interval : sampler.grid().box()) {
    edges.push_back(equal_width_edges(interval, 13));
  }
  const Grid bins(std::move(edges));
  std::vector<std::vector<double>> kinks;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const auto all = sampler.grid().edges(axis);
    kinks.emplace_back(all.begin(), all.end());
  }
  std::vector<double> masses = test::cubature(
      bins, [&](std::span<const double> x) { return release.density(x); }, sampler.grid().box(),
      kinks);
  const double whole = std::accumulate(masses.begin(), masses.end(), 0.0);
  EXPECT_NEAR(whole, 1, 1e-4) << "the density of the law sums to one";
  for (double& mass : masses) mass /= whole;
  std::vector<std::uint64_t> counts(bins.cell_count());
  SeededRandom random(20260701);
  std::array<double, 2> point{};
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    release.simulate(random, point);
    ++counts[bins.cell_of(point)];
  }
  EXPECT_TRUE(test::follows(masses, counts)) << "seed 20260701";
}

// The ring of three of the reference file, whose optimum has KL .029340556270250. The law of cells
// is nearer to P's cells than that, by data processing; the released point lies in the continuous
// band, so it is further from P. Both come closer with the square of the width.
TEST(GridSampler, BracketsTheContinuousOptimum) {
  constexpr double kOptimum = 0.02934055627025038;
  const auto envelope = std::make_shared<GaussianEnvelope>(1, 0.5, 2);
  const double floor = class_floor(0, envelope->class_bound(), 0.5);
  const double height = std::sqrt(0.75);
  const std::vector<double> variances{0.5, 0.5};
  const GaussianMixture ring({.means = {{1, 0}, {-0.5, height}, {-0.5, -height}},
                              .weights = {1, 1, 1},
                              .variances = {variances, variances, variances},
                              .box = {}});
  double before = 1;
  for (const std::size_t cells : {1U << 10, 1U << 12, 1U << 14}) {
    const GridSampler sampler(envelope, equal_width_grid(*envelope, cells), floor, 0.5);
    GridRelease release(sampler);
    release.assign(ring);
    const double of_cells = kullback_leibler(release.masses(), probabilities(release.table()));
    const std::vector<double> by_cell = test::cubature(
        sampler.grid(),
        [&](std::span<const double> x) {
          const double p = ring.density(x);
          const double q = release.density(x);
          return p * std::log(p / q) - p + q;
        },
        sampler.grid().box());
    const double of_points = std::accumulate(by_cell.begin(), by_cell.end(), 0.0);
    std::printf("%zu cells: KL of the cells %+.2e, of the released point %+.2e\n", cells,
                of_cells - kOptimum, of_points - kOptimum);
    EXPECT_LT(of_cells, kOptimum);
    EXPECT_GT(of_points, kOptimum);
    EXPECT_LT(of_points - of_cells, 0.3 * before);
    before = of_points - of_cells;
  }
}

TEST(GridSampler, ReleasesTheReferenceWithoutScores) {
  const GridSampler sampler = sampler_of(1, 500);
  const GridRelease release(sampler);
  for (double x = -4; x <= 4; x += 0.37) {
    EXPECT_NEAR(release.density(std::array{x}) / sampler.reference().density(std::array{x}), 1,
                1e-6);
  }
  EXPECT_EQ(release.density(std::array{1e6}), 0);
}

TEST(GridSampler, RefusesOtherDimensions) {
  const GridSampler sampler = sampler_of(1, 10);
  GridRelease release(sampler);
  EXPECT_THROW(release.assign(two_peaks(2)), InvalidInput);
  EXPECT_THROW(release.assign(std::vector<double>(9)), InvalidInput);
  EXPECT_THROW(
      GridSampler(std::make_shared<UniformMeasure>(Box{{0, 1}}), Grid({{0, 1}, {0, 1}}), 0.5, 1),
      InvalidInput);
}

TEST(TableScale, IsInfiniteWherePHasTooLittleSupport) {
  const Band band = make_band({.outcome_count = 4, .floor = std::exp(-0.5), .epsilon = 1});
  // One outcome cannot hold what the others leave: it sits at its upper bound, with r to spare.
  const std::vector<double> point_mass{1, 0, 0, 0};
  EXPECT_NEAR(scale_of(projected(band, point_mass), point_mass), 1 / (0.25 * std::exp(0.5)), 1e-9);
  const std::vector<double> nothing(4);
  EXPECT_TRUE(std::isinf(scale_of(projected(band, nothing), nothing)) ||
              scale_of(projected(band, nothing), nothing) == 0);
}

TEST(CandidateLaw, TendsToTheLawOfAGrid) {
  const GridSampler sampler = sampler_of(1, 1 << 16);
  GridRelease release(sampler);
  const GaussianMixture p = two_peaks(1);
  release.assign(p);
  const double floor = class_floor(0, sampler.reference().class_bound(), kGridEpsilon);
  const CandidateLaw candidates(p, sampler.reference(), 1 << 16, floor, kGridEpsilon);
  EXPECT_NEAR(std::accumulate(candidates.masses().begin(), candidates.masses().end(), 0.0), 1,
              1e-12);
  // One list of 65536 points is off by about 1/256.
  EXPECT_NEAR(candidates.scale(), release.scale(), 0.02);
  for (double x = -2; x <= 2; x += 0.25) {
    EXPECT_NEAR(candidates.density(std::array{x}), release.density(std::array{x}),
                0.02 * release.density(std::array{x}));
  }
  EXPECT_THROW(CandidateLaw(two_peaks(2), sampler.reference(), 10, floor, kGridEpsilon),
               InvalidInput);
}

}  // namespace
}  // namespace mollify
