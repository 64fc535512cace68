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

TEST(CellGroups, CoarserGroupsHaveAboutEqualCounts) {
  const std::vector<double> even(12, 10.0);
  EXPECT_EQ(coarsen(even, true, 3).of, (Of{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
  const std::vector<double> counts = {1, 50, 2, 40, 3};
  EXPECT_EQ(coarsen(counts, false, 3).of, (Of{0, 1, 0, 2, 0}));
  EXPECT_EQ(coarsen(counts, true, 9), single_cells(5));
  EXPECT_EQ(coarsen(counts, true, 1).count, 1U);
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
    if (ordered) {
      EXPECT_TRUE(std::is_sorted(coarse.of.begin(), coarse.of.end()));
    }
  }
}

}  // namespace

}  // namespace mollify
