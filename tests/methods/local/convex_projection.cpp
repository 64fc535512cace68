#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "arbitrary_distribution.h"
#include "core/invalid_input.h"
#include "methods/divergence/f_divergence.h"
#include "methods/local/mollifiers.h"

namespace mollify {
namespace {

using Masses = std::vector<double>;

struct Generators {
  Masses values;
  std::size_t rows;
  std::size_t outcomes;
  DistributionRows view() const { return {values, rows, outcomes}; }
  Masses mixture(const Masses& weights) const {
    Masses q(outcomes, 0.0);
    for (std::size_t m = 0; m < rows; ++m) {
      for (std::size_t x = 0; x < outcomes; ++x) q[x] += weights[m] * values[m * outcomes + x];
    }
    return q;
  }
};

/// The k-ary randomized response: row m gives E/(E+k−1) to outcome m.
Generators randomized_response(std::size_t k, double epsilon) {
  const double total = std::exp(epsilon) + static_cast<double>(k) - 1.0;
  Generators rows{Masses(k * k, 1.0 / total), k, k};
  for (std::size_t i = 0; i < k; ++i) rows.values[i * k + i] = std::exp(epsilon) / total;
  return rows;
}

void expect_distribution(const Masses& weights) {
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1.0, 1e-12);
  for (const double weight : weights) EXPECT_GE(weight, 0.0);
}

TEST(ConvexProjection, FindsAMixtureThatIsThere) {
  const Generators rows = randomized_response(4, 1.0);
  const Masses truth{0.1, 0.2, 0.3, 0.4};
  const Masses p = rows.mixture(truth);
  const ConvexProjection found = project_on_convex_hull(p, rows.view(), Masses(4, 0.25));
  EXPECT_LE(found.gap, 1e-9);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found.weights[i], truth[i], 1e-3);
  EXPECT_LE(kullback_leibler(p, rows.mixture(found.weights)), 1e-9);
}

// Two rows: a line search over the single weight finds nothing better.
TEST(ConvexProjection, BeatsAGridOfWeights) {
  const Generators rows{{0.7, 0.2, 0.1, 0.1, 0.3, 0.6}, 2, 3};
  for (const Masses& p : {Masses{1.0, 0.0, 0.0}, Masses{0.0, 1.0, 0.0}, Masses{0.3, 0.3, 0.4},
                          Masses{0.5, 0.0, 0.5}}) {
    const ConvexProjection found =
        project_on_convex_hull(p, rows.view(), Masses{0.0, 1.0}, {1e-12, 5000});
    EXPECT_LE(found.gap, 1e-12);
    const double reached = kullback_leibler(p, rows.mixture(found.weights));
    for (int i = 0; i <= 10000; ++i) {
      const double weight = 1e-4 * i;
      EXPECT_LE(reached, kullback_leibler(p, rows.mixture({weight, 1.0 - weight})) + 1e-12);
    }
  }
}

// Started at A_R itself (weights P), the projection is at least as close [Husain et al. 2020].
TEST(ConvexProjection, NeverWorseThanTheNaiveSampler) {
  for (const std::size_t k : {2U, 5U, 50U}) {
    for (const double epsilon : {0.1, 1.0, 4.0}) {
      const Generators rows = randomized_response(k, epsilon);
      Masses p(k);
      for (std::size_t i = 0; i < k; ++i) p[i] = 1.0 / static_cast<double>((i + 1) * (i + 1));
      p = test::normalised(p);
      const double naive = kullback_leibler(p, rows.mixture(p));
      for (const std::size_t iterations : {0U, 1U, 3U, 1000U}) {
        const ConvexProjection found =
            project_on_convex_hull(p, rows.view(), p, {1e-10, iterations});
        EXPECT_LE(kullback_leibler(p, rows.mixture(found.weights)), naive + 1e-14);
        EXPECT_LE(found.iterations, iterations);
        expect_distribution(found.weights);
        if (iterations == 1000U) {
          EXPECT_LE(found.gap, 1e-10) << k << " " << epsilon;
          RecordProperty("iterations", static_cast<int>(found.iterations));
        }
      }
    }
  }
}

