// The table that channels draw from: exactly its parts, and every draw from it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "kernel/bands.h"
#include "kernel/channels.h"
#include "kernel/hostile_scores.h"
#include "kernel/search.h"

namespace mollify {

namespace {

/// How many of the k N parts each outcome owns, found by asking: a column's own part ends where
/// outcome_at changes.
std::vector<uint128> parts_of(const AliasTable& alias, const Band& band) {
  std::vector<uint128> parts(band.outcome_count());
  for (std::size_t column = 0; column < parts.size(); ++column) {
    std::uint64_t low = 0, high = band.total();
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (alias.outcome_at(column, middle) == column) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    parts[column] += low;
    if (low < band.total()) parts[alias.outcome_at(column, low)] += band.total() - low;
  }
  return parts;
}

::testing::AssertionResult is_exact(const Table& table) {
  const Band& band = table.band();
  const std::vector<uint128> parts = parts_of(AliasTable(table), band);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] != static_cast<uint128>(table.numerators()[i]) * band.outcome_count()) {
      return ::testing::AssertionFailure() << "outcome " << i << " has the wrong number of parts";
    }
  }
  return ::testing::AssertionSuccess();
}

// Every column and every height.
TEST(AliasTable, OwnsExactlyTheTablesParts) {
  std::mt19937_64 random(1);
  for (const std::size_t k : {1u, 2u, 3u, 4u, 17u}) {
    for (const std::uint64_t total : {40u, 97u, 200u}) {
      const Band band =
          make_band({.outcome_count = k, .floor = 0.55, .epsilon = 1.5, .total = total});
      for (int shape = 0; shape < test::kShapes; ++shape) {
        const Table table =
            projected(band, test::scores_of<double>(static_cast<test::Shape>(shape), k, random));
        const AliasTable alias(table);
        std::vector<std::uint64_t> counts(k);
        for (std::size_t column = 0; column < k; ++column) {
          for (std::uint64_t height = 0; height < total; ++height) {
            ++counts[alias.outcome_at(column, height)];
          }
        }
        for (std::size_t i = 0; i < k; ++i) EXPECT_EQ(counts[i], k * table.numerators()[i]);
        EXPECT_TRUE(is_exact(table));
      }
    }
  }
}

TEST(AliasTable, IsExactForManyOutcomes) {
  std::mt19937_64 random(2);
  for (const std::size_t k : {1000u, 100'003u}) {
    std::vector<double> masses(k, 1);
    for (const std::size_t impossible : {0u, 7u, 8u, 999u}) masses[impossible] = 0;
    const Band band = test::band_with_zeros(masses, std::exp(-1.0), 2);
    for (int shape = 0; shape < test::kShapes; ++shape) {
      EXPECT_TRUE(is_exact(
          projected(band, test::scores_of<double>(static_cast<test::Shape>(shape), k, random))));
    }
  }
}

TEST(AliasTable, DrawsFollowTheTable) {
  std::mt19937_64 scores(3);
  const Band band = make_band({.outcome_count = 50, .floor = std::exp(-1.0), .epsilon = 2});
  const Table table =
      projected(band, test::scores_of<double>(test::Shape::kExponential, 50, scores));
  const AliasTable alias(table);
  SecureRandom secure;
  std::vector<std::uint64_t> drawn(50);
  for (int i = 0; i < 300'000; ++i) {
    ++drawn[alias.draw(secure)];
  }
  const std::vector<double> law = test::probabilities_of(table.numerators());
  EXPECT_TRUE(test::follows(law, drawn));
}

}  // namespace

}  // namespace mollify
