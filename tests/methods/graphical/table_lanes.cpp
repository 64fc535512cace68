#include "methods/graphical/table_lanes.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "every_lanes.h"

namespace mollify::detail {

namespace {

using test::every_lanes;

std::vector<double> normals(std::size_t count, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> numbers(count);
  for (double& number : numbers) number = normal(random);
  return numbers;
}

TEST(TableLanes, ExponentialsAreAccurate) {
  std::vector<double> numbers{0, -0.0, -1e-300, -700.5, -1e6, -1e300};
  for (double x = 0; x > -699; x -= 0.0137) numbers.push_back(x);
  for (const auto& [name, lanes] : every_lanes<TableLanes>()) {
    std::vector<double> shifted;
    for (const double x : numbers) shifted.push_back(x + 3);
    std::vector<double> found(numbers.size());
    lanes.exponentiate(shifted.data(), 3, found.data(), numbers.size());
    double worst = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double exact = std::exp(shifted[i] - 3);
      if (exact < std::exp(-700)) {
        EXPECT_EQ(found[i], 0) << name << " " << numbers[i];
        continue;
      }
      const double unit = std::nextafter(exact, 2.0) - exact;
      worst = std::max(worst, std::abs(found[i] - exact) / unit);
    }
    std::printf("%s: at most %.2f units in the last place off\n", name, worst);
    EXPECT_LE(worst, 2) << name;
    EXPECT_EQ(found[0], 1) << name;
  }
}

/// Of all small shapes; cells after the table's last stay as they are.
TEST(TableLanes, PassesAreTheirDefinitions) {
  std::mt19937_64 random(1);
  for (const auto& [name, lanes] : every_lanes<TableLanes>()) {
    for (std::size_t rows = 1; rows < 7; ++rows) {
      for (std::size_t cells = 1; cells < 14; ++cells) {
        const std::size_t size = rows * cells;
        const std::vector<double> table = normals(size, random);
        const std::vector<double> of_rows = normals(rows + 1, random);
        const std::vector<double> of_cells = normals(cells + 1, random);
        std::vector<double> row_sums = of_rows;
        std::vector<double> cell_sums = of_cells;
        const auto changed = [&](auto pass, const std::vector<double>& by) {
          std::vector<double> result = table;
          result.push_back(7);
          pass({rows, cells}, by.data(), result.data());
          EXPECT_EQ(result.back(), 7);
          return result;
        };
        const auto added_rows = changed(lanes.add_to_rows, of_cells);
        const auto added_cells = changed(lanes.add_to_cells, of_rows);
        const auto times_rows = changed(lanes.multiply_rows, of_cells);
        const auto times_cells = changed(lanes.multiply_cells, of_rows);
        lanes.add_cells({rows, cells}, table.data(), row_sums.data());
        lanes.add_rows({rows, cells}, table.data(), cell_sums.data());
        std::vector<double> expected_rows = of_rows;
        std::vector<double> expected_cells = of_cells;
        for (std::size_t i = 0; i < size; ++i) {
          const std::size_t row = i / cells;
          const std::size_t cell = i % cells;
          EXPECT_EQ(added_rows[i], table[i] + of_cells[cell]) << name;
          EXPECT_EQ(added_cells[i], table[i] + of_rows[row]) << name;
          EXPECT_EQ(times_rows[i], table[i] * of_cells[cell]) << name;
          EXPECT_EQ(times_cells[i], table[i] * of_rows[row]) << name;
          expected_rows[row] += table[i];
          expected_cells[cell] += table[i];
        }
        for (std::size_t i = 0; i <= rows; ++i) EXPECT_NEAR(row_sums[i], expected_rows[i], 1e-13);
        for (std::size_t i = 0; i <= cells; ++i) {
          EXPECT_NEAR(cell_sums[i], expected_cells[i], 1e-13);
        }
        EXPECT_EQ(lanes.greatest(table.data(), size),
                  *std::max_element(table.begin(), table.end()));
        const std::vector<double> other = normals(size, random);
        std::vector<double> sums = other;
        lanes.add_multiple(2.5, table.data(), sums.data(), size);
        double product = 0;
        for (std::size_t i = 0; i < size; ++i) {
          EXPECT_NEAR(sums[i], other[i] + 2.5 * table[i], 1e-14);
          product += table[i] * other[i];
        }
        EXPECT_NEAR(lanes.product(table.data(), other.data(), size), product, 1e-12);
      }
    }
  }
}

}  // namespace

}  // namespace mollify::detail
