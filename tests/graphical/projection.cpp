// Sums over part of a table's columns, and their way back, cell by cell.
#include "graphical/projection.h"

#include <algorithm>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "small_models.h"

namespace mollify {
namespace {

TEST(Projection, IsTheSumCellByCell) {
  std::mt19937_64 random(1);
  for (int repeat = 0; repeat < 40; ++repeat) {
    const test::SmallModel small = test::random_model(random, 1);
    Clique whole;
    for (std::size_t c = 0; c < small.sizes.size(); ++c) whole.push_back(c);
    std::vector<double> table(small.cells());
    for (double& value : table) value = static_cast<double>(random() % 1000);
    for (const Clique& part : test::all_cliques(whole.size())) {
      const Projection projection(small.sizes, whole, part);
      ASSERT_EQ(projection.whole_cells(), table.size());
      ASSERT_EQ(projection.part_cells(), cell_count(small.sizes, part));
      std::vector<double> sums(projection.part_cells(), -1);
      std::vector<double> most(projection.part_cells(), -1);
      projection.sum(table.data(), sums.data());
      projection.greatest(table.data(), most.data());
      std::vector<double> added = table;
      std::vector<double> multiplied = table;
      projection.add(sums.data(), added.data());
      projection.multiply(sums.data(), multiplied.data());
      const std::vector<std::uint32_t> targets = projection.targets();
      std::vector<double> expected_sums(sums.size(), 0);
      std::vector<double> expected_most(sums.size(), -std::numeric_limits<double>::infinity());
      for (std::size_t i = 0; i < table.size(); ++i) {
        const std::size_t j = small.cell(i, part);
        ASSERT_EQ(targets[i], j);
        expected_sums[j] += table[i];
        expected_most[j] = std::max(expected_most[j], table[i]);
        ASSERT_EQ(added[i], table[i] + sums[j]);
        ASSERT_EQ(multiplied[i], table[i] * sums[j]);
      }
      ASSERT_EQ(sums, expected_sums);
      ASSERT_EQ(most, expected_most);
    }
  }
}

}  // namespace
}  // namespace mollify
