#include "core/table.h"

#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/invalid_input.h"
#include "kernel/bands.h"
#include "kernel/hostile_scores.h"
#include "kernel/reference_law.h"
#include "kernel/search.h"
#include "kernel/sparse_law.h"
#include "kernel/table_contract.h"
#include "methods/local/bands.h"
#include "sanitized.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Sparse table.

namespace {

using test::probability;
using test::Probability;
using Law = std::vector<Probability>;

Law sparse_law_of(const SparseTable& table) {
  Law law;
  for (std::size_t i = 0; i < table.band().outcome_count(); ++i)
    law.push_back(probability(table, i));
  return law;
}

Law sparse_law_of(const Table& table) {
  Law law;
  for (const std::uint64_t n : table.numerators()) law.push_back({n, table.band().total()});
  return law;
}

/// lower_i / N <= P(i) <= Ebar lower_i / N in integers, for totals whose squares fit.
::testing::AssertionResult keeps_bounds(const Band& band, const Law& law) {
  for (std::size_t i = 0; i < law.size(); ++i) {
    const uint128 mine = law[i].numerator * band.total();
    const uint128 least = law[i].denominator * band.lower(i);
    if (mine < least || !band.bound().allows(mine, least)) {
      return ::testing::AssertionFailure() << "outcome " << i << " leaves its bounds";
    }
  }
  return ::testing::AssertionSuccess();
}

bool is_within_ebar(const ExpBound& bound, const Law& a, const Law& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!bound.allows(a[i].numerator * b[i].denominator, b[i].numerator * a[i].denominator)) {
      return false;
    }
  }
  return true;
}

/// Whether outcome_at gives every outcome its probability, over all pairs of positions.
::testing::AssertionResult draws_sparse_exactly(const SparseTable& table) {
  const std::uint64_t total = table.band().total();
  const std::uint64_t unscored = std::max<std::uint64_t>(table.unscored_lower(), 1);
  std::vector<std::uint64_t> counts(table.band().outcome_count());
  for (std::uint64_t p = 0; p < total; ++p) {
    for (std::uint64_t q = 0; q < unscored; ++q) ++counts[table.outcome_at(p, q)];
  }
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Probability exact = probability(table, i);
    if (counts[i] * exact.denominator != exact.numerator * total * unscored) {
      return ::testing::AssertionFailure()
             << "outcome " << i << " has the wrong number of positions";
    }
    all += counts[i];
  }
  return all == total * unscored ? ::testing::AssertionSuccess()
                                 : ::testing::AssertionFailure() << "they do not sum to one";
}

std::vector<Band> small_sparse_bands() {
  static const std::vector<double> uneven = {1, 2, 3, 4};
  static const std::vector<double> with_zero = {3, 0, 1, 2};
  std::vector<Band> bands;
  for (const double epsilon : {0.7, 2.0}) {
    for (const std::uint64_t total : {41u, 60u}) {
      const double floor = std::exp(-epsilon / 2);
      bands.push_back(
          make_band({.outcome_count = 3, .floor = floor, .epsilon = epsilon, .total = total}));
      bands.push_back(
          make_band({.reference = uneven, .floor = floor, .epsilon = epsilon, .total = total}));
      bands.push_back(test::band_with_zeros(with_zero, floor, epsilon, total));
    }
  }
  return bands;
}

// Every set of scored outcomes with every score on a grid; each law against each, sparse or dense.
TEST(SparseTable, EveryTableAndEveryPairOfTables) {
  const std::vector<double> grid = test::score_grid<double>();
  std::size_t tables = 0, different = 0;
  for (const Band& band : small_sparse_bands()) {
    const auto k = static_cast<std::uint32_t>(band.outcome_count());
    std::vector<Law> laws;
    std::vector<std::vector<std::uint64_t>> seen;
    SparseTable sparse(band);
    Table dense(band);
    std::vector<std::size_t> digits(k, 0);  // 0: unscored; else the grid's entry before
    for (;;) {
      std::vector<std::uint32_t> outcomes;
      std::vector<double> scores, all(k, 0.0);
      for (std::uint32_t i = 0; i < k; ++i) {
        if (digits[i] == 0) continue;
        outcomes.push_back(i);
        scores.push_back(grid[digits[i] - 1]);
        all[i] = scores.back();
      }
      project(sparse, outcomes, scores);
      ++tables;
      std::vector<std::uint64_t> key(sparse.numerators().begin(), sparse.numerators().end());
      for (const std::uint32_t i : outcomes) key.push_back(i);
      const auto place = std::lower_bound(seen.begin(), seen.end(), key);
      if (place == seen.end() || *place != key) {
        seen.insert(place, key);
        laws.push_back(sparse_law_of(sparse));
        ASSERT_TRUE(keeps_bounds(band, laws.back()));
        ASSERT_TRUE(draws_sparse_exactly(sparse));
        project(dense, all);
        laws.push_back(sparse_law_of(dense));
      }
      std::size_t place_value = 0;
      while (place_value < k && ++digits[place_value] > grid.size()) digits[place_value++] = 0;
      if (place_value == k) break;
    }
    for (const Law& a : laws) {
      for (const Law& b : laws) ASSERT_TRUE(is_within_ebar(band.bound(), a, b));
    }
    different += laws.size();
  }
  std::printf("%zu tables, %zu different laws with the dense ones\n", tables, different);
}

