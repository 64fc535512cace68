#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "laboratory/boosting/likelihood.h"
#include "laboratory/measure/measure.h"

namespace mollify {
namespace {

TEST(MeasureSample, FollowsTheMeasure) {
  constexpr std::size_t kDraws = 12'000;
  const UniformMeasure rectangle({{0, 2}, {-1, 2}});
  SeededRandom seeded(20260709);
  const Points points = measure_sample(rectangle, kDraws, seeded);
  ASSERT_EQ(points.size(), kDraws);
  ASSERT_EQ(points.dimension(), 2U);
  std::array<std::uint64_t, 6> counts{};
  for (std::size_t i = 0; i < kDraws; ++i) {
    // A point just below an upper end may be rounded to it.
    const float column = std::min(std::floor(points.values(0)[i]), 1.0F);
    const float row = std::min(std::floor(points.values(1)[i]), 1.0F) + 1;
    ++counts.at(static_cast<std::size_t>(column * 3 + row));
  }
  EXPECT_TRUE(test::follows(std::vector<double>(6, 1.0 / 6), counts)) << "seed 20260709";
}

TEST(CellCentres, AreTheMiddlesInTheOrderOfCells) {
  const Grid grid({{0, 1, 4}, {-2, 0, 0.5, 1}});
  const Points centres = cell_centres(grid);
  ASSERT_EQ(centres.size(), 6U);
  for (std::size_t i = 0; i < centres.size(); ++i) {
    const Box cell = grid.cell(i);
    for (std::size_t axis = 0; axis < 2; ++axis) {
      EXPECT_EQ(static_cast<double>(centres.values(axis)[i]),
                (cell[axis].low + cell[axis].high) / 2);
    }
  }
}

}  // namespace
}  // namespace mollify
