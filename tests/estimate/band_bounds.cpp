// What the laws of a band tell of the units at most: no unit lies outside, and some lie at the
// edge.
#include "estimate/band_bounds.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "kernel/search/band_spec.h"
#include "kernel/search/projection.h"
#include "local/band_floor.h"

namespace mollify {
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
}  // namespace mollify
