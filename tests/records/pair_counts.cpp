#include "records/pair_counts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include <gtest/gtest.h>

#include "methods/marginals/design.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Pair counter.

namespace {

using Columns = std::vector<std::vector<std::uint32_t>>;

Columns random_columns(const std::vector<std::uint32_t>& sizes, std::size_t rows,
                       std::mt19937_64& random) {
  Columns columns(sizes.size());
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      // Skewed, and neighbours alike, so that hardly two cells have the same count.
      const auto any = static_cast<std::uint32_t>(random() % sizes[i]);
      const bool is_alike = i > 0 && random() % 3 == 0;
      columns[i].push_back(is_alike ? columns[i - 1][row] % sizes[i]
                                    : static_cast<std::uint32_t>(any * (random() % 2)));
    }
  }
  return columns;
}

std::vector<std::span<const std::uint32_t>> rows_of(const Columns& columns, std::size_t begin,
                                                    std::size_t rows) {
  std::vector<std::span<const std::uint32_t>> spans;
  for (const auto& column : columns) spans.push_back(std::span(column).subspan(begin, rows));
  return spans;
}

/// Some of those that can be counted.
std::vector<Triple> some_triples(const std::vector<std::uint32_t>& sizes) {
  std::vector<Triple> triples;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::size_t j = i + 1; j < sizes.size(); ++j) {
      for (std::size_t k = j + 1; k < sizes.size(); ++k) {
        const std::uint64_t cells = std::uint64_t{sizes[i]} * sizes[j] * sizes[k];
        if (cells <= PairCounter::kMostTripleCells && seen++ % 3 != 1) triples.push_back({i, j, k});
      }
    }
  }
  if (triples.size() > 50) triples.resize(50);
  return triples;
}

/// Pair by pair, a row at a time.
PairCounts one_by_one(const std::vector<std::uint32_t>& sizes, const Columns& columns) {
  PairCounts counts(sizes, some_triples(sizes));
  for (std::size_t row = 0; row < columns[0].size(); ++row) {
    std::vector<std::uint32_t> record;
    for (const auto& column : columns) record.push_back(column[row]);
    counts.add(record, 1);
  }
  return counts;
}

/// In blocks of any sizes.
PairCounts at_once(const std::vector<std::uint32_t>& sizes, const Columns& columns,
                   std::mt19937_64& random) {
  PairCounter counter(sizes, some_triples(sizes));
  for (std::size_t begin = 0; begin < columns[0].size();) {
    const std::size_t rows =
        std::min<std::size_t>(columns[0].size() - begin, random() % (2 * PairCounter::kRows));
    counter.add(rows_of(columns, begin, rows));
    begin += rows;
  }
  return std::move(counter).take();
}

TEST(PairCounter, CountsWhatIsCountedPairByPair) {
  std::mt19937_64 random(1);
  for (const std::vector<std::uint32_t>& sizes : {
           std::vector<std::uint32_t>{10, 3, 7, 2, 11, 10, 4},  // groups of two and more
           {1, 5, 300, 2},                                      // next to one column alone
           {4},                                                 // of no pair
           {6, 1},
           {1, 1, 1},
           {3, 300, 400},   // pairs of columns that make no table
           {129, 128, 13},  // about the greatest group
           {2, 20000, 3},   // tables that would be too great
           std::vector<std::uint32_t>(40, 2),
       }) {
    for (const std::size_t rows : {0U, 1U, 50U, 65534U, 65535U, 70000U}) {
      const Columns columns = random_columns(sizes, rows, random);
      EXPECT_EQ(at_once(sizes, columns, random).all(), one_by_one(sizes, columns).all())
          << sizes.size() << " columns, the first of " << sizes[0] << " cells, " << rows << " rows";
    }
  }
}

