#include "marginals/pair_counter.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include <gtest/gtest.h>

namespace mollify {
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

/// Pair by pair, a row at a time.
PairCounts one_by_one(const std::vector<std::uint32_t>& sizes, const Columns& columns) {
  PairCounts counts(sizes);
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
  PairCounter counter(sizes);
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
           {1, 5, 300, 2},                                      // beside one column alone
           {4},                                                 // of no pair
           {6, 1},
           {1, 1, 1},
           {3, 300, 400},   // pairs of columns that make no table
           {129, 128, 13},  // about the greatest group
           {2, 20000, 3},   // tables that would be too great
           std::vector<std::uint32_t>(40, 2),
       }) {
    for (const std::size_t rows : {0U, 1U, 50U, 8191U, 8192U, 30000U}) {
      const Columns columns = random_columns(sizes, rows, random);
      EXPECT_EQ(at_once(sizes, columns, random).all(), one_by_one(sizes, columns).all())
          << sizes.size() << " columns, the first of " << sizes[0] << " cells, " << rows << " rows";
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

// More tables than there is memory for: 100 columns of 11 cells, of whose 50 groups of two not all
// two have a table.
TEST(PairCounter, CountsPairsThatTablesHaveNoRoomFor) {
  const std::vector<std::uint32_t> sizes(100, 11);
  ASSERT_GT(std::size_t{50 * 49 / 2} * 121 * 121, PairCounter::kMostCells);
  std::mt19937_64 random(3);
  const Columns columns = random_columns(sizes, 300, random);
  EXPECT_EQ(at_once(sizes, columns, random).all(), one_by_one(sizes, columns).all());
}

}  // namespace
}  // namespace mollify
