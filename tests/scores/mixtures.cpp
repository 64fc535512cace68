#include "scores/mixtures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "scores/kernels.h"
#include "scores/mixed_rows.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Gaussian mixture fit.

namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Two correlated clusters, of .3 and .7 of 20000 rows, with different favourite levels.
MixedPoints two_clusters() {
  MixedPoints rows({{Scale::kNumber, 0}, {Scale::kCategory, 3}, {Scale::kNumber, 0}}, 20000);
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_first = unit(random) < 0.3;
    const double x = normal(random);
    const double y = 0.8 * x + 0.6 * normal(random);
    rows.values(0)[i] = static_cast<float>((is_first ? 0.3 : 0.6) + 0.04 * x);
    rows.values(2)[i] = static_cast<float>((is_first ? 0.7 : 0.4) + 0.05 * y);
    const double level = unit(random);
    rows.values(1)[i] = is_first ? (level < 0.9 ? 0.0F : 2.0F) : (level < 0.5 ? 1.0F : 2.0F);
  }
  return rows;
}

TEST(GaussianMixtureFit, FindsTwoClusters) {
  const FittedMixture fit = fit_gaussian_mixture(two_clusters(), {.components = 2});
  ASSERT_EQ(fit.weights.size(), 2U);
  const std::size_t first = fit.means[0][0] < fit.means[1][0] ? 0 : 1;
  const std::size_t second = 1 - first;
  // Standard errors of 6000 rows are below .0007, of shares .0065: six of them are allowed.
  EXPECT_NEAR(fit.weights[first], 0.3, 0.02);
  EXPECT_NEAR(fit.means[first][0], 0.3, 0.004);
  EXPECT_NEAR(fit.means[first][1], 0.7, 0.004);
  EXPECT_NEAR(fit.means[second][0], 0.6, 0.004);
  EXPECT_NEAR(fit.covariances[second][0], 0.0016, 2e-4);
  EXPECT_NEAR(fit.covariances[second][1], 0.8 * 0.04 * 0.05, 2e-4);
  EXPECT_EQ(fit.covariances[second][1], fit.covariances[second][2]);
  EXPECT_NEAR(fit.covariances[second][3], 0.0025, 2e-4);
  EXPECT_NEAR(fit.level_probabilities[first][0], 0.9, 0.03);
  EXPECT_NEAR(fit.level_probabilities[second][1], 0.5, 0.03);
  EXPECT_NEAR(fit.level_probabilities[second][0], 0, 0.001);
}

TEST(GaussianMixtureFit, DiagonalHasNoCovariances) {
  const FittedMixture fit =
      fit_gaussian_mixture(two_clusters(), {.components = 3, .full_covariance = false});
  for (const std::vector<double>& covariance : fit.covariances) {
    EXPECT_EQ(covariance[1], 0);
    EXPECT_EQ(covariance[2], 0);
    EXPECT_GT(covariance[0], 0);
  }
}

TEST(GaussianMixtureFit, DensityIsItsDefinition) {
  const MixedPoints rows = two_clusters();
  const FittedMixture fit = fit_gaussian_mixture(rows, {.components = 4, .iterations = 5});
  const MixedPoints points =
      test::uniform_points({rows.columns().begin(), rows.columns().end()}, 200, 3);
  std::vector<float> densities(points.size());
  mixture_densities(fit, points, densities);
  for (std::size_t j = 0; j < points.size(); ++j) {
    double expected = 0;
    for (std::size_t k = 0; k < fit.weights.size(); ++k) {
      const std::vector<double>& s = fit.covariances[k];
      const double u = static_cast<double>(points.values(0)[j]) - fit.means[k][0];
      const double v = static_cast<double>(points.values(2)[j]) - fit.means[k][1];
      const double determinant = s[0] * s[3] - s[1] * s[2];
      const double form = (s[3] * u * u - 2 * s[1] * u * v + s[0] * v * v) / determinant;
      expected += fit.weights[k] * std::exp(-0.5 * form) /
                  (2 * std::acos(-1.0) * std::sqrt(determinant)) *
                  fit.level_probabilities[k][static_cast<std::size_t>(points.values(1)[j])];
    }
    EXPECT_NEAR(static_cast<double>(densities[j]), expected, 1e-6 * expected + 1e-37);
  }
}