TEST(ConvexProjection, DefinedOnGarbage) {
  const Generators rows = randomized_response(4, 1.0);
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  const Masses wild[] = {{nan, nan, nan, nan},          {0.0, 0.0, 0.0, 0.0},
                         {-1.0, -2.0, nan, infinity},   {infinity, 1.0, 0.0, 0.0},
                         {1e308, 1e308, 1e308, 1e-320}, {5e-324, 0.0, 0.0, 5e-324},
                         {1.0, 1e-300, 5e-324, -0.0}};
  for (const Masses& p : wild) {
    for (const Masses& start : wild) {
      const ConvexProjection found = project_on_convex_hull(p, rows.view(), start);
      expect_distribution(found.weights);
      EXPECT_FALSE(std::isnan(found.gap));
    }
  }
  const ConvexProjection nothing = project_on_convex_hull(wild[0], rows.view(), wild[6]);
  for (const double weight : nothing.weights) EXPECT_EQ(weight, 0.25);
}

// Point masses as rows: an outcome that no row reaches cannot count.
TEST(ConvexProjection, LeavesOutWhatNoRowReaches) {
  const Generators rows{{1.0, 0.0, 0.0, 0.0, 1.0, 0.0}, 2, 3};
  const ConvexProjection found =
      project_on_convex_hull(Masses{0.2, 0.3, 0.5}, rows.view(), Masses{1.0, 0.0});
  EXPECT_NEAR(found.weights[0], 0.4, 1e-6);
  const ConvexProjection none =
      project_on_convex_hull(Masses{0.0, 0.0, 1.0}, rows.view(), Masses{1.0, 0.0});
  EXPECT_EQ(none.weights[0], 0.5);
}

TEST(ConvexProjection, RefusesBadRows) {
  const Masses p{0.5, 0.5};
  const Masses start{1.0};
  const auto project = [&](const Masses& values, std::size_t rows, std::size_t outcomes) {
    return project_on_convex_hull(p, {values, rows, outcomes}, start);
  };
  EXPECT_NO_THROW(project({0.5, 0.5}, 1, 2));
  EXPECT_THROW(project({0.5, 0.4}, 1, 2), InvalidInput);
  EXPECT_THROW(project({1.5, -0.5}, 1, 2), InvalidInput);
  EXPECT_THROW(project({std::nan(""), 1.0}, 1, 2), InvalidInput);
  EXPECT_THROW(project({0.5, 0.5}, 2, 1), InvalidInput);
  EXPECT_THROW(project({0.5, 0.5}, 1, 3), InvalidInput);
  EXPECT_THROW(project({}, 0, 2), InvalidInput);
}

// The gap is a bound: no other mixture is closer by more, and the start is never closer.
RC_GTEST_PROP(ConvexProjectionProperty, GapBoundsWhatIsLeft, ()) {
  const std::size_t k = *rc::gen::inRange<std::size_t>(1, 10);
  const std::size_t m = *rc::gen::inRange<std::size_t>(1, 10);
  Generators rows{{}, m, k};
  for (std::size_t i = 0; i < m; ++i) {
    const Masses row = *test::positive_distribution(k, 6);
    rows.values.insert(rows.values.end(), row.begin(), row.end());
  }
  const Masses p = *test::distribution_with_zeros(k, 8);
  const Masses start = *test::distribution_with_zeros(m, 8);
  const std::size_t iterations = *rc::gen::inRange<std::size_t>(0, 200);
  const ConvexProjection found = project_on_convex_hull(p, rows.view(), start, {1e-12, iterations});
  const double reached = kullback_leibler(p, rows.mixture(found.weights));
  RC_ASSERT(reached <= kullback_leibler(p, rows.mixture(start)) + 1e-13);
  for (int i = 0; i < 30; ++i) {
    const Masses other = *test::distribution_with_zeros(m, 8);
    RC_ASSERT(reached - found.gap <= kullback_leibler(p, rows.mixture(other)) + 1e-13);
  }
}

}  // namespace
}  // namespace mollify
