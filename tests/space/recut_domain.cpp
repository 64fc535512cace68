#include "space/recut_domain.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

Domain numbers(int columns) {
  std::vector<Column> made;
  for (int i = 0; i < columns; ++i) {
    made.push_back(Column::make("x" + std::to_string(i), NumberCells::make(-2, 2),
                                {.null_value = "0", .outside_value = "1"}));
  }
  return Domain::make(std::move(made), 7);
}

TEST(RecutDomain, GivesEachColumnItsShareOfTheCells) {
  EXPECT_EQ(recut_domain(numbers(1)).size(), 65'536U);
  EXPECT_EQ(recut_domain(numbers(2)).size(), 256U * 256);
  EXPECT_EQ(recut_domain(numbers(3)).size(), 40U * 40 * 40);
  EXPECT_EQ(recut_domain(numbers(1), 1U << 24U).size(), 1U << 24U);
  EXPECT_EQ(recut_domain(numbers(2), 1U << 24U).size(), 1U << 24U);
  EXPECT_EQ(recut_domain(numbers(3), 1U << 24U).size(), 1U << 24U);
  EXPECT_EQ(recut_domain(numbers(3), 26).size(), 8U);
  EXPECT_EQ(recut_domain(numbers(3), 27).size(), 27U);
  EXPECT_EQ(recut_domain(numbers(2), 1).size(), 1U);
}

TEST(RecutDomain, KeepsEverythingElse) {
  const Domain grid = recut_domain(numbers(2), 100);
  EXPECT_EQ(grid.seed(), 7U);
  EXPECT_EQ(grid.columns()[1].name(), "x1");
  EXPECT_EQ(grid.columns()[0].encode("-2"), 0U);
  EXPECT_EQ(grid.columns()[0].encode("NA"), 5U);
  EXPECT_EQ(grid.columns()[0].encode("9"), 7U);
}

TEST(RecutDomain, NeverCutsAnInteger) {
  const Domain domain = Domain::make({Column::make("i", IntegerCells::make(1, 10)),
                                      Column::make("j", IntegerCells::make(0, 1 << 30))});
  const Domain grid = recut_domain(domain, 10'000);
  EXPECT_EQ(grid.columns()[0].size(), 10U);
  EXPECT_EQ(grid.columns()[1].size(), 100U);
}

TEST(RecutDomain, RefusesImpossibleNumbersOfCells) {
  for (const std::uint64_t cells : {std::uint64_t{0}, (std::uint64_t{1} << 24U) + 1}) {
    EXPECT_THROW((void)recut_domain(numbers(1), cells), InvalidInput);
  }
}

}  // namespace
}  // namespace mollify
