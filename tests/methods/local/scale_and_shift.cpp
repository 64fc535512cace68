#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/invalid_input.h"
#include "laboratory/law/law.h"
#include "measures/measure.h"
#include "methods/divergence/f_divergence.h"
#include "methods/local/bands.h"
#include "methods/local/mollifiers.h"

namespace mollify {
namespace {

/// Two bumps on [0, 1], as masses of cells.
std::vector<double> bumps(std::size_t cells) {
  std::vector<double> masses(cells);
  double sum = 0;
  for (std::size_t i = 0; i < cells; ++i) {
    const double x = (static_cast<double>(i) + 0.5) / static_cast<double>(cells);
    masses[i] =
        std::exp(-std::pow((x - 0.3) / 0.1, 2)) + 0.6 * std::exp(-std::pow((x - 0.8) / 0.05, 2));
    sum += masses[i];
  }
  for (double& mass : masses) mass /= sum;
  return masses;
}

TEST(ScaleAndShift, IsTheGreatestAffineImageInTheMollifier) {
  const std::size_t cells = 500;
  const std::vector<double> uniform(cells, 1.0);
  for (const double epsilon : {0.1, 1.0, 4.0}) {
    const std::vector<double> p = bumps(cells);
    std::vector<double> q = p;
    scale_and_shift(q, uniform, epsilon);
    const double most = *std::max_element(q.begin(), q.end()) * static_cast<double>(cells);
    const double least = *std::min_element(q.begin(), q.end()) * static_cast<double>(cells);
    EXPECT_LE(most, std::exp(epsilon / 2) * (1 + 1e-12));
    EXPECT_GE(least, std::exp(-epsilon / 2) * (1 - 1e-12));
    EXPECT_TRUE(most > std::exp(epsilon / 2) * (1 - 1e-12) ||
                least < std::exp(-epsilon / 2) * (1 + 1e-12))
        << "one end is reached";
    const double scale = (q[1] - q[0]) / (p[1] - p[0]);
    double sum = 0;
    for (std::size_t i = 0; i < cells; ++i) {
      sum += q[i];
      EXPECT_NEAR(q[i] * static_cast<double>(cells),
                  1 + scale * (p[i] * static_cast<double>(cells) - 1), 1e-6);
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST(ScaleAndShift, LeavesWhatFitsAsItIs) {
  std::vector<double> q{0.24, 0.26, 0.25, 0.25};
  const std::vector<double> before = q;
  scale_and_shift(q, std::vector<double>(4, 7.0), 1);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(q[i], before[i], 1e-15);
}

TEST(ScaleAndShift, IsReleasedByTheKernelAsItIs) {
  const auto uniform = std::make_shared<UniformMeasure>(Box{{0, 1}});
  const GridSampler sampler(uniform, equal_width_grid(*uniform, 400), relative_floor(1), 1);
  std::vector<double> q = bumps(400);
  scale_and_shift(q, sampler.reference_masses(), 1);
  GridRelease release(sampler);
  release.assign(q);
  const std::vector<double> law = probabilities(release.table());
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(law[i], q[i], 1e-8 * q[i]);
  // The projection of P itself on the same band is nearer to P.
  const std::vector<double> p = bumps(400);
  release.assign(p);
  EXPECT_LT(kullback_leibler(p, probabilities(release.table())), kullback_leibler(p, law));
}

TEST(ScaleAndShift, IsTotal) {
  const std::vector<double> reference{1, 2, 1};
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& masses : {std::vector<double>{0, 0, 0},
                                            {std::nan(""), -1, infinity},
                                            {1e308, 1e308, 1e308},
                                            {5e-324, 0, 0},
                                            {1, std::nan(""), 0}}) {
    std::vector<double> q = masses;
    scale_and_shift(q, reference, 1);
    double sum = 0;
    for (const double mass : q) {
      EXPECT_GT(mass, 0);
      sum += mass;
    }
    if (masses[0] > 0) {
      EXPECT_NEAR(sum, 1, 1e-12);
    } else {
      EXPECT_EQ(q, reference);
    }
  }
}

TEST(ScaleAndShift, RefusesAnotherReference) {
  std::vector<double> q{1, 2};
  EXPECT_THROW(scale_and_shift(q, std::vector<double>{1}, 1), InvalidInput);
  EXPECT_THROW(scale_and_shift(q, std::vector<double>{1, 0}, 1), InvalidInput);
  EXPECT_THROW(scale_and_shift(q, std::vector<double>{1, 1}, 0), InvalidInput);
}

}  // namespace
}  // namespace mollify
