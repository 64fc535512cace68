#include "domain/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "domain/candidates.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Number cells.

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

// -----------------------------------------------------------------------------------------------
// Functions that are the same on every machine, next to the long double ones of the C library.

namespace {

double uniform_between(SeededRandom& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random.word() >> 11) * 0x1p-53;
}

/// How many units in the last place.
double units_off(double found, long double truth) {
  const auto nearest = static_cast<double>(truth);
  const double unit = std::nextafter(std::abs(nearest), HUGE_VAL) - std::abs(nearest);
  return static_cast<double>(std::abs(static_cast<long double>(found) - truth) / unit);
}

TEST(SameFunctions, AreWithinFourUnitsInTheLastPlace) {
  SeededRandom random(33);
  double of_log = 0, of_log1p = 0, of_exp = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double x = i % 2 == 0 ? std::ldexp(uniform_between(random, 1, 2), i % 1000 - 500)
                                : uniform_between(random, 0.5, 2);
    of_log = std::max(of_log, units_off(same_log(x), std::log(static_cast<long double>(x))));
    const double y = i % 2 == 0 ? uniform_between(random, -0.999, 3)
                                : std::ldexp(uniform_between(random, -1, 1), -(i % 60));
    of_log1p =
        std::max(of_log1p, units_off(same_log1p(y), std::log1p(static_cast<long double>(y))));
    const double z = i % 2 == 0 ? uniform_between(random, -700, 700) : y;
    of_exp = std::max(of_exp, units_off(same_exp(z), std::exp(static_cast<long double>(z))));
  }
  EXPECT_LE(of_log, 4);
  EXPECT_LE(of_log1p, 4);
  EXPECT_LE(of_exp, 4);
  EXPECT_EQ(same_log(1), 0);
  EXPECT_EQ(same_exp(0), 1);
  EXPECT_EQ(same_exp(1000), std::numeric_limits<double>::infinity());
  EXPECT_EQ(same_exp(-1000), 0);
}

}  // namespace

}  // namespace mollify
