// Intervals hold: by exact sums over all outcomes.
#include "estimate/confidence_interval.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "sanitized.h"

namespace mollify {
namespace {

/// The law of the number of successes of these trials.
std::vector<double> law_of_successes(const std::vector<double>& probabilities) {
  std::vector<double> law{1};
  for (const double p : probabilities) {
    std::vector<double> next(law.size() + 1);
    for (std::size_t s = 0; s < law.size(); ++s) {
      next[s] += law[s] * (1 - p);
      next[s + 1] += law[s] * p;
    }
    law = std::move(next);
  }
  return law;
}

/// The probabilities that the mean lies below and above the interval.
std::pair<double, double> misses(const std::vector<double>& probabilities,
                                 const std::vector<ConfidenceInterval>& intervals) {
  double mean = 0;
  for (const double p : probabilities) mean += p / static_cast<double>(probabilities.size());
  const std::vector<double> law = law_of_successes(probabilities);
  double below = 0;
  double above = 0;
  for (std::size_t s = 0; s < law.size(); ++s) {
    if (mean < intervals[s].lower - 1e-12) below += law[s];
    if (mean > intervals[s].upper + 1e-12) above += law[s];
  }
  return {below, above};
}

std::vector<ConfidenceInterval> all_intervals(std::uint64_t trials, double alpha) {
  std::vector<ConfidenceInterval> intervals;
  for (std::uint64_t s = 0; s <= trials; ++s) {
    intervals.push_back(binomial_interval(s, trials, alpha));
  }
  return intervals;
}

TEST(BinomialInterval, HoldsForEqualTrialsExactly) {
  double least_missed = 1;
  double most_missed = 0;
  for (const std::uint64_t trials : {1U, 2U, 5U, 40U, 300U}) {
    for (const double alpha : {0.2, 0.05, 1e-4}) {
      const auto intervals = all_intervals(trials, alpha);
      double most = 0;
      for (int i = 0; i <= 1000; i += test::whole_or_sanitized(1, 10)) {
        const auto [below, above] = misses(std::vector<double>(trials, i / 1000.0), intervals);
        EXPECT_LE(below, alpha / 2 * (1 + 1e-9)) << trials << " " << i;
        EXPECT_LE(above, alpha / 2 * (1 + 1e-9)) << trials << " " << i;
        most = std::max(most, below + above);
      }
      if (trials >= 40) least_missed = std::min(least_missed, most / alpha);
      most_missed = std::max(most_missed, most / alpha);
    }
  }
  std::printf("most missed: from %.3f to %.3f of alpha\n", least_missed, most_missed);
  EXPECT_GT(least_missed, 0.5);  // neither end is further out than it must be
}

// Units differ: the count is a sum of trials of different probabilities.
TEST(BinomialInterval, HoldsForTrialsOfAnyProbabilities) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform;
  for (const std::uint64_t trials : {1U, 2U, 3U, 7U, 25U}) {
    for (const double alpha : {0.2, 0.02}) {
      const auto intervals = all_intervals(trials, alpha);
      for (int repeat = 0; repeat < 2000; ++repeat) {
        const double scale = std::pow(uniform(random), 4);
        std::vector<double> probabilities(trials);
        for (double& p : probabilities) {
          p = uniform(random) < 0.5 ? (uniform(random) < scale ? 1 : 0) : uniform(random) * scale;
        }
        const auto [below, above] = misses(probabilities, intervals);
        ASSERT_LE(below, alpha / 2 * (1 + 1e-9));
        ASSERT_LE(above, alpha / 2 * (1 + 1e-9));
      }
    }
  }
}

// Clopper and Pearson's own table: 95 per cent for 4 of 10.
TEST(BinomialInterval, IsClopperAndPearsons) {
  const ConfidenceInterval found = binomial_interval(4, 10, 0.05);
  EXPECT_NEAR(found.lower, 0.1215523, 1e-6);
  EXPECT_NEAR(found.upper, 0.7376219, 1e-6);
}

TEST(BernsteinInterval, IsTheFormulaAndNeverLeavesTheRange) {
  const BoundedDraws draws{
      .count = 1000, .mean = 0.2, .square_mean = 0.2, .least = -1, .greatest = 3};
  const double variance = 0.16 * 1000 / 999;
  const double log = std::log(4 / 0.05);
  const ConfidenceInterval found = bernstein_interval(draws, 0.05);
  EXPECT_NEAR(found.upper - 0.2, std::sqrt(2 * variance * log / 1000) + 7 * 4 * log / (3 * 999.0),
              1e-12);
  EXPECT_NEAR(0.2 - found.lower, found.upper - 0.2, 1e-12);
  const ConfidenceInterval one =
      bernstein_interval({.count = 1, .mean = 0, .least = -2, .greatest = 5}, 0.1);
  EXPECT_EQ(one.lower, -2);
  EXPECT_EQ(one.upper, 5);
}

}  // namespace
}  // namespace mollify
