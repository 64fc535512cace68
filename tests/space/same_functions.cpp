// Functions that are the same on every machine, next to the long double ones of the C library.
#include "space/same_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "space/seeded_random.h"

namespace mollify {
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
