#include "accounting/lattice_error.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"
#include "not_finite.h"

namespace mollify {
namespace {

constexpr double kRootTwoPi = 2.5066282746310002;

double normal_density(double x, double variance) {
  return std::exp(-x * x / (2 * variance)) / (kRootTwoPi * std::sqrt(variance));
}

/// On a mesh of 1/mesh of a cell, by midpoints.
constexpr int kMesh = 32;

TEST(LatticeError, BoundsDitheredGaussianNoiseOnTheLineAndInThePlane) {
  for (const double variance : {0.3, 1.0, 4.0, 25.0}) {
    const int reach = static_cast<int>(9 * std::sqrt(variance)) + 2;
    double total = 0;
    for (int y = -reach; y <= reach; ++y) total += std::exp(-y * y / (2 * variance));
    std::vector<double> lattice;
    std::vector<double> continuous;
    for (int y = -reach; y <= reach; ++y) {
      for (int i = 0; i < kMesh; ++i) {
        lattice.push_back(std::exp(-y * y / (2 * variance)) / total / kMesh);
        continuous.push_back(normal_density(y + (i + 0.5) / kMesh - 0.5, variance) / kMesh);
      }
    }
    double line = 0;
    for (std::size_t i = 0; i < lattice.size(); ++i) {
      line += std::abs(lattice[i] - continuous[i]) / 2;
    }
    EXPECT_GE(lattice_gaussian_error_up(1, variance, 0), line) << variance;
    EXPECT_LE(lattice_gaussian_error_up(1, variance, 0), 3 * line) << variance;
    if (variance > 4) continue;
    double plane = 0;
    for (std::size_t i = 0; i < lattice.size(); i += 2) {
      for (std::size_t j = 0; j < lattice.size(); j += 2) {
        plane += 2 * std::abs(lattice[i] * lattice[j] - continuous[i] * continuous[j]);
      }
    }
    EXPECT_GE(lattice_gaussian_error_up(2, variance, 0), plane) << variance;
  }
}

TEST(LatticeError, BoundsShiftsOfTheNoise) {
  // TV(N(e, σ²), N(0, σ²)) = erf(|e|/(2 √2 σ)).
  for (const double e : {0.1, 1.0, 10.0}) {
    EXPECT_GE(lattice_gaussian_error_up(1, 1e20, e * 1e10), std::erf(e / std::sqrt(8.0)));
  }
}

TEST(LatticeError, BoundsLaplaceNoiseOnTheLine) {
  for (const double b : {0.4, 0.8, 2.0, 5.0}) {
    double total = 0;
    for (int y = -300; y <= 300; ++y) total += std::exp(-std::abs(y) / b);
    for (const double t : {0.4, 0.7, 1.0, 3.0}) {
      const double span = 40 * b + 9 * t;
      constexpr double kStep = 1.0 / 16;
      double smoothed = 0;
      for (double x = -span; x < span; x += kStep) {
        double lattice = 0;
        for (int y = -300; y <= 300; ++y) {
          if (std::abs(x - y) > 12 * t) continue;
          lattice += std::exp(-std::abs(y) / b) / total * normal_density(x - y, t * t);
        }
        // Laplace and normal convolved.
        const auto wing = [&](double z) {
          return std::exp(t * t / (2 * b * b) - z / b) *
                 std::erfc((t / b - z / t) / std::sqrt(2.0));
        };
        smoothed += kStep / 2 * std::abs(lattice - (wing(x) + wing(-x)) / (4 * b));
      }
      EXPECT_GE(lattice_laplace_error_up(1, b, t, 0), smoothed - 1e-12) << b << ' ' << t;
    }
  }
  EXPECT_LT(lattice_laplace_error_up(1, 1e4, 1e8, 0), 2e-9);
  EXPECT_LT(lattice_laplace_error_up(1000, 1e4, 1e8, 0), 1e-300);
  EXPECT_EQ(lattice_laplace_error_up(1, 1e4, 0, 0), 1);
}

TEST(LatticeError, BoundsLaplaceNoiseInThePlane) {
  const double b = 1.5;
  const double t = 0.6;
  constexpr int kReach = 40;
  const auto mass = [b](double x, double y) { return std::exp(-std::hypot(x, y) / b); };
  double total = 0;
  for (int x = -kReach; x <= kReach; ++x) {
    for (int y = -kReach; y <= kReach; ++y) total += mass(x, y);
  }
  // The sums over the lattice and over a mesh of 1/4 of it, with weights g_{t²}, at mesh points of
  // one quadrant: the mesh's own error is that of a lattice four times finer.
  constexpr int kFine = 4;
  double difference = 0;
  for (int i = 0; i <= 12 * kFine; ++i) {
    for (int j = 0; j <= 12 * kFine; ++j) {
      const double x = static_cast<double>(i) / kFine;
      const double y = static_cast<double>(j) / kFine;
      double lattice = 0;
      double continuous = 0;
      for (int k = -4 * kFine; k <= 4 * kFine; ++k) {
        for (int l = -4 * kFine; l <= 4 * kFine; ++l) {
          const double u = static_cast<double>(i + k) / kFine;
          const double v = static_cast<double>(j + l) / kFine;
          const double height =
              mass(u, v) * normal_density(x - u, t * t) * normal_density(y - v, t * t);
          continuous += height;
          if ((i + k) % kFine == 0 && (j + l) % kFine == 0) lattice += height;
        }
      }
      continuous /= 2 * 3.14159265358979 * b * b * kFine * kFine;
      const double corners = (i == 0 ? 1 : 2) * (j == 0 ? 1 : 2);
      difference += corners * std::abs(lattice / total - continuous) / (2 * kFine * kFine);
    }
  }
  const double bound = lattice_laplace_error_up(2, b, t, 0);
  EXPECT_GE(bound, difference);
  EXPECT_GT(difference, 1e-4) << "too easy";
}

TEST(LatticeError, RefusesWhatIsNoLattice) {
  EXPECT_THROW((void)lattice_gaussian_error_up(0, 1, 0), InvalidInput);
  EXPECT_THROW((void)lattice_gaussian_error_up(1, test::kNan, 0), InvalidInput);
  EXPECT_THROW((void)lattice_laplace_error_up(1, 0, 1, 0), InvalidInput);
}

}  // namespace
}  // namespace mollify
