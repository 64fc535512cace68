#include "accounting/lattice_gaussian.h"

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "accounting/concentrated.h"
#include "accounting/gaussian_composition.h"
#include "kernel/core/invalid_input.h"
#include "not_finite.h"

namespace mollify {
namespace {

/// The discrete Gaussian on the line, as far as doubles see it.
struct LatticeNormal {
  double variance;
  int reach;
  double total = 0;

  explicit LatticeNormal(double v) : variance(v), reach(static_cast<int>(20 * std::sqrt(v)) + 20) {
    for (int y = -reach; y <= reach; ++y) total += std::exp(-y * y / (2 * variance));
  }
  double mass(int y) const { return std::exp(-y * y / (2 * variance)) / total; }
};

/// The exact hockey-stick divergence of the law on Z² from its shift; on Z for second = 0.
double exact_delta(double variance, int first, int second, double epsilon) {
  const LatticeNormal law(variance);
  double delta = 0;
  const int side = second == 0 ? 0 : law.reach;
  for (int y = -law.reach; y <= law.reach; ++y) {
    for (int z = -side; z <= side; ++z) {
      const double other = second == 0 ? 1 : law.mass(z);
      const double shifted = second == 0 ? 1 : law.mass(z - second);
      delta +=
          std::max(0.0, law.mass(y) * other - std::exp(epsilon) * law.mass(y - first) * shifted);
    }
  }
  return delta;
}

TEST(LatticeGaussian, NeverPromisesLessThanTheExactDeltaOnTheLine) {
  for (const double variance : {0.05, 0.3, 1.0, 1.7, 4.0, 9.0, 36.0}) {
    for (const int shift : {1, 2, 3, 7}) {
      for (const double epsilon : {0.0, 0.1, 0.5, 1.0, 2.0, 4.0}) {
        const double exact = exact_delta(variance, shift, 0, epsilon);
        const double bound = lattice_gaussian_delta_up(variance, shift, 1, epsilon);
        EXPECT_GE(bound, exact * (1 - 1e-12)) << variance << ' ' << shift << ' ' << epsilon;
      }
    }
  }
}

TEST(LatticeGaussian, NeverPromisesLessThanTheExactDeltaInThePlane) {
  for (const double variance : {1.0, 2.25, 6.0}) {
    const int shifts[][2] = {{1, 1}, {2, 1}, {3, 4}};
    for (const auto& shift : shifts) {
      for (const double epsilon : {0.0, 0.3, 1.0, 2.5}) {
        const double norm = std::nextafter(std::hypot(shift[0], shift[1]), 100);
        const double exact = exact_delta(variance, shift[0], shift[1], epsilon);
        EXPECT_GE(lattice_gaussian_delta_up(variance, norm, 2, epsilon), exact * (1 - 1e-12))
            << variance << ' ' << shift[0] << ' ' << epsilon;
      }
    }
  }
}

// The theorem itself, in doubles, at its best s²; and what zCDP gives.
TEST(LatticeGaussian, PaysForEachOfItsDimensions) {
  constexpr double kPi = 3.14159265358979323846;
  const auto curve = [](double mu, double epsilon) {
    const auto phi = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
    return phi(mu / 2 - epsilon / mu) - std::exp(epsilon) * phi(-mu / 2 - epsilon / mu);
  };
  const auto theorem = [&](double variance, double d, double epsilon, double part) {
    double eta = 0;
    for (int k = 1; k < 5; ++k) eta += 2 * std::exp(-2 * kPi * kPi * part * k * k);
    if (eta >= 1) return 1.0;
    const double mu = 1 / std::sqrt(variance - part);
    const double reduced = epsilon - d * std::log((1 + eta) * (1 + eta) / (1 - eta));
    const double delta = reduced >= 0 ? curve(mu, reduced) : curve(mu, 0) + 1 - std::exp(reduced);
    return std::min(1.0, std::pow(1 + eta, d) * delta);
  };
  for (const double variance : {1.1, 1.3, 1.5, 1.8, 4.0}) {
    for (const std::size_t d : {10U, 100U, 1000U}) {
      for (const double epsilon : {0.1, 0.5, 1.0, 2.0}) {
        double least = concentrated_delta_up(lattice_gaussian_rho_up(variance, 1), epsilon);
        for (int i = 1; i < 200; ++i) {
          least = std::min(least,
                           theorem(variance, static_cast<double>(d), epsilon, variance * i / 200));
        }
        EXPECT_GE(lattice_gaussian_delta_up(variance, 1, d, epsilon), least * (1 - 1e-9))
            << variance << ' ' << d << ' ' << epsilon;
      }
    }
  }
}

// 2 sigma² rho is the square of the sensitivity or more, exactly.
TEST(LatticeGaussian, RhoIsRoundedUp) {
  std::mt19937_64 random(20260131);
  mpfr_t right;
  mpfr_init2(right, 400);
  for (int i = 0; i < 2000; ++i) {
    const double variance = 1 + 1000 * std::generate_canonical<double, 53>(random);
    const double sensitivity = 0.1 + 10 * std::generate_canonical<double, 53>(random);
    const double rho = lattice_gaussian_rho_up(variance, sensitivity);
    mpfr_set_d(right, sensitivity, MPFR_RNDN);
    mpfr_sqr(right, right, MPFR_RNDN);
    mpfr_div_d(right, right, variance, MPFR_RNDN);
    mpfr_div_ui(right, right, 2, MPFR_RNDN);
    ASSERT_LE(mpfr_cmp_d(right, rho), 0) << variance << ' ' << sensitivity;
    ASSERT_GE(mpfr_cmp_d(right, rho * (1 - 0x1p-50)), 0) << variance << ' ' << sensitivity;
  }
  mpfr_clear(right);
}

TEST(LatticeGaussian, CostsNothingOverTheContinuousGaussianWhereItIsUsed) {
  for (const double epsilon : {0.1, 1.0, 5.0}) {
    for (const std::size_t d : {1U, 1000U}) {
      const double continuous = gaussian_delta_up(0.5, epsilon);
      const double lattice = lattice_gaussian_delta_up(0x1p56, 0x1p27, d, epsilon);
      EXPECT_GE(lattice, continuous * (1 - 0x1p-35));
      EXPECT_LE(lattice, continuous * (1 + 1e-9) + 1e-300);
    }
  }
  // And much less than zCDP converted.
  EXPECT_LT(lattice_gaussian_delta_up(0x1p56, 0x1p27, 10, 1), 0.2 * std::exp(-0.5));
}

TEST(LatticeGaussian, HasTheRenyiCurveOfItsRho) {
  for (const double variance : {0.4, 1.0, 3.5, 20.0}) {
    const LatticeNormal law(variance);
    for (const int shift : {1, 2, 5}) {
      const double rho = lattice_gaussian_rho_up(variance, shift);
      for (const double order : {1.01, 1.5, 2.0, 4.0, 16.0}) {
        // The exponents a ln P(y) + (1 - a) ln P(y - shift) but for a constant, greatest first.
        std::vector<double> exponents;
        const int far = law.reach + static_cast<int>(order) * shift;
        for (int y = -far; y <= far; ++y) {
          const int z = y - shift;
          exponents.push_back((-order * y * y + (order - 1) * z * z) / (2 * variance));
        }
        const double greatest = *std::max_element(exponents.begin(), exponents.end());
        double sum = 0;
        for (const double exponent : exponents) sum += std::exp(exponent - greatest) / law.total;
        // Rounding of the sum alone.
        const double slack = 1e-14 / (order - 1);
        EXPECT_LE((greatest + std::log(sum)) / (order - 1), order * rho * (1 + 1e-12) + slack)
            << variance << ' ' << shift << ' ' << order;
      }
    }
  }
}

TEST(LatticeGaussian, BoundsTheRippleOfItsSum) {
  for (const double variance : {0.01, 0.05, 0.1, 0.3, 1.0}) {
    double at_zero = 0;
    for (int y = -60; y <= 60; ++y) at_zero += std::exp(-y * y / (2 * variance));
    const double ripple = at_zero / std::sqrt(2 * 3.14159265358979323846 * variance) - 1;
    EXPECT_GE(lattice_ripple_up(variance), ripple - 1e-15);
    if (variance >= 0.1) {
      EXPECT_LE(lattice_ripple_up(variance), ripple * 1.01 + 1e-14);
    }
  }
}

TEST(LatticeGaussian, RefusesWhatIsNoNoise) {
  EXPECT_THROW((void)lattice_gaussian_rho_up(0, 1), InvalidInput);
  EXPECT_THROW((void)lattice_gaussian_rho_up(1, test::kNan), InvalidInput);
  EXPECT_THROW((void)lattice_gaussian_delta_up(1, 1, 0, 1), InvalidInput);
  EXPECT_THROW((void)lattice_gaussian_delta_up(1, 1, 1, -1), InvalidInput);
  EXPECT_THROW((void)lattice_ripple_up(-1), InvalidInput);
}

}  // namespace
}  // namespace mollify
