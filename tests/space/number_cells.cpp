#include "space/number_cells.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

/// The cell by definition, from all edges.
std::uint32_t cell_of(double value, double min, double max, std::uint32_t bins) {
  std::uint32_t below = 0, above = bins;  // edge(below) <= value < edge(above), or above is last
  while (above - below > 1) {
    const std::uint32_t middle = below + (above - below) / 2;
    (value < min + (max - min) * middle / bins ? above : below) = middle;
  }
  return below;
}

TEST(NumberCells, AreThoseOfTheirEdgesHoweverNarrowAndFar) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> unit(0, 1);
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  std::size_t columns = 0;
  for (int attempt = 0; attempt < 600; ++attempt) {
    const double size = std::pow(10, 16 * unit(random) - 8);
    const double centre = attempt % 3 == 0 ? 0 : std::pow(10, 24 * unit(random) - 8);
    const double min = (attempt % 2 == 0 ? centre : -centre) - size * unit(random);
    const double max = min + size;
    const auto bins = static_cast<std::uint32_t>(std::pow(2, 24 * unit(random)));
    if (!(min < max)) continue;
    try {
      const NumberCells cells = NumberCells::make(min, max, bins);
      ++columns;
      for (int i = 0; i < 100; ++i) {
        double value = min + (max - min) * unit(random);
        if (i % 2 == 0) {
          value = min + (max - min) * static_cast<double>(random() % (bins + 1)) / bins;
          for (auto step = random() % 4; step > 0; --step) {
            value = std::nextafter(value, i % 4 == 0 ? kEndless : -kEndless);
          }
        }
        if (value < min || value > max) continue;
        const Reading reading = cells.read(value);
        ASSERT_EQ(reading.verdict, Verdict::kValue);
        ASSERT_EQ(reading.cell, cell_of(value, min, max, bins))
            << value << " from " << min << " to " << max << " in " << bins;
      }
    } catch (const InvalidInput&) {  // cells too narrow for decimal numbers
    }
  }
  EXPECT_GT(columns, 200U);
}

}  // namespace
}  // namespace mollify
