#include "reference/multiscale_histogram.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "divergence/compensated_sum.h"

namespace mollify {
namespace {

Domain grid(std::uint64_t cells, int columns) {
  std::vector<Column> made;
  for (int i = 0; i < columns; ++i) {
    made.push_back(Column::make("x" + std::to_string(i), NumberCells::make(0, 1, cells)));
  }
  return Domain::make(std::move(made));
}

Empirical records(const std::vector<std::uint32_t>& outcomes) {
  Tally<std::uint32_t> tally;
  for (const std::uint32_t outcome : outcomes) tally.add(outcome);
  return Empirical(tally.take());
}

TEST(MultiscaleHistogram, IsUniformWithoutRecords) {
  EXPECT_EQ(multiscale_histogram(records({}), grid(4, 1)), std::vector<double>(4, 0.25));
}

// One record allows R = 2: histograms of 1, 2 and 4 parts of one cell, two and four.
TEST(MultiscaleHistogram, IsTheMeanOfItsHistograms) {
  const std::vector<double> masses = multiscale_histogram(records({5}), grid(8, 1));
  const double third = 1.0 / 3;
  const std::vector<double> expected = {
      third / 8,
      third / 8,
      third / 8,
      third / 8,
      third / 8 + third / 4 + third / 2,
      third / 8 + third / 4 + third / 2,
      third / 8 + third / 4,
      third / 8 + third / 4,
  };
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(masses[i], expected[i], 1e-15) << i;
}

TEST(MultiscaleHistogram, SumsToOneAndIsPositive) {
  for (const int columns : {1, 2, 3}) {
    for (const std::uint64_t cells : {1U, 7U, 40U}) {
      const Domain domain = grid(cells, columns);
      for (const std::uint32_t repeated : {1U, 50U, 5000U}) {
        std::vector<std::uint32_t> outcomes(repeated, domain.size() / 3);
        outcomes.push_back(domain.size() - 1);
        const std::vector<double> masses = multiscale_histogram(records(outcomes), domain);
        CompensatedSum sum;
        for (const double mass : masses) {
          ASSERT_GT(mass, 0.05 / domain.size());
          sum += mass;
        }
        EXPECT_NEAR(sum.value(), 1, 1e-12);
      }
    }
  }
}

TEST(MultiscaleHistogram, FollowsManyRecords) {
  std::vector<std::uint32_t> outcomes;
  for (std::uint32_t i = 0; i < 20'000; ++i) outcomes.push_back(100 + i % 30);
  const std::vector<double> masses = multiscale_histogram(records(outcomes), grid(1000, 1));
  double near = 0;
  for (std::size_t i = 90; i < 140; ++i) near += masses[i];
  EXPECT_GT(near, 0.4);
}

}  // namespace
}  // namespace mollify
