#include "accounting/clip_probability.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"
#include "not_finite.h"

namespace mollify {
namespace {

using Decimal50 = boost::multiprecision::cpp_bin_float_50;

/// Second opinion: the noncentral chi-squared as a Poisson mixture of central ones, all terms
/// positive, each from the one before, in 50 digits. Even d only, where the first tail is
/// elementary.
double poisson_mixture(int even_dimension, double mean, double radius) {
  const Decimal50 rate = Decimal50(mean) * mean / 2;
  const Decimal50 x = Decimal50(radius) * radius / 2;
  int shape = even_dimension / 2;
  Decimal50 step = exp(-x);  // x^a e^−x / a!, the increase of Q from shape a to a + 1
  Decimal50 tail = step;
  for (int a = 1; a < shape; ++a) {
    step *= x / a;
    tail += step;
  }
  Decimal50 weight = exp(-rate);
  Decimal50 sum = 0;
  for (int k = 0;; ++k, ++shape) {
    const Decimal50 term = weight * tail;
    sum += term;
    if (k > rate && k > x && term < sum * 1e-25) return sum.convert_to<double>();
    weight *= rate / (k + 1);
    step *= x / shape;
    tail += step;
  }
}

TEST(ClipProbability, IsTheNoncentralTailInFiftyDigits) {
  for (const int d : {2, 4, 10, 100, 600}) {
    for (const double mean : {0.001, 0.5, 5.0, 60.0}) {
      for (const double beyond : {-2.0, 0.0, 2.0, 6.0, 15.0, 36.0}) {
        const double radius = std::sqrt(mean * mean + d) + beyond;
        if (radius <= 0) continue;
        SCOPED_TRACE(testing::Message() << d << ' ' << mean << ' ' << radius);
        const double exact = poisson_mixture(d, mean, radius);
        const double value = clip_probability_up(static_cast<std::size_t>(d), mean, radius);
        EXPECT_GE(value, std::min(1.0, exact));
        EXPECT_LE(value, std::max(1e-300, exact * (1 + 2e-9)));
      }
    }
  }
}

TEST(ClipProbability, IsElementaryOnTheLineAndInSpace) {
  for (const double mean : {0.25, 5.0, 1e3, 1e6}) {
    for (const double beyond : {-1.0, 1.0, 5.0, 20.0, 36.0}) {
      const double radius = mean + beyond;
      if (radius <= 0) continue;
      SCOPED_TRACE(testing::Message() << mean << ' ' << radius);
      const Decimal50 r = mean;
      const Decimal50 b = radius;
      const Decimal50 root = sqrt(Decimal50(2));
      const Decimal50 line =
          (boost::math::erfc((b - r) / root) + boost::math::erfc((b + r) / root)) / 2;
      // In three dimensions the density of the radius is x/R (phi(x − R) − phi(x + R)).
      const auto phi = [](const Decimal50& x) -> Decimal50 {
        return exp(-x * x / 2) / sqrt(2 * boost::math::constants::pi<Decimal50>());
      };
      const Decimal50 space = line + (phi(b - r) - phi(b + r)) / r;
      const double exact_line = line.convert_to<double>();
      EXPECT_GE(clip_probability_up(1, mean, radius), exact_line);
      EXPECT_LE(clip_probability_up(1, mean, radius), exact_line * (1 + 2e-9));
      const double exact_space = space.convert_to<double>();
      EXPECT_GE(clip_probability_up(3, mean, radius), exact_space);
      EXPECT_LE(clip_probability_up(3, mean, radius), exact_space * (1 + 2e-9));
    }
  }
}

TEST(ClipProbability, BoundsEveryCovarianceInBetween) {
  // Diagonal covariances with entries from 1 to K and means anywhere on the sphere, by simulation:
  // the false-alarm rate of each comparison is below 1e-7 (normal approximation, 5.3 deviations).
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  constexpr int kDraws = 20'000;
  constexpr double kBound = 6;
  constexpr double kMean = 3;
  for (std::size_t trial = 0; trial < 12; ++trial) {
    const std::size_t d = trial % 3 + 1;
    const double radius = kMean + 4 * uniform(random);
    std::vector<double> mean(d);
    std::vector<double> deviation(d);
    double norm = 0;
    for (std::size_t j = 0; j < d; ++j) {
      deviation[j] = std::sqrt(uniform(random) < 0.4 ? kBound : 1 + 5 * uniform(random));
      mean[j] = normal(random);
      norm += mean[j] * mean[j];
    }
    int outside = 0;
    for (int i = 0; i < kDraws; ++i) {
      double square = 0;
      for (std::size_t j = 0; j < d; ++j) {
        const double x = kMean * mean[j] / std::sqrt(norm) + deviation[j] * normal(random);
        square += x * x;
      }
      outside += square > radius * radius;
    }
    const double bound = clip_probability_up({d, kMean, kBound}, radius);
    const double slack = 5.3 * std::sqrt(0.25 / kDraws);
    EXPECT_LE(outside / static_cast<double>(kDraws), bound + slack) << d << ' ' << radius;
  }
}

TEST(ClipProbability, WouldNotBeBoundedByTheGreatestCovarianceAlone) {
  // Why there is a factor of two: along mu more variance brings records back inside. On the line
  // with the mean outside the interval that is plain.
  EXPECT_GT(clip_probability_up(1, 3, 2.5), clip_probability_up(1, 3 / 3.0, 2.5 / 3.0));
  EXPECT_GE(clip_probability_up({1, 3, 9}, 2.5), clip_probability_up(1, 3, 2.5));
}

TEST(ClipRadius, IsTheLeastThatKeepsTheBound) {
  for (const std::size_t d : {1U, 3U, 10U, 100U, 1000U}) {
    for (const double mean : {0.0, 5.0, 1e4}) {
      for (const double k : {1.0, 4.0}) {
        SCOPED_TRACE(testing::Message() << d << ' ' << mean << ' ' << k);
        const WhitenedRecords records{d, mean, k};
        const double radius = clip_radius_up(records, 1000, 1e-6);
        EXPECT_LE(any_clip_probability_up(records, 1000, radius), 1e-6);
        const double less = radius - 2e-5 * (radius - mean);
        EXPECT_GT(any_clip_probability_up(records, 1000, less), 1e-6);
        const double paper = paper_clip_radius_up(records, 1000, 1e-6);
        EXPECT_LE(radius, paper);
        EXPECT_LE(any_clip_probability_up(records, 1000, paper), 1e-6);
      }
    }
  }
}

TEST(ClipRadius, GivesTheTableOfTheDocumentation) {
  struct Row {
    std::size_t d;
    double paper, ours;
  };
  for (const Row& row : {Row{1, 12.438, 10.998},
                         {10, 14.600, 11.572},
                         {100, 21.438, 16.034},
                         {1000, 43.061, 36.389}}) {
    const WhitenedRecords records{row.d, 5, 1};
    EXPECT_NEAR(paper_clip_radius_up(records, 1'000'000, 1e-3), row.paper, 6e-4);
    EXPECT_NEAR(clip_radius_up(records, 1'000'000, 1e-3), row.ours, 6e-4);
  }
}

TEST(ClipRadius, OfThePaperGivesTheLeastNOfTheIssue) {
  // rho = 2 B²/(n (n − 1)) ≤ .5 at R = 5, alpha = .01.
  const auto least = [](std::size_t d) {
    for (std::uint64_t n = 2;; ++n) {
      const double radius = paper_clip_radius_up({d, 5, 1}, n, 0.01);
      const auto count = static_cast<double>(n);
      if (2 * radius * radius / (count * (count - 1)) <= 0.5) return n;
    }
  };
  EXPECT_EQ(least(1), 21U);
  EXPECT_EQ(least(10), 25U);
  EXPECT_EQ(least(100), 39U);
}

TEST(ClipProbability, RefusesWhatIsNoQuestion) {
  EXPECT_THROW((void)clip_probability_up(0, 1, 2), InvalidInput);
  EXPECT_THROW((void)clip_probability_up(1, -1, 2), InvalidInput);
  EXPECT_THROW((void)clip_probability_up(1, 1, 0), InvalidInput);
  EXPECT_THROW((void)clip_probability_up(1, 1, test::kNan), InvalidInput);
  EXPECT_THROW((void)clip_probability_up({1, 1, 0.5}, 1), InvalidInput);
  EXPECT_THROW((void)any_clip_probability_up({}, 0, 1), InvalidInput);
  EXPECT_THROW((void)clip_radius_up({}, 10, 1), InvalidInput);
  EXPECT_THROW((void)clip_radius_up({}, 10, 0), InvalidInput);
}

}  // namespace
}  // namespace mollify