TEST(SparseTable, ReleasesTheReferenceUntilItHasScores) {
  const std::vector<double> reference = {1, 2, 5};
  const Band band = make_band({.reference = reference, .floor = 0.5, .epsilon = 2});
  const SparseTable table(band);
  EXPECT_TRUE(table.outcomes().empty());
  for (std::size_t i = 0; i < 3; ++i) {
    const Probability p = probability(table, i);
    EXPECT_NEAR(static_cast<double>(p.numerator) / static_cast<double>(p.denominator),
                reference[i] / 8, 1e-9);
  }
}

/// The bounds for a total of 2^62, where products with it do not fit: of the scored outcomes as
/// they stand, of the others together (Z between C and Ebar C, which is the same).
::testing::AssertionResult keeps_contract(const SparseTable& table) {
  const Band& band = table.band();
  uint128 sum = 0;
  uint128 scored_lower = 0;
  for (std::size_t j = 0; j < table.outcomes().size(); ++j) {
    const std::uint32_t i = table.outcomes()[j];
    const std::uint64_t n = table.numerators()[j];
    if (n < band.lower(i) || n > band.upper(i)) {
      return ::testing::AssertionFailure() << "outcome " << i << " leaves its bounds";
    }
    if (j > 0 && table.outcomes()[j - 1] >= i) {
      return ::testing::AssertionFailure() << "the outcomes are not ascending";
    }
    sum += n;
    scored_lower += band.lower(i);
  }
  if (table.numerators().size() != table.outcomes().size() + 1) {
    return ::testing::AssertionFailure() << "wrong number of numerators";
  }
  const std::uint64_t rest = table.numerators().back();
  sum += rest;
  if (scored_lower + table.unscored_lower() != band.lower_before(band.outcome_count())) {
    return ::testing::AssertionFailure() << "C is not the sum of the unscored lower bounds";
  }
  if (rest < table.unscored_lower() || !band.bound().allows(rest, table.unscored_lower())) {
    return ::testing::AssertionFailure() << "the unscored outcomes leave their bounds";
  }
  return sum == band.total() ? ::testing::AssertionSuccess()
                             : ::testing::AssertionFailure() << "the sum is not the total";
}

Band random_band(std::size_t k, std::mt19937_64& random) {
  const double epsilon = std::exp(std::uniform_real_distribution<double>(-3, 3)(random));
  if (random() % 2 == 0) {
    const double count = static_cast<double>(k);
    const double floor =
        random() % 2 == 0 ? count / (std::expm1(epsilon) + count) : std::exp(-epsilon / 2);
    return make_band({.outcome_count = k, .floor = floor, .epsilon = epsilon});
  }
  std::vector<double> reference(k);
  for (std::size_t i = 0; i < k; ++i) {
    const bool is_zero = i > 0 && random() % 16 == 0;
    reference[i] = is_zero ? 0 : std::exp(std::uniform_real_distribution<double>(0, 4)(random));
  }
  return test::band_with_zeros(reference, std::exp(-epsilon / 2), epsilon);
}

/// Scored outcomes as an honest caller gives them: ascending, in range, none twice.
std::vector<std::uint32_t> some_outcomes(std::size_t k, std::size_t count,
                                         std::mt19937_64& random) {
  std::vector<std::uint32_t> outcomes(count);
  for (std::uint32_t& i : outcomes) i = static_cast<std::uint32_t>(random() % k);
  std::sort(outcomes.begin(), outcomes.end());
  outcomes.erase(std::unique(outcomes.begin(), outcomes.end()), outcomes.end());
  return outcomes;
}