TEST(GaussianMixtureFit, FitsNoRowsOneRowAndConstants) {
  const std::vector<MixedColumn> columns = test::survey_columns();
  for (const std::size_t size : {0U, 1U, 500U}) {
    const FittedMixture fit = fit_gaussian_mixture(MixedPoints(columns, size));
    EXPECT_EQ(fit.weights.size(), 1U);
    EXPECT_NEAR(fit.weights[0], 1, 1e-12);
    EXPECT_GT(fit.covariances[0][0], 0);
  }
  const FittedMixture none = fit_gaussian_mixture(MixedPoints(columns, 0));
  EXPECT_NEAR(none.means[0][0], 0.5, 1e-12);
  EXPECT_NEAR(none.covariances[0][0], 1.0 / 12, 1e-12);
  EXPECT_NEAR(none.level_probabilities[0][0], 0.5, 1e-12);
}

TEST(GaussianMixtureFit, RefusesNoComponents) {
  EXPECT_THAT([] { (void)fit_gaussian_mixture(MixedPoints({}, 1), {.components = 0}); },
              ThrowsMessage<InvalidInput>(HasSubstr("at least 1 component")));
  EXPECT_THAT([] { GaussianMixtureScorer(MixedPoints({}, 1), {.components = 0}); },
              ThrowsMessage<InvalidInput>(HasSubstr("at least 1 component")));
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Histogram.

namespace {

using test::clustered_points;
using test::uniform_points;

std::size_t cells_of(const MixedPoints& rows, std::size_t c, double number_columns) {
  if (rows.columns()[c].scale != Scale::kNumber) return rows.columns()[c].levels;
  const auto n = static_cast<double>(rows.size());
  const double sigma =
      static_cast<double>(rule_of_thumb(rows).of_column[c]) * std::pow(n, 1 / (number_columns + 4));
  return static_cast<std::size_t>(
      std::ceil(1 / (3.49 * sigma * std::pow(n, -1 / (number_columns + 2)))));
}

TEST(Histogram, IsItsDefinition) {
  const std::vector<MixedColumn> columns = {
      {Scale::kNumber, 0}, {Scale::kCategory, 3}, {Scale::kNumber, 0}, {Scale::kOrdered, 4}};
  const MixedPoints candidates = uniform_points(columns, 500, 1);
  for (const MixedPoints& rows :
       {clustered_points(columns, 300, 3, 0.05, 2), uniform_points(columns, 1, 3)}) {
    const auto n = static_cast<double>(rows.size());
    std::vector<std::size_t> cells;
    double volume = 1;
    for (std::size_t c = 0; c < 4; ++c) {
      cells.push_back(cells_of(rows, c, 2));
      if (columns[c].scale == Scale::kNumber) volume /= static_cast<double>(cells[c]);
    }
    const auto cell = [&](const MixedPoints& points, std::size_t c, std::size_t i) {
      const float x = points.values(c)[i];
      if (columns[c].scale != Scale::kNumber) return static_cast<int>(x);
      const auto count = static_cast<int>(cells[c]);
      return std::min(static_cast<int>(x * static_cast<float>(count)), count - 1);
    };
    std::map<std::vector<int>, double> joint;
    std::vector<std::map<int, double>> margins(4);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::vector<int> key;
      for (std::size_t c = 0; c < 4; ++c) {
        key.push_back(cell(rows, c, i));
        ++margins[c][key.back()];
      }
      ++joint[key];
    }
    const auto distinct = static_cast<double>(joint.size());
    std::vector<float> scores(candidates.size());
    HistogramScorer(candidates).score(rows, scores);
    for (std::size_t j = 0; j < candidates.size(); ++j) {
      std::vector<int> key;
      double independent = 1 / volume;
      for (std::size_t c = 0; c < 4; ++c) {
        key.push_back(cell(candidates, c, j));
        independent *= (margins[c][key.back()] + 1 / static_cast<double>(cells[c])) / (n + 1);
      }
      const double expected = (joint[key] / volume + distinct * independent) / (n + distinct);
      ASSERT_NEAR(static_cast<double>(scores[j]), expected, 1e-6 * expected);
    }
  }
}

}  // namespace

}  // namespace mollify
