#include "local/band_tuning.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "local/band_floor.h"

namespace mollify {
namespace {

// The full minimax band on three outcomes gives a point mass E/(E + 2) on its outcome.
TEST(BandTuning, GivesTheClosedFormOfPointMasses) {
  const std::vector<double> floors = {minimax_floor(3, 1), relative_floor(1)};
  BandTuning tuning(floors, 3, {}, 1);
  tuning.add(std::vector<float>{0, 5, 0});
  tuning.add(std::vector<float>{1, 1, 1});
  EXPECT_EQ(tuning.units(), 2U);
  const double e = std::exp(1.0);
  const auto results = tuning.results();
  EXPECT_NEAR(results[0].worst.tv, 1 - e / (e + 2), 1e-9);
  EXPECT_NEAR(results[0].mean.tv, (1 - e / (e + 2)) / 2, 1e-9);
  EXPECT_NEAR(results[0].worst.kl, std::log((e + 2) / e), 1e-9);
  EXPECT_NEAR(results[1].worst.tv, 1 - std::exp(0.5) / 3, 1e-9);
}

TEST(BandTuning, LeavesOutUnitsWithoutWeight) {
  const std::vector<double> floors = {0.5};
  BandTuning tuning(floors, 2, {}, 2);
  tuning.add(std::vector<float>{0, 0});
  tuning.add(std::vector<float>{std::nanf(""), -1});
  EXPECT_EQ(tuning.units(), 0U);
  EXPECT_EQ(tuning.results()[0].mean.kl, 0);
}

}  // namespace
}  // namespace mollify
