#include "methods/marginals/counts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include <gtest/gtest.h>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Cell groups.

namespace {

using Of = std::vector<std::uint32_t>;

void expect_partition(const CellGroups& groups, std::size_t cells) {
  ASSERT_EQ(groups.of.size(), cells);
  std::vector<bool> met(groups.count);
  for (const std::uint32_t group : groups.of) {
    ASSERT_LT(group, groups.count);
    met[group] = true;
  }
  EXPECT_EQ(std::count(met.begin(), met.end(), true), groups.count);
}

TEST(CellGroups, RareCellsJoinNeighboursWhereThereIsAnOrder) {
  const std::vector<double> counts = {100, 3, 4, 90, 2, -5, 1};
  EXPECT_EQ(merge_rare(counts, true, 20).of, (Of{0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(merge_rare(counts, false, 5).of, (Of{0, 1, 1, 2, 1, 1, 1}));
  EXPECT_EQ(merge_rare(counts, true, 1000).count, 1U);
  EXPECT_EQ(merge_rare(counts, false, 1000).count, 1U);
  EXPECT_EQ(merge_rare(counts, true, -10).count, 7U);
}

// Rules tell classes apart, so no group may hold cells of two of them.
TEST(CellGroups, HoldCellsOfOneClass) {
  const std::vector<double> counts = {100, 3, 4, 90, 2, -5, 1, 0};
  const std::vector<std::uint32_t> classes = {0, 0, 1, 1, 0, 2, 2, 0};
  for (const bool ordered : {true, false}) {
    for (const double least : {-10.0, 5.0, 1000.0}) {
      const auto make = [&](std::span<const double> of, double) {
        return merge_rare(of, ordered, least);
      };
      const CellGroups groups = by_class(counts, ordered, classes, make);
      expect_partition(groups, counts.size());
      for (std::size_t a = 0; a < counts.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
          if (groups.of[a] != groups.of[b]) continue;
          EXPECT_EQ(classes[a], classes[b]) << a << ' ' << b << ' ' << least;
        }
      }
      // In order they are five runs.
      if (least > 100) {
        EXPECT_EQ(groups.count, ordered ? 5U : 3U);
      }
      EXPECT_EQ(by_class(counts, ordered, {}, make).of, merge_rare(counts, ordered, least).of);
    }
  }
}

TEST(WithoutNoise, KeepsAGreatCountAmongEmptyCellsAndMakesThoseSmall) {
  constexpr double kDeviation = 20;
  constexpr std::size_t kCells = 200, kGreat = 5;
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, kDeviation);
  double great = 0, empty = 0;
  constexpr int kRuns = 60;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> counts;
    for (std::size_t i = 0; i < kCells; ++i) {
      counts.push_back((i < kGreat ? 3 * kDeviation : 0) + noise(random));
    }
    const std::vector<double> likely = without_noise(counts, kDeviation);
    for (std::size_t i = 0; i < kCells; ++i) {
      ASSERT_GT(likely[i], 0);
      // Counts above three deviations are values of the model by themselves.
      const bool is_rare = counts[i] < 3 * kDeviation;
      (i < kGreat ? great : empty) += (is_rare ? likely[i] : counts[i]) / kRuns;
    }
  }
  EXPECT_NEAR(great / kGreat / (3 * kDeviation), 1, 0.2);
  // Half a deviation more than counts of at least 0 would be .9 deviations.
  EXPECT_LT(empty / (kCells - kGreat), 0.35 * kDeviation);
}

TEST(WithoutNoise, IsTotal) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double likely :
       without_noise(std::vector<double>{-infinity, infinity, std::nan(""), -1e300, 0, 5}, 2)) {
    EXPECT_GT(likely, 0);
    EXPECT_LT(likely, 16);
  }
  EXPECT_NEAR(without_noise(std::vector<double>{1e6, 0}, 2)[0], 1e6, 1e-6);
  EXPECT_TRUE(without_noise({}, 1).empty());
}

TEST(CellGroups, CoarserGroupsHaveAboutEqualCounts) {
  const std::vector<double> even(12, 10.0);
  EXPECT_EQ(coarsen(even, true, 3).of, (Of{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
  const std::vector<double> counts = {1, 50, 2, 40, 3};
  EXPECT_EQ(coarsen(counts, false, 3).of, (Of{0, 1, 0, 2, 0}));
  EXPECT_EQ(coarsen(counts, true, 9), single_cells(5));
  EXPECT_EQ(coarsen(counts, true, 1).count, 1U);
}

TEST(AlikeCells, PutsTogetherWhatHasOneRow) {
  // Cells of no order with three kinds of rows, of other counts each.
  std::vector<double> table;
  for (const double count : {90.0, 5.0, 40.0, 70.0, 30.0, 8.0}) {
    const std::size_t kind = table.size() / 2 % 3;
    table.push_back(count * (kind == 0 ? 0.9 : kind == 1 ? 0.5 : 0.1));
    table.push_back(count - table.back());
  }
  const std::vector<CellGroups> found = alike_cells(table, 6, false, std::vector{1U, 3U, 6U});
  EXPECT_EQ(found[0].count, 1U);
  EXPECT_EQ(found[1].of, (Of{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(found[2], single_cells(6));
}

TEST(AlikeCells, CutsShortRunsWhereRowsChange) {
  // Even cells whose rows change in the first fifth alone, every four cells, from all to nothing.
  std::vector<double> table;
  for (std::size_t cell = 0; cell < 80; ++cell) {
    const double share = cell < 16 && cell / 4 % 2 == 0 ? 1 : 0;
    table.push_back(10 * share);
    table.push_back(10 - table.back());
  }
  const CellGroups groups = alike_cells(table, 80, true, std::vector{12U})[0];
  EXPECT_TRUE(std::is_sorted(groups.of.begin(), groups.of.end()));
  // Twice as many cuts as among equal counts.
  EXPECT_EQ(coarsen(std::vector<double>(80, 20), true, 12).of[18], 2U);
  EXPECT_GE(groups.of[18], 4U);
  EXPECT_EQ(groups.count, 12U);
}

TEST(CellGroups, ArePartitionsOfWhateverIsGiven) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> real(-50, 200);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    std::vector<double> counts(1 + random() % 40);
    for (double& count : counts) {
      count = real(random);
      if (random() % 20 == 0) count = std::numeric_limits<double>::quiet_NaN();
      if (random() % 20 == 0) count = 1e18;
    }
    const bool ordered = random() % 2 == 0;
    const auto most = static_cast<std::uint32_t>(1 + random() % 12);
    expect_partition(merge_rare(counts, ordered, real(random)), counts.size());
    const CellGroups coarse = coarsen(counts, ordered, most);
    expect_partition(coarse, counts.size());
    EXPECT_LE(coarse.count, most);
    std::vector<double> table;
    for (std::size_t cell = 0; cell < 3 * counts.size(); ++cell) {
      table.push_back(random() % 3 == 0 ? 0 : std::abs(real(random)) + 1e-9);
    }
    table[0] = 1;
    const CellGroups alike = alike_cells(table, counts.size(), ordered, std::vector{most})[0];
    expect_partition(alike, counts.size());
    EXPECT_LE(alike.count, most);
    if (ordered) {
      EXPECT_TRUE(std::is_sorted(coarse.of.begin(), coarse.of.end()));
      EXPECT_TRUE(std::is_sorted(alike.of.begin(), alike.of.end()));
    }
  }
}

}  // namespace

}  // namespace mollify