RC_GTEST_PROP(SparseTable, AgreesWithTheDenseTable, ()) {
  const auto k = *rc::gen::oneOf(rc::gen::inRange<std::size_t>(1, 30),
                                 rc::gen::inRange<std::size_t>(1000, 4000));
  const auto count =
      *rc::gen::oneOf(rc::gen::inRange<std::size_t>(0, 8), rc::gen::inRange<std::size_t>(0, 600));
  const auto shape = static_cast<test::Shape>(*rc::gen::inRange(0, test::kShapes - 1));
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  const Band band = random_band(k, random);
  const std::vector<std::uint32_t> outcomes = some_outcomes(k, count, random);
  std::vector<double> scores;
  if (!outcomes.empty()) scores = test::scores_of<double>(shape, outcomes.size(), random);
  SparseTable sparse(band);
  project(sparse, outcomes, scores);
  const ::testing::AssertionResult contract = keeps_contract(sparse);
  if (!contract) RC_FAIL(contract.message());

  std::vector<double> all(k, 0.0);
  for (std::size_t j = 0; j < outcomes.size(); ++j) all[outcomes[j]] = scores[j];
  const Table dense = projected(band, all);
  const std::vector<long double> reference = test::reference_law<double>(band, all);
  for (std::size_t i = 0; i < k; ++i) {
    const Probability p = probability(sparse, i);
    const long double mine = static_cast<long double>(p.numerator) /
                             static_cast<long double>(p.denominator) *
                             static_cast<long double>(band.total());
    const auto other = static_cast<long double>(dense.numerators()[i]);
    RC_ASSERT(std::fabs(mine - other) <= std::max(1e-9L * other, 3.0L));
    RC_ASSERT(std::fabs(mine - reference[i]) <= std::max(1e-9L * reference[i], 2.0L));
  }
}

/// The unscored outcome at a position, by walking.
std::size_t walk_unscored(const SparseTable& table, std::uint64_t position) {
  const std::vector<std::uint32_t> scored(table.outcomes().begin(), table.outcomes().end());
  for (std::uint32_t i = 0;; ++i) {
    if (std::binary_search(scored.begin(), scored.end(), i)) continue;
    if (position < table.band().lower(i)) return i;
    position -= table.band().lower(i);
  }
}

RC_GTEST_PROP(SparseTable, FindsTheUnscoredOutcomes, ()) {
  const auto k = *rc::gen::inRange<std::size_t>(2, 400);
  const auto count = *rc::gen::inRange<std::size_t>(0, 300);
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  const Band band = random_band(k, random);
  const std::vector<std::uint32_t> outcomes = some_outcomes(k, count, random);
  SparseTable table(band);
  project(table, outcomes, std::vector<double>(outcomes.size(), 1.0));
  // The last position of all falls on the unscored outcomes, if there are any.
  const std::uint64_t unscored = table.unscored_lower();
  if (unscored == 0) return;
  std::uint64_t begin = 0;
  for (std::uint32_t i = 0; i < k; ++i) {
    if (std::binary_search(outcomes.begin(), outcomes.end(), i) || band.lower(i) == 0) continue;
    RC_ASSERT(table.outcome_at(band.total() - 1, begin) == i);
    RC_ASSERT(table.outcome_at(band.total() - 1, begin + band.lower(i) - 1) == i);
    begin += band.lower(i);
  }
  RC_ASSERT(begin == unscored);
  for (int draw = 0; draw < 20; ++draw) {
    const std::uint64_t position = random() % unscored;
    RC_ASSERT(table.outcome_at(band.total() - 1, position) == walk_unscored(table, position));
  }
}

