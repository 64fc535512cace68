#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/estimate.h"
#include "kernel/search.h"
#include "methods/local/bands.h"
#include "sanitized.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The most that a band's laws reveal about the units.

namespace {

/// A distribution near all kinds of edges.
std::vector<double> any_distribution(std::size_t k, std::mt19937_64& random) {
  std::vector<double> p(k);
  double sum = 0;
  const double power = 1 + static_cast<double>(random() % 8);
  while (!(sum > 0)) {
    sum = 0;
    for (double& mass : p) {
      mass =
          random() % 4 == 0 ? 0 : std::pow(std::uniform_real_distribution<double>()(random), power);
      sum += mass;
    }
  }
  for (double& mass : p) mass /= sum;
  return p;
}

struct SeenLaw {
  double law = 0;
  double truth = 0;
};

SeenLaw seen(const Band& band, const std::vector<double>& p, unsigned event) {
  const Table table = projected(band, p);
  SeenLaw result;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if ((event >> i & 1U) == 0) continue;
    result.law += static_cast<double>(table.numerators()[i]) / static_cast<double>(band.total());
    result.truth += p[i];
  }
  return result;
}

std::pair<EventEdges, EventEdges> edges_of(const Band& band, unsigned event) {
  std::pair<EventEdges, EventEdges> edges;
  for (std::size_t i = 0; i < band.outcome_count(); ++i) {
    ((event >> i & 1U) != 0 ? edges.first : edges.second).add(band, i);
  }
  return edges;
}

TEST(BandBounds, HoldForMeansOfAnyUnits) {
  std::mt19937_64 random(5);
  int units = 0;
  for (const std::size_t k : {2U, 3U, 4U, 5U}) {
    for (int repeat = 0; repeat < 40; ++repeat) {
      std::vector<double> reference(k);
      for (double& mass : reference) mass = 0.05 + static_cast<double>(random() % 100);
      const double epsilon = 0.2 + static_cast<double>(random() % 40) / 10;
      const double b =
          std::exp(-epsilon * (0.05 + 0.9 * std::uniform_real_distribution<double>()(random)));
      const Band band = make_band(
          {.outcome_count = k,
           .reference = repeat % 2 == 0 ? std::span<const double>() : std::span(reference),
           .floor = b,
           .epsilon = epsilon});
      const double e = greatest_edge_ratio(band);
      for (int pair = 0; pair < 60; ++pair) {
        const auto event = 1 + static_cast<unsigned>(random() % ((1U << k) - 2));
        const auto [inside, outside] = edges_of(band, event);
        const SeenLaw one = seen(band, any_distribution(k, random), event);
        const SeenLaw two = seen(band, any_distribution(k, random), event);
        const double share = std::uniform_real_distribution<double>()(random);
        const double law = share * one.law + (1 - share) * two.law;
        const double truth = share * one.truth + (1 - share) * two.truth;
        const ConfidenceInterval bounds = band_bounds({law, law}, inside, outside, e);
        ASSERT_LE(bounds.lower, truth + 1e-9) << k << " " << epsilon << " " << b << " " << event;
        ASSERT_GE(bounds.upper, truth - 1e-9) << k << " " << epsilon << " " << b << " " << event;
        ++units;
      }
    }
  }
  std::printf("%d pairs of units inside\n", units);
}

// The closed forms of one outcome on the minimax band, and units that attain them.
TEST(BandBounds, AreAttainedByOneOutcomeOfTheMinimaxBand) {
  for (const std::size_t k : {2U, 3U, 8U}) {
    const double epsilon = 1.5;
    const Band band =
        make_band({.outcome_count = k, .floor = minimax_floor(k, epsilon), .epsilon = epsilon});
    const double e = greatest_edge_ratio(band);
    const auto [inside, outside] = edges_of(band, 1);
    const double low = inside.lower;
    const double high = inside.upper;
    for (const double z : {0.0, 0.3, 1.0}) {
      const double law = low + z * (high - low);
      const ConfidenceInterval bounds = band_bounds({law, law}, inside, outside, e);
      EXPECT_NEAR(bounds.upper, 1 / (e + 1) + z * e / (e + 1), 1e-8);
      EXPECT_NEAR(bounds.lower, high * z, 1e-8);
    }
    // A unit released at the lower edge with as much on it as there can be, and one at the upper
    // edge with as little.
    std::vector<double> most(k);
    most[0] = 1 / (e + 1);
    most[1] = e / (e + 1);
    EXPECT_NEAR(seen(band, most, 1).law, low, 1e-9);
    std::vector<double> least(k, low);
    least[0] = high;
    EXPECT_NEAR(seen(band, least, 1).law, high, 1e-9);
    EXPECT_NEAR(band_bounds({high, high}, inside, outside, e).lower, high, 1e-8);
  }
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Intervals hold.

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

// However records were replaced after all were seen, the interval contains the honest share.
TEST(BinomialInterval, ContainsWhatItWasBeforeTrialsWereReplaced) {
  for (const std::uint64_t trials : {1U, 6U, 50U}) {
    for (const std::uint64_t bad : {0U, 1U, 4U, 60U}) {
      for (std::uint64_t s = 0; s <= trials; ++s) {
        const ConfidenceInterval honest = binomial_interval(s, trials, 0.05);
        const std::uint64_t least = s - std::min(s, bad);
        for (std::uint64_t seen = least; seen <= std::min(trials, s + bad); ++seen) {
          const ConfidenceInterval found = binomial_interval(seen, trials, 0.05, bad);
          ASSERT_LE(found.lower, honest.lower);
          ASSERT_GE(found.upper, honest.upper);
        }
      }
    }
  }
}

TEST(BernsteinInterval, ContainsWhatItWasBeforeDrawsWereReplaced) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(-1, 3);
  const auto of = [](const std::vector<double>& values) {
    BoundedDraws draws{.count = values.size(), .least = -1, .greatest = 3};
    for (const double value : values) {
      draws.mean += value / static_cast<double>(values.size());
      draws.square_mean += value * value / static_cast<double>(values.size());
    }
    return draws;
  };
  double closest = 1;
  for (int repeat = 0; repeat < 2000; ++repeat) {
    std::vector<double> values(2 + random() % 400);
    const double spread = std::pow(10, -static_cast<double>(random() % 4));
    for (double& value : values) value = 1 + (uniform(random) - 1) * spread;
    const ConfidenceInterval honest = bernstein_interval(of(values), 0.1);
    const std::uint64_t bad = random() % (values.size() / 2 + 1);
    const double towards = repeat % 3 == 0 ? -1 : 3;
    for (std::size_t i = 0; i < bad; ++i) values[i] = repeat % 3 == 2 ? uniform(random) : towards;
    const ConfidenceInterval found = bernstein_interval(of(values), 0.1, bad);
    ASSERT_LE(found.lower, honest.lower + 1e-12);
    ASSERT_GE(found.upper, honest.upper - 1e-12);
    if (bad > 0 && found.upper < 3) closest = std::min(closest, found.upper - honest.upper);
  }
  EXPECT_LT(closest, 0.2);  // and not by more than it must
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
