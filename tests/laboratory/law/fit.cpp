#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "laboratory/law/discrete_law.h"
#include "methods/divergence/f_divergence.h"

namespace mollify {
namespace {

using Values = std::vector<double>;

double below(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

TEST(NegativeLogLikelihood, IsEntropyAndDivergence) {
  const Values p{0.2, 0.5, 0.3};
  const Values q{0.4, 0.4, 0.2};
  const Values volumes{2, 0.5, 1};
  double entropy = 0;
  for (std::size_t i = 0; i < 3; ++i) entropy -= p[i] * std::log(p[i] / volumes[i]);
  EXPECT_NEAR(negative_log_likelihood(p, p, volumes), entropy, 1e-15);
  EXPECT_NEAR(negative_log_likelihood(p, q, volumes), entropy + kullback_leibler(p, q), 1e-15);
  // Masses need not sum to one.
  const Values counts{2, 5, 3};
  const Values weights{4e-3, 4e-3, 2e-3};
  EXPECT_NEAR(negative_log_likelihood(counts, weights, volumes),
              negative_log_likelihood(p, q, volumes), 1e-14);
}

TEST(NegativeLogLikelihood, TreatsZeros) {
  const Values volumes{1, 1};
  EXPECT_TRUE(std::isinf(negative_log_likelihood(Values{0.5, 0.5}, Values{1, 0}, volumes)));
  EXPECT_EQ(negative_log_likelihood(Values{1, 0}, Values{1, 0}, volumes), 0);
}

TEST(NegativeLogLikelihood, RefusesMalformedCells) {
  const Values two{0.5, 0.5};
  EXPECT_THROW((void)negative_log_likelihood(two, two, Values{1}), InvalidInput);
  EXPECT_THROW((void)negative_log_likelihood(two, two, Values{1, 0}), InvalidInput);
  EXPECT_THROW((void)negative_log_likelihood(Values{0, 0}, two, Values{1, 1}), InvalidInput);
}

TEST(ModeCoverage, TakesTheDensestCellsFirst) {
  const Values q{0.5, 0.3, 0.16, 0.04};
  const Values volumes{1, 1, 1, 1};
  EXPECT_DOUBLE_EQ(mode_coverage(q, q, volumes), 0.96);
  EXPECT_DOUBLE_EQ(mode_coverage(Values{0.1, 0.1, 0.1, 0.7}, q, volumes), 0.3);
  // Density and not mass decides: the last cell is small.
  EXPECT_DOUBLE_EQ(mode_coverage(Values{0.1, 0.2, 0.3, 0.4}, q, Values{1, 1, 10, 0.01}, 0.8), 0.7);
  // Cells as dense as the last one belong.
  EXPECT_DOUBLE_EQ(mode_coverage(Values{0, 0, 0, 1}, Values(4, 0.25), volumes, 0.5), 1);
}

// Q = N(0, 1) holds 95 % within 1.96 of 0.
TEST(ModeCoverage, OfGaussiansOnAFineGrid) {
  constexpr int kCells = 8000;
  Values p;
  Values q;
  for (int i = 0; i < kCells; ++i) {
    const double low = -8 + 16.0 * i / kCells;
    const double high = -8 + 16.0 * (i + 1) / kCells;
    q.push_back(below(high) - below(low));
    p.push_back(below((high - 1) / 0.5) - below((low - 1) / 0.5));
  }
  const double z = 1.959963984540054;
  const double exact = below((z - 1) / 0.5) - below((-z - 1) / 0.5);
  EXPECT_NEAR(mode_coverage(p, q, Values(kCells, 16.0 / kCells)), exact, 1e-3);
}

TEST(ModeCoverage, RefusesMalformedInput) {
  const Values two{0.5, 0.5};
  EXPECT_THROW((void)mode_coverage(two, two, Values{1}), InvalidInput);
  EXPECT_THROW((void)mode_coverage(two, two, Values{1, -1}), InvalidInput);
  EXPECT_THROW((void)mode_coverage(two, Values{0, 0}, two), InvalidInput);
  EXPECT_THROW((void)mode_coverage(two, two, two, 1), InvalidInput);
}

}  // namespace
}  // namespace mollify
