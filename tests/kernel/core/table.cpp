#include "kernel/core/table.h"

#include <rapidcheck.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kernel/bands.h"
#include "kernel/core/invalid_input.h"
#include "kernel/hostile_scores.h"
#include "kernel/search/band_spec.h"
#include "kernel/search/projection.h"
#include "kernel/table_contract.h"
#include "sanitized.h"

namespace mollify {
namespace {

using Numerators = std::vector<std::uint64_t>;
using test::keeps_contract;

Numerators copy_of(std::span<const std::uint64_t> numerators) {
  return {numerators.begin(), numerators.end()};
}

/// Whether no outcome's probability differs between two tables by more than Ebar, in integers.
bool within_ebar(const ExpBound& bound, const Numerators& a, const Numerators& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!bound.allows(a[i], b[i]) || !bound.allows(b[i], a[i])) return false;
  }
  return true;
}

/// Whether outcome_at has exactly n_i positions for outcome i.
bool draws_exactly(const Table& table) {
  Numerators counts(table.band().outcome_count());
  for (std::uint64_t p = 0; p < table.band().total(); ++p) ++counts[table.outcome_at(p)];
  return counts == copy_of(table.numerators());
}

/// Every score vector on the grid: contract, and draws of each table met for the first time.
template <class Score>
void exhaust(const Band& band, std::set<Numerators>& tables) {
  const std::vector<Score> grid = test::score_grid<Score>();
  const std::size_t k = band.outcome_count();
  std::vector<std::size_t> digits(k, 0);
  std::vector<Score> scores(k, grid[0]);
  Table table(band);
  for (;;) {
    project(table, scores);
    ASSERT_TRUE(keeps_contract(band, table.numerators()));
    if (tables.insert(copy_of(table.numerators())).second) {
      ASSERT_TRUE(draws_exactly(table));
    }
    std::size_t place = 0;
    while (place < k && ++digits[place] == grid.size()) digits[place++] = 0;
    if (place == k) return;
    for (std::size_t j = 0; j <= place; ++j) scores[j] = grid[digits[j]];
  }
}

class TableExhaustive : public ::testing::TestWithParam<double> {};

TEST_P(TableExhaustive, EveryTableAndEveryPairOfTables) {
  std::size_t bands = 0, all_tables = 0, pairs = 0;
  for (const std::uint64_t total : {40u, 61u, 200u}) {
    for (const Band& band : test::small_bands(total, GetParam())) {
      std::set<Numerators> tables;
      exhaust<double>(band, tables);
      exhaust<float>(band, tables);
      if (HasFatalFailure()) return;
      for (const Numerators& a : tables) {
        for (const Numerators& b : tables) ASSERT_TRUE(within_ebar(band.bound(), a, b));
      }
      ++bands;
      all_tables += tables.size();
      pairs += tables.size() * tables.size();
    }
  }
  std::printf("%zu bands, %zu different tables, %zu pairs at epsilon = %g\n", bands, all_tables,
              pairs, GetParam());
  EXPECT_GE(bands, 12u);
}
INSTANTIATE_TEST_SUITE_P(Epsilons, TableExhaustive, ::testing::Values(0.1, 0.7, 2.0, 5.0, 20.0));

/// Outcome counts around the places where the passes change: groups of 4 and 8, blocks of 256, and
/// the size from which the search begins with a sample.
rc::Gen<std::size_t> outcome_counts() {
  return rc::gen::oneOf(
      rc::gen::inRange<std::size_t>(1, 40),
      rc::gen::map(rc::gen::inRange<std::size_t>(0, 9), [](std::size_t i) { return 252 + i; }),
      rc::gen::map(rc::gen::inRange<std::size_t>(0, 20), [](std::size_t i) { return 8182 + i; }),
      rc::gen::inRange<std::size_t>(1000, 20000));
}

Band random_uneven_band(std::size_t k, std::mt19937_64& random) {
  const std::uint64_t total = std::uint64_t{1} << (62 - random() % 3 * 14);
  const double epsilon = std::exp(std::uniform_real_distribution<double>(-3, 3)(random));
  if (random() % 2 == 0) {
    const double count = static_cast<double>(k);
    const double floor =
        random() % 2 == 0 ? count / (std::expm1(epsilon) + count) : std::exp(-epsilon / 2);
    return make_band({.outcome_count = k, .floor = floor, .epsilon = epsilon, .total = total});
  }
  std::vector<double> reference(k);
  for (std::size_t i = 0; i < k; ++i) {
    const bool is_zero = i > 0 && random() % 16 == 0;
    reference[i] = is_zero ? 0 : std::exp(std::uniform_real_distribution<double>(0, 4)(random));
  }
  return test::band_with_zeros(reference, std::exp(-epsilon / 2), epsilon, total);
}