/// With weights so great that sums pass 4 bytes.
TEST(PairCounter, CountsWeights) {
  std::mt19937_64 random(7);
  for (const std::vector<std::uint32_t>& sizes :
       {std::vector<std::uint32_t>{10, 3, 7, 2}, {3, 300, 400}, {2, 2}}) {
    for (const std::uint64_t most :
         {std::uint64_t{1}, std::uint64_t{100'000}, PairCounter::kMostWeight}) {
      const Columns columns = random_columns(sizes, 70'000, random);
      std::vector<std::uint64_t> weights;
      for (std::size_t row = 0; row < 70'000; ++row) weights.push_back(most - random() % 2);
      PairCounts expected(sizes, some_triples(sizes));
      for (std::size_t row = 0; row < weights.size(); ++row) {
        std::vector<std::uint32_t> record;
        for (const auto& column : columns) record.push_back(column[row]);
        expected.add(record, weights[row]);
      }
      PairCounter counter(sizes, some_triples(sizes));
      for (std::size_t begin = 0; begin < weights.size();) {
        const std::size_t rows = std::min<std::size_t>(weights.size() - begin, random() % 20'000);
        counter.add(rows_of(columns, begin, rows), std::span(weights).subspan(begin, rows));
        begin += rows;
      }
      EXPECT_EQ(std::move(counter).take().all(), expected.all()) << most;
    }
  }
}

TEST(PairCounter, CountsTablesOfAnySizes) {
  constexpr int kTables = 60;
  std::uniform_real_distribution<double> share(0, 1);
  std::mt19937_64 random(2);
  for (int table = 0; table < kTables; ++table) {
    std::vector<std::uint32_t> sizes(1 + random() % 14);
    // From 1 to 400, few of them great.
    for (std::uint32_t& size : sizes) {
      size = static_cast<std::uint32_t>(std::pow(400, std::pow(share(random), 2)));
    }
    const Columns columns = random_columns(sizes, random() % 3000, random);
    ASSERT_EQ(at_once(sizes, columns, random).all(), one_by_one(sizes, columns).all())
        << ::testing::PrintToString(sizes) << ", " << columns[0].size() << " rows";
  }
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Pair counts.

namespace {

TEST(PairCounts, CountsColumnsAndPairs) {
  PairCounts counts({2, 3, 2}, {{0, 1, 2}});
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
  EXPECT_EQ(values(counts.triple({0, 1, 2})),
            (std::vector<std::uint64_t>{0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 5, 1}));
  EXPECT_THROW(static_cast<void>(counts.triple({0, 1, 3})), std::out_of_range);
}

TEST(PairCounts, CountsOfPartsAddUp) {
  const std::vector<std::uint32_t> one = {1, 2, 0};
  const std::vector<std::uint32_t> other = {0, 2, 1};
  const std::vector<Triple> triples{{0, 1, 2}};
  PairCounts whole({2, 3, 2}, triples);
  whole.add(one, 1);
  whole.add(other, 1);
  std::vector<std::int64_t> sums;
  for (const auto& record : {one, other}) {
    PairCounts part({2, 3, 2}, triples);
    part.add(record, 1);
    const std::vector<std::int64_t> all = part.all();
    sums.resize(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) sums[i] += all[i];
  }
  EXPECT_EQ(sums.size(), 7U + 6 + 4 + 6 + 12);
  EXPECT_EQ(PairCounts({2, 3, 2}, triples, sums).all(), whole.all());
  EXPECT_EQ(PairCounts({2, 3, 2}, triples, {}).all(), PairCounts({2, 3, 2}, triples).all());
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

/// All units of up to three records with weights up to 4, which count 5 together at most.
TEST(PairCounts, AUnitWithWeightsAddsItsBoundAtMost) {
  constexpr std::uint64_t kMost = 5;
  std::uint64_t greatest = 0, most_square = 0;
  std::vector<std::vector<std::uint64_t>> units;
  for (std::uint32_t code = 0; code < 125; ++code) {
    const std::vector<std::uint64_t> weights{code % 5, code / 5 % 5, code / 25};
    PairCounts counts({2, 3});
    counts.add_unit(std::vector<std::uint32_t>{0, 0, 1, 2, code % 2, 2}, weights, kMost);
    const auto pair = counts.pair(0, 1);
    units.emplace_back(pair.begin(), pair.end());
    const std::uint64_t sum = std::accumulate(pair.begin(), pair.end(), std::uint64_t{0});
    EXPECT_EQ(sum, std::min(kMost, weights[0] + weights[1] + weights[2]));
    greatest = std::max(greatest, sum);
  }
  const UnitWeight bound{kMost, Neighbours::kReplace};
  for (const auto& one : units) {
    for (const auto& other : units) {
      std::uint64_t moved = 0, square = 0;
      for (std::size_t cell = 0; cell < one.size(); ++cell) {
        const std::uint64_t by =
            std::max(one[cell], other[cell]) - std::min(one[cell], other[cell]);
        moved += by;
        square += by * by;
      }
      EXPECT_LE(moved, bound.sum());
      most_square = std::max(most_square, square);
    }
  }
  EXPECT_EQ(greatest, kMost);
  EXPECT_LE(most_square, bound.square());
  EXPECT_GE(most_square, 16U * 2);  // records of weight 4
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
