#include "measures/truncated_normal.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/math/quadrature/gauss_kronrod.hpp>

#include "core/invalid_input.h"
#include "measures/grid.h"
#include "not_finite.h"

namespace mollify {
namespace {

using test::kInfinity;

TEST(TruncatedNormal, HasTheMassesOfItsDensity) {
  using boost::math::quadrature::gauss_kronrod;
  for (const TruncatedNormal& law :
       {TruncatedNormal(0.3, 2.5), TruncatedNormal(-1, 0.01, {-1.1, 4}),
        TruncatedNormal(0, 1, {6, kInfinity}), TruncatedNormal(2, 9, {-50, -20})}) {
    EXPECT_NEAR(law.mass({}), 1, 1e-14);
    EXPECT_NEAR(law.mass(law.support()), 1, 1e-14);
    const double begin = std::max(law.support().low, law.mean() - 3 * law.deviation());
    for (const double width : {0.001, 0.1, 1.0}) {
      const double low = std::min(begin, law.support().high - 1);
      const double integral = gauss_kronrod<double, 31>::integrate(
          [&](double x) { return law.density(x); }, low, low + width, 5, 1e-14);
      EXPECT_NEAR(law.mass({low, low + width}) / integral, 1, 1e-9) << law.mean() << ' ' << width;
    }
  }
  EXPECT_EQ(TruncatedNormal(0, 1, {0, 1}).mass({2, 3}), 0);
  EXPECT_EQ(TruncatedNormal(0, 1, {0, 1}).density(1.5), 0);
}

TEST(TruncatedNormal, KeepsRelativePrecisionInBothTails) {
  // P(Z > 20) to 17 digits, and a slice of it.
  const TruncatedNormal law(0, 1);
  EXPECT_NEAR(law.mass({20, kInfinity}) / 2.7536241186062337e-89, 1, 1e-12);
  EXPECT_EQ(law.mass({20, 21}), law.mass({-21, -20}));
  EXPECT_EQ(law.mass({20, kInfinity}), law.mass({-kInfinity, -20}));
}

TEST(TruncatedNormal, HasQuantilesThatUndoMasses) {
  for (const TruncatedNormal& law :
       {TruncatedNormal(0.3, 2.5), TruncatedNormal(-1, 0.01, {-1.1, 4}),
        TruncatedNormal(0, 1, {6, kInfinity}), TruncatedNormal(0, 1, {-kInfinity, -6})}) {
    for (const Interval& within :
         {law.support(), Interval{-1.05, 0.3}, Interval{6.5, 7}, Interval{-7, -6.5}}) {
      const double whole = law.mass(within);
      if (!(whole > 0)) continue;
      for (const double share : {1e-9, 0.01, 0.3, 0.5, 0.9, 0.999999}) {
        const double x = law.quantile(share, within);
        EXPECT_GE(x, within.low);
        EXPECT_LE(x, within.high);
        EXPECT_NEAR(law.mass({within.low, x}) / whole, share, 1e-10 + 1e-6 * share)
            << law.mean() << ' ' << within.low << ' ' << share;
      }
    }
  }
}

TEST(TruncatedNormal, HasPointsEvenWhereItHasNoMass) {
  const TruncatedNormal law(0, 1);
  EXPECT_EQ(law.quantile(0.25, {50, 52}), 50.5);
  EXPECT_EQ(law.quantile(0.25, {-52, -50}), -51.5);
  EXPECT_EQ(law.quantile(0.25, {50, kInfinity}), 50);
  EXPECT_EQ(law.quantile(0.25, {-kInfinity, -50}), -50);
}

TEST(TruncatedNormal, HasCellMassesWithinOneInABillionOnEveryKindOfGrid) {
  const auto edges_of = [](double low, double high, std::size_t cells) {
    std::vector<double> edges;
    for (std::size_t j = 0; j <= cells; ++j) {
      edges.push_back(low + (high - low) * static_cast<double>(j) / static_cast<double>(cells));
    }
    return edges;
  };
  std::vector<double> uneven = edges_of(-4, 4, 1000);
  for (double& edge : uneven) edge = edge * edge * edge / 16;
  const double worst_allowed = 1e-9;
  for (const std::vector<double>& edges :
       {edges_of(-4, 4, 4096), edges_of(-4, 4, 130), edges_of(-4, 4, 1), edges_of(-4, 4, 65),
        edges_of(-60, 60, 4096), uneven}) {
    for (const TruncatedNormal& law :
         {TruncatedNormal(0, 1), TruncatedNormal(0.7, 1, {-4, 4}), TruncatedNormal(-0.9, 0.01),
          TruncatedNormal(0.4, 1e-8), TruncatedNormal(30, 4), TruncatedNormal(0, 1, {-1.01, 2.3}),
          TruncatedNormal(0, 100, {-4, 4})}) {
      std::vector<double> masses(edges.size() - 1, 0.5);
      law.add_cell_masses(edges, Grid({edges}).is_equal_width(0), 2, masses);
      for (std::size_t j = 0; j < masses.size(); ++j) {
        const Interval cell{j == 0 ? -kInfinity : edges[j],
                            j + 1 == masses.size() ? kInfinity : edges[j + 1]};
        // The difference of two erfc has an error of its own, of 1e-16 of the tail it starts from.
        const double expected = 2 * law.mass(cell);
        const double tail =
            2 * std::min(law.mass({cell.low, kInfinity}), law.mass({-kInfinity, cell.high}));
        ASSERT_NEAR(masses[j] - 0.5, expected, worst_allowed * expected + 1e-14 * tail + 1e-16)
            << "cell " << j << " of " << masses.size() << ", mean " << law.mean();
      }
    }
  }
}

TEST(TruncatedNormal, RefusesWhatIsNoNormalLaw) {
  EXPECT_THROW(TruncatedNormal(kInfinity, 1), InvalidInput);
  EXPECT_THROW(TruncatedNormal(0, 0), InvalidInput);
  EXPECT_THROW(TruncatedNormal(0, -1), InvalidInput);
  EXPECT_THROW(TruncatedNormal(0, std::nan("")), InvalidInput);
  EXPECT_THROW(TruncatedNormal(0, 1, {100, 200}), InvalidInput);
  EXPECT_THROW(TruncatedNormal(0, 1, {1, 1}), InvalidInput);
}

}  // namespace
}  // namespace mollify
