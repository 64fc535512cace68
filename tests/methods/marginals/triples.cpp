#include "methods/marginals/triples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace mollify {
namespace {

MarginalRequest request_of(const std::vector<std::uint32_t>& sizes) {
  MarginalRequest request{{}, Privacy::pure(1), {}, {}};
  for (const std::uint32_t size : sizes) request.columns.push_back({size, true});
  return request;
}

TEST(CountedTriples, AreThoseOfFewCellsInTablesOfFewColumns) {
  EXPECT_EQ(counted_triples(request_of({4, 4, 3, 2})),
            (std::vector<Triple>{{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}}));
  EXPECT_EQ(counted_triples(request_of({9, 9})), std::vector<Triple>{});
  // 2^16 cells are counted, more are not.
  EXPECT_EQ(counted_triples(request_of({256, 128, 2})), (std::vector<Triple>{{0, 1, 2}}));
  EXPECT_EQ(counted_triples(request_of({256, 129, 2})), std::vector<Triple>{});
  EXPECT_EQ(counted_triples(request_of(std::vector<std::uint32_t>(20, 2))).size(), 1140U);
  EXPECT_EQ(counted_triples(request_of(std::vector<std::uint32_t>(21, 2))).size(), 0U);
  // 2^22 cells in all: the triples with fewest cells.
  const std::vector<Triple> few = counted_triples(request_of(std::vector<std::uint32_t>(20, 30)));
  EXPECT_EQ(few.size(), (std::uint64_t{1} << 22U) / 27'000);
  EXPECT_TRUE(std::is_sorted(few.begin(), few.end()));

  // Those of questions in any table.
  MarginalRequest asked = request_of(std::vector<std::uint32_t>(21, 2));
  asked.questions = {{0, 1}, {3, 7, 20}};
  EXPECT_EQ(counted_triples(asked), (std::vector<Triple>{{3, 7, 20}}));

  MarginalRequest copula = request_of({4, 4, 3});
  copula.copula = true;
  EXPECT_EQ(counted_triples(copula).size(), 0U);
  MarginalRequest follows = request_of({4, 4, 3, 2});
  follows.columns[1] = {.follows = true};
  follows.columns[2].size = 1;
  EXPECT_EQ(counted_triples(follows), std::vector<Triple>{});
  follows.columns[2].size = 2;
  EXPECT_EQ(counted_triples(follows), (std::vector<Triple>{{0, 2, 3}}));
}

/// The sums over the column that is left out.
std::vector<double> pair_of(const std::vector<double>& table,
                            const std::array<std::size_t, 3>& sizes, std::size_t out) {
  std::vector<double> pair(table.size() / sizes[out]);
  for (std::size_t cell = 0; cell < table.size(); ++cell) {
    const std::size_t of[] = {cell / (sizes[1] * sizes[2]), cell / sizes[2] % sizes[1],
                              cell % sizes[2]};
    const std::size_t first = out == 0 ? 1 : 0, second = out == 2 ? 1 : 2;
    pair[of[first] * sizes[second] + of[second]] += table[cell];
  }
  return pair;
}

TEST(TableOfPairs, HasItsPairsAndNoMore) {
  const std::array<std::size_t, 3> sizes{3, 2, 4};
  std::mt19937_64 random(2);
  // Of a law without a term of three columns it is that law.
  std::vector<double> pairs[3];
  for (std::size_t out = 0; out < 3; ++out) {
    pairs[out].resize(24 / sizes[out]);
    for (double& one : pairs[out]) one = 1 + static_cast<double>(random() % 100) / 100;
  }
  std::vector<double> law;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 2; ++b) {
      for (std::size_t c = 0; c < 4; ++c) {
        law.push_back(pairs[2][a * 2 + b] * pairs[1][a * 4 + c] * pairs[0][b * 4 + c]);
      }
    }
  }
  const auto found =
      table_of_pairs(sizes, pair_of(law, sizes, 2), pair_of(law, sizes, 1), pair_of(law, sizes, 0));
  const double all = std::accumulate(law.begin(), law.end(), 0.0);
  double away = 0;
  for (std::size_t cell = 0; cell < law.size(); ++cell) away += std::abs(found[cell] - law[cell]);
  EXPECT_LT(away, 1e-3 * all);

  // Exclusive or: its pairs are even.
  const std::vector<double> even(4, 2.0);
  for (const double cell : table_of_pairs({2, 2, 2}, even, even, even)) {
    EXPECT_NEAR(cell, 1, 1e-12);
  }
  // A cell that a pair makes impossible has no mass, nor has a whole row of such cells.
  const std::vector<double> nothing = {0, 0, 3, 1}, some = {0, 0, 2, 2}, rest = {2, 1, 0, 1};
  for (std::size_t cell = 0; const double one : table_of_pairs({2, 2, 2}, nothing, some, rest)) {
    if (cell++ < 4) {
      EXPECT_EQ(one, 0);
    }
    EXPECT_TRUE(std::isfinite(one));
  }
}

}  // namespace
}  // namespace mollify
