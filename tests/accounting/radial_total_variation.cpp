#include "accounting/radial_total_variation.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"
#include "not_finite.h"
#include "sanitized.h"

namespace mollify {
namespace {

using Digits50 = boost::multiprecision::cpp_bin_float_50;

/// The integral of `difference` from one crossing to the next within (low, high), which holds one
/// or two, around `inside` where it is positive.
template <class Real, class Function>
double excess_between_crossings(const Function& difference, Real low, Real inside, Real high) {
  const auto crossing = [&](Real negative, Real positive) {
    for (int i = 0; i < 50; ++i) {
      const Real middle = (negative + positive) / 2;
      (difference(middle) < 0 ? negative : positive) = middle;
    }
    return positive;
  };
  const Real left = difference(low) < 0 ? crossing(low, inside) : low;
  const Real right = crossing(high, inside);
  constexpr int kPieces = 6;
  const Real width = (right - left) / kPieces;
  Real sum = 0;
  for (int i = 0; i < kPieces; ++i) {
    sum += boost::math::quadrature::gauss<Real, 30>::integrate(difference, left + i * width,
                                                               left + (i + 1) * width);
  }
  return static_cast<double>(sum);
}

/// Second opinion in d = 1, no mixture: the convolution of Laplace and normal densities in closed
/// form, subtracted in 50 digits.
double convolved(double bbar, const Digits50& rest) {
  const Digits50 b = bbar;
  const Digits50 deviation = sqrt(rest);
  const Digits50 pi = boost::math::constants::pi<Digits50>();
  const auto difference = [&](const Digits50& x) -> Digits50 {
    const auto wing = [&](const Digits50& y) -> Digits50 {
      return exp(rest / (2 * b * b) - y / b) *
             boost::math::erfc((deviation / b - y / deviation) / sqrt(Digits50(2)));
    };
    return exp(-x * x / 2) / sqrt(2 * pi) - (wing(x) + wing(-x)) / (4 * b);
  };
  return 2 * excess_between_crossings<Digits50>(difference, 0, 0.9, 9);
}

/// Second opinion in any d: the mixture's density itself by trapezoids, subtracted in 64 bits.
double mixed(int d, double bbar, long double rest) {
  struct Node {
    long double variance;
    long double weight;
  };
  std::vector<Node> nodes;
  long double total = 0;
  const long double freedom = d + 1;
  const long double step = 0.1L / std::sqrt(freedom);
  const long double least = -60 / freedom - std::sqrt(60 / freedom);
  for (long double t = least; t < 3; t += step) {
    const long double square = freedom * std::exp(2 * t);
    const long double weight = std::exp(freedom * t - (square - freedom) / 2);
    if (weight < 1e-30L) continue;
    nodes.push_back({rest + bbar * square * bbar, weight});
    total += weight;
  }
  const long double half = d / 2.0L;
  const long double normaliser = std::pow(2.0L, half - 1) * std::tgamma(half);
  const auto difference = [&](long double r) {
    long double law = 0;
    for (const Node& node : nodes) {
      law += node.weight * std::exp(-r * r / (2 * node.variance) - half * std::log(node.variance));
    }
    return std::pow(r, d - 1.0L) / normaliser * (std::exp(-r * r / 2) - law / total);
  };
  return excess_between_crossings<long double>(difference, 1e-12L, std::sqrt(d - 0.2L),
                                               std::sqrt(static_cast<long double>(d)) + 6);
}

void expect_just_above(double value, double truth) {
  EXPECT_GE(value, truth);
  EXPECT_LE(value, truth * (1 + 2e-9));
}

TEST(RadialTotalVariation, GivesTheFiguresOfTheIssueInUnitTotalScale) {
  // rest + second moment = 1 for the corrected variance, rest = 1 for the paper's.
  EXPECT_NEAR(gaussian_laplace_total_variation(1, 0.05, 1), 1.2e-3, 0.05e-3);
  EXPECT_NEAR(moment_matched_total_variation(1, 0.05), 4.3e-6, 0.05e-6);
  EXPECT_NEAR(gaussian_laplace_total_variation(5, 0.02, 1), 1.5e-3, 0.05e-3);
  // The issue says 1.4e-6; three independent methods (below, and the leading term) say 1.316e-6.
  EXPECT_NEAR(moment_matched_total_variation(5, 0.02), 1.316e-6, 0.0005e-6);
  EXPECT_NEAR(gaussian_laplace_total_variation(20, 0.05, 1), 6.4e-2, 0.05e-2);
  EXPECT_NEAR(moment_matched_total_variation(20, 0.05), 6.5e-4, 0.05e-4);
}

TEST(RadialTotalVariation, GivesTheTableOfTheDocumentation) {
  struct Row {
    std::size_t d;
    double bbar, paper, corrected;
  };
  for (const Row& row : {Row{1, 0.05, 1.204e-3, 4.347e-6},
                         {5, 0.02, 1.462e-3, 1.316e-6},
                         {20, 0.05, 6.376e-2, 6.539e-4},
                         {200, 0.03, 0.5908, 7.768e-3},
                         {1000, 1e-2, 0.7127, 2.411e-3},
                         {1000, 1e-4, 8.928e-5, 2.424e-11}}) {
    EXPECT_NEAR(gaussian_laplace_total_variation(row.d, row.bbar, 1) / row.paper, 1, 5e-4);
    EXPECT_NEAR(moment_matched_total_variation(row.d, row.bbar) / row.corrected, 1, 5e-4);
  }
}

TEST(RadialTotalVariation, AgreesWithTheConvolutionOnTheLine) {
  for (const double bbar :
       test::whole_or_sanitized<std::vector<double>>({0.3, 0.05, 0.02}, {0.3})) {
    SCOPED_TRACE(bbar);
    expect_just_above(gaussian_laplace_total_variation(1, bbar, 1), convolved(bbar, 1));
    expect_just_above(moment_matched_total_variation(1, bbar),
                      convolved(bbar, 1 - 2 * Digits50(bbar) * bbar));
  }
}

TEST(RadialTotalVariation, AgreesWithTheMixtureInMoreDimensions) {
  struct Case {
    int d;
    double bbar;
  };
  for (const Case& c : {Case{1, 0.2}, {2, 0.3}, {5, 0.02}, {20, 0.05}, {200, 0.03}}) {
    SCOPED_TRACE(testing::Message() << c.d << ' ' << c.bbar);
    const auto d = static_cast<std::size_t>(c.d);
    const long double b = c.bbar;
    expect_just_above(moment_matched_total_variation(d, c.bbar),
                      mixed(c.d, c.bbar, 1 - (c.d + 1) * b * b));
    expect_just_above(gaussian_laplace_total_variation(d, c.bbar, 1), mixed(c.d, c.bbar, 1));
  }
}

/// E |(q − d)²/4 + d/2 − q| (d+1)/2 for q chi-squared: the coefficient of bbar⁴.
double leading_coefficient(double d) {
  const double spread = std::sqrt(2 * d + 4);
  const auto function = [d](double q) {
    return boost::math::gamma_p_derivative(d / 2, q / 2) / 2 * (q - d / 2 - (q - d) * (q - d) / 4);
  };
  double sum = 0;
  const int panels = 64;
  const double low = std::max(0.0, d + 2 - spread);
  const double width = (d + 2 + spread - low) / panels;
  for (int i = 0; i < panels; ++i) {
    sum += boost::math::quadrature::gauss<double, 20>::integrate(function, low + i * width,
                                                                 low + (i + 1) * width);
  }
  return (d + 1) * sum;
}

TEST(RadialTotalVariation, IsOfFourthOrderWithMatchedMoments) {
  for (const std::size_t d : {2U, 5U, 100U, 1000U, 5000U}) {
    const double coefficient = leading_coefficient(static_cast<double>(d));
    for (const double bbar : {1e-8, 1e-5}) {
      const double relative =
          moment_matched_total_variation(d, bbar) / (coefficient * std::pow(bbar, 4));
      EXPECT_NEAR(relative, 1, 1e-5) << d << ' ' << bbar;
    }
  }
}

TEST(RadialTotalVariation, SeesWhatRoundingTheVarianceLeaves) {
  // The double nearest to 1 − (d+1) bbar² misses it by up to 2^−54, far more than bbar⁴.
  const double bbar = 1e-7;
  const double rest = 1 - 6 * bbar * bbar;
  const double missed = (Digits50(rest) - (1 - 6 * Digits50(bbar) * bbar)).convert_to<double>();
  ASSERT_NE(missed, 0);
  // TV(N(0, (1+x)I), N(0, I)) ~ |x|/4 E|q − d|.
  const double spread = 2 * 5 * boost::math::gamma_p_derivative(2.5, 2.5);
  EXPECT_NEAR(gaussian_laplace_total_variation(5, bbar, rest) / (std::abs(missed) / 4 * spread), 1,
              1e-6);
}

TEST(RadialTotalVariation, OfScaledGaussiansIsThatOfTheirRadii) {
  for (const double s : {0.01, 0.5, 0.999, 1.001, 1.5, 30.0}) {
    for (const double d : {1.0, 2.0, 7.0, 300.0, 20000.0}) {
      const double q = d * std::log(s) / (1 - 1 / s);
      const double exact =
          std::abs(boost::math::gamma_p(d / 2, q / 2) - boost::math::gamma_p(d / 2, q / (2 * s)));
      const double value = scaled_gaussian_total_variation(static_cast<std::size_t>(d), s);
      EXPECT_GE(value, exact * (1 - 1e-10));  // the difference is rounded too
      EXPECT_LE(value, exact * (1 + 2e-9));
    }
  }
  EXPECT_EQ(scaled_gaussian_total_variation(3, 1), 0);
  EXPECT_EQ(scaled_gaussian_total_variation(3, 0), 1);
  EXPECT_EQ(scaled_gaussian_total_variation(3, 1e15), 1);
}

TEST(RadialTotalVariation, IsWhatSimulatedOutputsShow) {
  // Euclidean-Laplace drawn as a direction times a Gamma(d) radius, which the mixture never sees.
  // By the inequality of Dvoretzky, Kiefer and Wolfowitz the empirical distribution function is
  // within `band` of the truth but for a probability of 1e-6.
  constexpr int kDraws = 200'000;
  constexpr double kScale = 0.5;
  constexpr double kRest = 0.3;
  std::mt19937_64 random(20260722);
  std::normal_distribution<double> normal;
  std::gamma_distribution<double> radius(3.0, kScale);
  std::vector<double> squares(kDraws);
  for (double& square : squares) {
    double direction[3];
    double norm = 0;
    for (double& x : direction) {
      x = normal(random);
      norm += x * x;
    }
    const double factor = radius(random) / std::sqrt(norm);
    square = 0;
    for (const double x : direction) {
      const double y = factor * x + std::sqrt(kRest) * normal(random);
      square += y * y;
    }
  }
  std::sort(squares.begin(), squares.end());
  const double band = std::sqrt(std::log(2 / 1e-6) / (2 * kDraws));
  double greatest = 0;
  double lowest_so_far = 0;  // of Gaussian less empirical distribution functions
  for (double q = 0; q < 25; q += 0.01) {
    const auto below = std::lower_bound(squares.begin(), squares.end(), q) - squares.begin();
    const double gap = boost::math::gamma_p(1.5, q / 2) - static_cast<double>(below) / kDraws;
    lowest_so_far = std::min(lowest_so_far, gap);
    greatest = std::max(greatest, gap - lowest_so_far);
  }
  const double exact = gaussian_laplace_total_variation(3, kScale, kRest);
  RecordProperty("total variation", std::to_string(exact) + " exact, " + std::to_string(greatest));
  EXPECT_NEAR(greatest, exact, 2 * band + 0.001) << "band " << band;
}

TEST(RadialTotalVariation, RefusesWhatIsNoLaw) {
  EXPECT_THROW((void)moment_matched_total_variation(0, 0.1), InvalidInput);
  EXPECT_THROW((void)moment_matched_total_variation(5, 0.5), InvalidInput);
  EXPECT_THROW((void)moment_matched_total_variation(5, test::kNan), InvalidInput);
  EXPECT_THROW((void)gaussian_laplace_total_variation(5, 0, 0), InvalidInput);
  EXPECT_THROW((void)gaussian_laplace_total_variation(5, -0.1, 1), InvalidInput);
  EXPECT_THROW((void)gaussian_laplace_total_variation(5, 0.1, test::kInfinity), InvalidInput);
  EXPECT_THROW((void)scaled_gaussian_total_variation(5, -1), InvalidInput);
}

}  // namespace
}  // namespace mollify
