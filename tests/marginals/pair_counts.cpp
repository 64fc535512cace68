#include "marginals/pair_counts.h"

#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "marginals/marginal_budget.h"

namespace mollify {
namespace {

TEST(PairCounts, CountsColumnsAndPairs) {
  PairCounts counts({2, 3, 2});
  for (const std::vector<std::uint32_t>& record :
       {std::vector<std::uint32_t>{0, 2, 1}, {1, 2, 1}, {1, 0, 0}, {0, 1, 1}}) {
    counts.add(record, 1);
  }
  const std::vector<std::uint32_t> one = {1, 2, 0};
  counts.add(one, 5);
  const auto values = [](std::span<const std::uint64_t> span) {
    return std::vector<std::uint64_t>(span.begin(), span.end());
  };
  EXPECT_EQ(values(counts.column(1)), (std::vector<std::uint64_t>{1, 1, 7}));
  EXPECT_EQ(values(counts.pair(0, 1)), (std::vector<std::uint64_t>{0, 1, 1, 1, 0, 6}));
  EXPECT_EQ(values(counts.pair(0, 2)), (std::vector<std::uint64_t>{0, 2, 6, 1}));
  EXPECT_EQ(values(counts.pair(1, 2)), (std::vector<std::uint64_t>{1, 0, 0, 1, 5, 2}));
}

TEST(PairCounts, CountsOfPartsAddUp) {
  const std::vector<std::uint32_t> one = {1, 2, 0};
  const std::vector<std::uint32_t> other = {0, 2, 1};
  PairCounts whole({2, 3, 2});
  whole.add(one, 1);
  whole.add(other, 1);
  std::vector<std::int64_t> sums;
  for (const auto& record : {one, other}) {
    PairCounts part({2, 3, 2});
    part.add(record, 1);
    const std::vector<std::int64_t> all = part.all();
    sums.resize(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) sums[i] += all[i];
  }
  EXPECT_EQ(sums.size(), 7U + 6 + 4 + 6);
  EXPECT_EQ(PairCounts({2, 3, 2}, sums).all(), whole.all());
  EXPECT_EQ(PairCounts({2, 3, 2}, {}).all(), PairCounts({2, 3, 2}).all());
}

TEST(PairCounts, CellsDoNotOverflow) {
  EXPECT_EQ(PairCounts::cells(std::vector<std::uint32_t>{2, 3, 4}), 2U * 3 + 2 * 4 + 3 * 4);
  EXPECT_EQ(PairCounts::cells(std::vector<std::uint32_t>(1000, 65536)),
            std::uint64_t{499500} << 32U);
}

/// The counts of one unit's records, of all columns and pairs.
std::vector<std::vector<std::uint64_t>> counts_of(const std::vector<std::uint32_t>& records,
                                                  std::uint64_t weight) {
  PairCounts counts({2, 3});
  counts.add_unit(records, weight);
  std::vector<std::vector<std::uint64_t>> all;
  for (const auto span : {counts.column(0), counts.column(1), counts.pair(0, 1)}) {
    all.emplace_back(span.begin(), span.end());
  }
  return all;
}

// UnitWeight's theorem, for units of any number of records: more than the weight, fewer, none.
TEST(PairCounts, AUnitMovesNoMarginalFurtherThanItsWeightSays) {
  constexpr std::uint64_t kWeight = 5;
  std::mt19937_64 random(1);
  std::vector<std::vector<std::vector<std::uint64_t>>> units;
  for (std::size_t rows = 0; rows <= 8; ++rows) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<std::uint32_t> records;
      for (std::size_t row = 0; row < rows; ++row) {
        records.push_back(static_cast<std::uint32_t>(random() % 2));
        records.push_back(static_cast<std::uint32_t>(random() % 3));
      }
      units.push_back(counts_of(records, kWeight));
      for (const auto& table : units.back()) {
        EXPECT_EQ(std::accumulate(table.begin(), table.end(), std::uint64_t{0}),
                  rows == 0 ? 0 : kWeight);
      }
    }
  }
  std::uint64_t most_square = 0;
  for (const auto& one : units) {
    for (const auto& other : units) {
      for (std::size_t t = 0; t < one.size(); ++t) {
        std::uint64_t sum = 0;
        std::uint64_t square = 0;
        for (std::size_t i = 0; i < one[t].size(); ++i) {
          const std::uint64_t moved =
              one[t][i] > other[t][i] ? one[t][i] - other[t][i] : other[t][i] - one[t][i];
          sum += moved;
          square += moved * moved;
        }
        const bool is_none = &other == &units.front();
        const UnitWeight unit{kWeight, is_none ? Neighbours::kAddRemove : Neighbours::kReplace};
        EXPECT_LE(sum, unit.sum());
        EXPECT_LE(square, unit.square());
        most_square = std::max(most_square, square);
      }
    }
  }
  EXPECT_EQ(most_square, 2 * kWeight * kWeight);  // the bound is met
}

}  // namespace
}  // namespace mollify