template <class Score>
void two_tables_of_one_band() {
  const std::size_t k = *outcome_counts();
  const auto a = static_cast<test::Shape>(*rc::gen::inRange(0, test::kShapes));
  const auto b = static_cast<test::Shape>(*rc::gen::inRange(0, test::kShapes));
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  const Band band = random_uneven_band(k, random);
  Table table(band);
  project(table, test::scores_of<Score>(a, k, random));
  ::testing::AssertionResult result = keeps_contract(band, table.numerators());
  if (!result) RC_FAIL(result.message());
  const Numerators first = copy_of(table.numerators());
  // The same object again, as a release loop uses it: nothing of the first scores may remain.
  project(table, test::scores_of<Score>(b, k, random));
  result = keeps_contract(band, table.numerators());
  if (!result) RC_FAIL(result.message());
  RC_ASSERT(within_ebar(band.bound(), first, copy_of(table.numerators())));
  // The draw's ends, and the ends of some runs.
  RC_ASSERT(table.numerators()[table.outcome_at(0)] > 0);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < k; ++i) {
    const std::uint64_t n = table.numerators()[i];
    if (n > 0 && (k < 300 || i % 255 == 0 || i + 1 == k)) {
      RC_ASSERT(table.outcome_at(before) == i);
      RC_ASSERT(table.outcome_at(before + n - 1) == i);
    }
    before += n;
  }
}

RC_GTEST_PROP(Table, AnyDoublesKeepTheContract, ()) { two_tables_of_one_band<double>(); }
RC_GTEST_PROP(Table, AnyFloatsKeepTheContract, ()) { two_tables_of_one_band<float>(); }

// Around groups of 8, which the draw skips, and blocks of 256.
TEST(Table, EachPositionIsDrawnOnceWhateverTheNumberOfOutcomes) {
  std::mt19937_64 random(31);
  for (const std::size_t k : {5u, 7u, 8u, 9u, 15u, 16u, 21u, 255u, 256u, 257u, 264u, 271u, 520u}) {
    const Band band = make_band({.outcome_count = k, .floor = 0.5, .epsilon = 3, .total = 100 * k});
    Table table(band);
    project(table, test::scores_of<double>(test::Shape::kUniform, k, random));
    EXPECT_TRUE(keeps_contract(band, table.numerators())) << k;
    EXPECT_TRUE(draws_exactly(table)) << k;
  }
}

TEST(Table, ManyOutcomesKeepTheContract) {
  std::mt19937_64 random(11);
  for (const std::size_t k : {std::size_t{1} << test::whole_or_sanitized(17, 12),
                              (std::size_t{1} << test::whole_or_sanitized(20, 16)) + 3}) {
    for (const double epsilon : {1e-3, 1.0, 20.0}) {
      const double count = static_cast<double>(k);
      const Band band = make_band(
          {.outcome_count = k, .floor = count / (std::expm1(epsilon) + count), .epsilon = epsilon});
      Table table(band);
      for (int shape = 0; shape < test::kShapes; ++shape) {
        project(table, test::scores_of<float>(static_cast<test::Shape>(shape), k, random));
        EXPECT_TRUE(keeps_contract(band, table.numerators())) << "shape " << shape;
      }
    }
  }
}

TEST(Table, GreatestNumberOfOutcomes) {
  const std::size_t k = Band::kMostOutcomes;
  const Band band =
      make_band({.outcome_count = k,
                 .floor = static_cast<double>(k) / (std::exp(1.0) - 1 + static_cast<double>(k)),
                 .epsilon = 1});
  Table table(band);
  EXPECT_TRUE(keeps_contract(band, table.numerators()));
  std::vector<float> scores(k);
  for (std::size_t i = 0; i < k; ++i) scores[i] = static_cast<float>(i * 2654435761u % 1000);
  project(table, scores);
  EXPECT_TRUE(keeps_contract(band, table.numerators()));
}

TEST(Table, ReleasesTheReferenceUntilItHasScores) {
  const std::vector<double> reference = {1, 2, 5};
  const Band band = make_band({.reference = reference, .floor = 0.5, .epsilon = 2});
  Table table(band);
  const double total = static_cast<double>(band.total());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(static_cast<double>(table.numerators()[i]) / total, reference[i] / 8, 1e-9);
  }
}

TEST(Table, RefusesAnotherNumberOfScores) {
  const Band band = make_band({.outcome_count = 3, .floor = 0.5, .epsilon = 1});
  Table table(band);
  const std::vector<double> two(2);
  const std::vector<float> four(4);
  const auto refusal = [](const auto& act) -> std::string {
    try {
      act();
    } catch (const InvalidInput& refused) {
      return refused.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal([&] { project(table, two); }),
            "a table over 3 outcomes needs as many scores, but has 2");
  EXPECT_EQ(refusal([&] { project(table, four); }),
            "a table over 3 outcomes needs as many scores, but has 4");
  EXPECT_EQ(refusal([&] { static_cast<void>(projected(band, two)); }),
            "a table over 3 outcomes needs as many scores, but has 2");
  EXPECT_TRUE(keeps_contract(band, table.numerators()));
}

// A table that outlived its band would read freed bounds.
static_assert(!std::is_constructible_v<Table, Band>);
static_assert(!std::is_constructible_v<Table, Band, std::span<const double>, int>);

}  // namespace
}  // namespace mollify
