#include "accounting/adaptive_gaussian.h"

#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "accounting/concentrated.h"
#include "accounting/gaussian_composition.h"
#include "accounting/lattice_gaussian.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

TEST(AdaptiveGaussian, IsTheContinuousGaussiansCurveBarelyMore) {
  for (const double epsilon : {0.1, 1.0, 5.0}) {
    for (const double mu : {0.05, 0.3, 1.0}) {
      const double continuous = gaussian_delta_up(mu, epsilon);
      const double adaptive = adaptive_gaussian_delta_up(mu * mu, epsilon);
      EXPECT_GE(adaptive, continuous * (1 - 1e-9)) << mu << " " << epsilon;
      EXPECT_LE(adaptive, continuous * (1 + 1e-6) + 1e-19) << mu << " " << epsilon;
    }
  }
}

// Where epsilon is so small that the loss of all cells is not lost in its rounding.
TEST(AdaptiveGaussian, PaysForEachCellThatMayBeMeasured) {
  for (const double epsilon : {0.0, 1e-15, 1e-13, 1e-12, 1e-11}) {
    EXPECT_EQ(adaptive_gaussian_delta_up(0x1p-38, epsilon),
              lattice_curve_up(0x1p-19, 4, 0x1p42, epsilon));
  }
  EXPECT_NE(lattice_curve_up(0x1p-19, 4, 0x1p42, 1e-12), lattice_curve_up(0x1p-19, 4, 1, 1e-12));
}

TEST(AdaptiveGaussian, BudgetKeepsDeltaAndLeavesNothing) {
  for (const double epsilon : {0.01, 0.1, 1.0, 5.0, 50.0}) {
    for (const double delta : {1e-9, 1e-6, 1e-3}) {
      const double budget = adaptive_gaussian_budget_down(epsilon, delta);
      ASSERT_GT(budget, 0);
      EXPECT_LE(adaptive_gaussian_delta_up(budget, epsilon), delta);
      EXPECT_GT(adaptive_gaussian_delta_up(budget * (1 + 1e-6), epsilon), delta);
      // Twice rho is what zCDP would leave of mu^2: less, at every epsilon here.
      EXPECT_GT(budget, 2 * concentrated_rho_down(epsilon, delta));
    }
  }
  EXPECT_EQ(adaptive_gaussian_budget_down(1e-9, 1e-12), 0);
  EXPECT_THROW(static_cast<void>(adaptive_gaussian_budget_down(-1, 1e-6)), InvalidInput);
  EXPECT_THROW(static_cast<void>(adaptive_gaussian_budget_down(1, 1)), InvalidInput);
}

/// A pair of laws on finitely many outputs.
struct PairOfLaws {
  std::vector<long double> p;
  std::vector<long double> q;
};

/// Discrete Gaussians of one variance, one of them moved.
PairOfLaws moved_gaussian(double variance, int by) {
  PairOfLaws laws;
  const int reach = static_cast<int>(std::ceil(14 * std::sqrt(variance))) + by;
  long double sum = 0;
  for (int z = -reach; z <= reach; ++z) sum += std::exp(-0.5L * z * z / variance);
  for (int z = -reach; z <= reach; ++z) {
    laws.p.push_back(std::exp(-0.5L * z * z / variance) / sum);
    laws.q.push_back(std::exp(-0.5L * (z - by) * (z - by) / variance) / sum);
  }
  return laws;
}

/// Two outputs whose losses are r apart: the worst of bounded range r.
PairOfLaws two_outputs(double range, double greater) {
  const double p = std::expm1(range - greater) / (std::exp(range - greater) - std::exp(-greater));
  return {{p, 1 - p}, {p * std::exp(-greater), (1 - p) * std::exp(range - greater)}};
}

PairOfLaws product(const PairOfLaws& a, const PairOfLaws& b) {
  PairOfLaws both;
  for (std::size_t i = 0; i < a.p.size(); ++i) {
    for (std::size_t j = 0; j < b.p.size(); ++j) {
      both.p.push_back(a.p[i] * b.p[j]);
      both.q.push_back(a.q[i] * b.q[j]);
    }
  }
  return both;
}

double excess(const PairOfLaws& laws, double epsilon) {
  long double sum = 0;
  for (std::size_t i = 0; i < laws.p.size(); ++i) {
    sum += std::max(0.0L, laws.p[i] - std::exp(static_cast<long double>(epsilon)) * laws.q[i]);
  }
  return static_cast<double>(sum);
}

TEST(AdaptiveGaussian, NoMeasurementsAndChoicesTogetherHaveMore) {
  constexpr double kPi = 3.14159265358979323846;
  double nearest = 0;
  for (const double range : {0.2, 1.5}) {
    for (const double share : {0.1, 0.5, 0.9}) {
      const PairOfLaws choice = two_outputs(range, share * range);
      ASSERT_NEAR(static_cast<double>(choice.q[0] + choice.q[1]), 1, 1e-12);
      for (const double variance : {4.5, 9.0}) {
        const PairOfLaws measured =
            product(moved_gaussian(variance, 1), moved_gaussian(variance + 1, 1));
        const PairOfLaws all = product(product(measured, choice), choice);
        const double spent = 1 / (variance - kLatticePart) + 1 / (variance + 1 - kLatticePart) +
                             2 * kPi / 8 * range * range;
        for (const double epsilon : {0.0, 0.3, 1.0, 2.5}) {
          const double exact = excess(all, epsilon);
          const double claimed = adaptive_gaussian_delta_up(spent, epsilon);
          EXPECT_LE(exact, claimed) << range << " " << share << " " << variance << " " << epsilon;
          nearest = std::max(nearest, exact / claimed);
        }
      }
    }
  }
  std::printf("the greatest share of a claim that was seen: %.3f\n", nearest);
  EXPECT_GT(nearest, 0.8);
}

}  // namespace
}  // namespace mollify
