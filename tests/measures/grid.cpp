#include "measures/grid.h"

#include <array>
#include <cmath>

#include "core/invalid_input.h"
#include "not_finite.h"

namespace mollify {
namespace {

using test::kInfinity;

Grid uneven() { return Grid({{0, 1, 3}, {-1, 0, 0.5, 2}, {10, 20}}); }

TEST(Grid, NumbersItsCellsWithTheLastAxisFastest) {
  const Grid grid = uneven();
  EXPECT_EQ(grid.dimension(), 3U);
  EXPECT_EQ(grid.cell_count(), 6U);
  EXPECT_EQ(grid.cell(0), (Box{{0, 1}, {-1, 0}, {10, 20}}));
  EXPECT_EQ(grid.cell(1), (Box{{0, 1}, {0, 0.5}, {10, 20}}));
  EXPECT_EQ(grid.cell(5), (Box{{1, 3}, {0.5, 2}, {10, 20}}));
  EXPECT_EQ(grid.box(), (Box{{0, 3}, {-1, 2}, {10, 20}}));
}

TEST(Grid, FindsTheCellOfEveryPointOfEveryCell) {
  const Grid grid = uneven();
  for (std::size_t i = 0; i < grid.cell_count(); ++i) {
    const Box cell = grid.cell(i);
    std::array<double, 3> lowest;
    std::array<double, 3> within;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      lowest[axis] = cell[axis].low;
      within[axis] = 0.25 * cell[axis].low + 0.75 * cell[axis].high;
    }
    EXPECT_EQ(grid.cell_of(lowest), i);
    EXPECT_EQ(grid.cell_of(within), i);
  }
}

TEST(Grid, CountsWhatLiesOutsideToTheOutermostCells) {
  const Grid grid({{0, 1, 2, 3}});
  for (const auto& [x, cell] : std::vector<std::pair<double, std::size_t>>{
           {-5, 0}, {-kInfinity, 0}, {std::nan(""), 0}, {3, 2}, {7, 2}, {kInfinity, 2}}) {
    EXPECT_EQ(grid.cell_of(std::array{x}), cell) << x;
  }
  EXPECT_EQ(Grid({{0, 1}}).cell_of(std::array{9.0}), 0U);
}

TEST(Grid, RefusesWhatIsNoGrid) {
  EXPECT_THROW(Grid(std::vector<std::vector<double>>{}), InvalidInput);
  EXPECT_THROW(Grid({{0, 1}, {0, 1}, {0, 1}, {0, 1}}), InvalidInput);
  EXPECT_THROW(Grid(std::vector<std::vector<double>>{{0}}), InvalidInput);
  EXPECT_THROW(Grid({{0, 0}}), InvalidInput);
  EXPECT_THROW(Grid({{1, 0}}), InvalidInput);
  EXPECT_THROW(Grid({{0, kInfinity}}), InvalidInput);
  EXPECT_THROW(Grid({{0, std::nan(""), 1}}), InvalidInput);
  const std::vector<double> many = equal_width_edges({0, 1}, 1 << 13);
  EXPECT_THROW(Grid({many, many}), InvalidInput) << "2^26 cells";
}

TEST(Grid, HasTheGreatestNumberOfCellsAlongEachAxis) {
  EXPECT_EQ(cells_along_each_axis(1 << 16, 1), 1U << 16);
  EXPECT_EQ(cells_along_each_axis(1 << 20, 2), 1U << 10);
  EXPECT_EQ(cells_along_each_axis(1 << 21, 3), 128U);
  EXPECT_EQ(cells_along_each_axis(1 << 24, 3), 256U);
  for (std::size_t cells = 1; cells < 3000; ++cells) {
    for (std::size_t dimension = 1; dimension <= 3; ++dimension) {
      const std::size_t along = cells_along_each_axis(cells, dimension);
      std::size_t product = 1;
      std::size_t next = 1;
      for (std::size_t axis = 0; axis < dimension; ++axis) {
        product *= along;
        next *= along + 1;
      }
      ASSERT_LE(product, cells);
      ASSERT_GT(next, cells);
    }
  }
  EXPECT_THROW((void)cells_along_each_axis(0, 1), InvalidInput);
  EXPECT_THROW((void)cells_along_each_axis(1, 4), InvalidInput);
  EXPECT_THROW((void)cells_along_each_axis((1 << 24) + 1, 1), InvalidInput);
}

TEST(Grid, HasEdgesAtEqualDistancesWithExactEnds) {
  const std::vector<double> edges = equal_width_edges({-0.1, 0.7}, 1000);
  EXPECT_EQ(edges.front(), -0.1);
  EXPECT_EQ(edges.back(), 0.7);
  for (std::size_t j = 0; j < 1000; ++j) EXPECT_NEAR(edges[j + 1] - edges[j], 0.0008, 1e-15);
  EXPECT_TRUE(Grid({edges}).is_equal_width(0));
  EXPECT_FALSE(uneven().is_equal_width(0));
  EXPECT_TRUE(uneven().is_equal_width(2));
  EXPECT_THROW((void)equal_width_edges({0, kInfinity}, 2), InvalidInput);
  EXPECT_THROW((void)equal_width_edges({1, 1}, 2), InvalidInput);
  EXPECT_THROW((void)equal_width_edges({1, 1 + 1e-15}, 1000), InvalidInput);
}

}  // namespace
}  // namespace mollify