/// Whatever private data arrives, in any order: it is put right without a word.
RC_GTEST_PROP(SparseTable, AnyOutcomesAndScoresKeepTheContract, ()) {
  const auto k = *rc::gen::inRange<std::size_t>(1, 300);
  const auto count = *rc::gen::inRange<std::size_t>(0, 400);
  const auto shape = static_cast<test::Shape>(*rc::gen::inRange(0, test::kShapes));
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  const Band band = random_band(k, random);
  std::vector<std::uint32_t> outcomes(count);
  for (std::uint32_t& i : outcomes) {
    i = static_cast<std::uint32_t>(random() % 10 == 0 ? random() : random() % k);
  }
  std::vector<double> scores;
  if (count > 0) scores = test::scores_of<double>(shape, count, random);
  if (random() % 4 == 0) scores.resize(count / 2);
  SparseTable table(band);
  project(table, outcomes, scores);
  const ::testing::AssertionResult contract = keeps_contract(table);
  if (!contract) RC_FAIL(contract.message());

  std::vector<std::pair<std::uint32_t, double>> tidy;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    if (outcomes[j] < k) tidy.emplace_back(outcomes[j], scores[j]);
  }
  std::stable_sort(tidy.begin(), tidy.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::uint32_t> merged;
  std::vector<double> sums;
  for (const auto& [i, score] : tidy) {
    if (merged.empty() || merged.back() != i) {
      merged.push_back(i);
      sums.push_back(score);
    } else {
      sums.back() += score;
    }
  }
  SparseTable expected(band);
  project(expected, merged, sums);
  RC_ASSERT(std::equal(table.numerators().begin(), table.numerators().end(),
                       expected.numerators().begin(), expected.numerators().end()));
}

TEST(SparseTable, ManyOutcomes) {
  std::mt19937_64 random(9);
  const std::size_t k = std::size_t{1} << 20;
  std::vector<double> reference(k);
  for (double& mass : reference) mass = 0.01 + std::uniform_real_distribution<double>()(random);
  const Band band = make_band({.reference = reference, .floor = std::exp(-0.5), .epsilon = 1});
  SparseTable table(band);
  SecureRandom secure;
  for (int unit = 0; unit < 100; ++unit) {
    const std::vector<std::uint32_t> outcomes = some_outcomes(k, 100, random);
    project(table, outcomes, std::vector<double>(outcomes.size(), 1.0));
    EXPECT_TRUE(keeps_contract(table));
    EXPECT_LT(table.draw(secure), k);
  }
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Table.

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
  // One object again, as a release loop uses it: nothing of the first scores may remain.
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
TEST(Table, APositionBeyondTheTotalIsTheLastOutcomes) {
  std::mt19937_64 random(1);
  for (const std::size_t size : {1u, 2u, 7u, 8u, 9u, 255u, 256u, 257u, 264u, 600u}) {
    std::vector<std::uint64_t> numerators(size);
    std::vector<std::uint64_t> sums((size + kBlock - 1) / kBlock);
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < size; ++i) {
      numerators[i] = random() % 1000;
      sums[i / kBlock] += numerators[i];
      total += numerators[i];
    }
    for (const std::uint64_t position : {total, total + 1, 2 * total + 1000, ~std::uint64_t{0}}) {
      EXPECT_EQ(detail::run_at(numerators, sums, position), size - 1) << size;
      const std::vector<std::uint64_t> wrong(sums.size(), position / 2);
      EXPECT_LT(detail::run_at(numerators, wrong, position), size) << size;
    }
  }
}

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

/// In one memory, over bands of any size.
TEST(Table, OverAnotherBandIsLikeANewTable) {
  std::mt19937_64 random(61);
  std::uniform_real_distribution<double> uniform(0, 1);
  const Band first = make_band({.outcome_count = 3, .floor = 0.5, .epsilon = 1});
  Table table(first);
  for (const std::size_t size : {700u, 1u, 257u, 256u, 5000u, 2u, 4999u}) {
    std::vector<double> masses(size), scores(size);
    for (double& mass : masses) mass = 0.01 + uniform(random);
    for (double& score : scores) score = uniform(random);
    const Band band = make_band({.reference = masses, .floor = 0.3, .epsilon = 2},
                                std::vector<std::uint64_t>(17, ~std::uint64_t{0}));
    project(table, band, scores);
    const Table fresh = projected(band, scores);
    ASSERT_EQ(&table.band(), &band);
    ASSERT_TRUE(std::ranges::equal(table.numerators(), fresh.numerators())) << size;
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < size; i += 1 + i / 16) {
      end = 0;
      for (std::size_t j = 0; j <= i; ++j) end += table.numerators()[j];
      ASSERT_EQ(table.outcome_at(end - 1), i);
    }
    ASSERT_EQ(table.outcome_at(band.total() - 1), size - 1);
    ASSERT_THROW(project(table, first, scores), InvalidInput);
    ASSERT_EQ(&table.band(), &band);
    ASSERT_TRUE(std::ranges::equal(table.numerators(), fresh.numerators()));
    project(table, first, std::vector<double>{1, 2, 3});
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
