#include "accounting/enumerated_excess.h"

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace mollify {
namespace {

/// The mean by adding one variable after the other, as a law on all reachable sums.
double mean_by_convolution(const Atom& gain, const std::vector<Atom>& losses, int terms) {
  std::vector<Atom> atoms = losses;
  atoms.push_back(gain);
  double zero = 1;
  for (const Atom& atom : atoms) zero -= atom.probability;
  atoms.push_back({0, zero});
  std::vector<Atom> law = {{0, 1}};
  for (int i = 0; i < terms; ++i) {
    std::vector<Atom> next;
    for (const Atom& state : law) {
      for (const Atom& atom : atoms) {
        next.push_back({state.value + atom.value, state.probability * atom.probability});
      }
    }
    law = std::move(next);
  }
  double mean = 0;
  for (const Atom& state : law) mean += std::max(0.0, state.value) * state.probability;
  return mean;
}

TEST(EnumeratedExcess, AgreesWithConvolution) {
  std::mt19937 random(20261122);
  std::uniform_real_distribution<double> unit(0.01, 1);
  for (int trial = 0; trial < 50; ++trial) {
    const Atom gain{unit(random) * 5, unit(random) / 5};
    std::vector<Atom> losses;
    for (int i = 0; i < 1 + trial % 3; ++i) losses.push_back({-unit(random) * 3, unit(random) / 5});
    for (const int terms : {1, 2, 3, 5}) {
      const double mean = mean_by_convolution(gain, losses, terms);
      const auto found = enumerated_excess(gain, losses, static_cast<std::uint64_t>(terms));
      ASSERT_TRUE(found);
      EXPECT_LE(found->lower, mean * (1 + 1e-13));
      EXPECT_GE(found->upper, mean * (1 - 1e-13));
      EXPECT_NEAR(found->lower / mean, 1, 1e-9);
      EXPECT_NEAR(found->upper / mean, 1, 1e-9);
    }
  }
}

TEST(EnumeratedExcess, EnclosesWhatTheTransformEncloses) {
  const Atom gain{3, 1e-3};
  const std::array<Atom, 2> losses = {{{-2, 1e-3}, {-0.01, 0.9}}};
  const auto exact = enumerated_excess(gain, losses, 40);
  ASSERT_TRUE(exact);
  EXPECT_GT(exact->lower, 0);
  EXPECT_LE(exact->lower, exact->upper);
  EXPECT_LT(exact->upper - exact->lower, 1e-9 * exact->upper);
  EXPECT_FALSE(enumerated_excess(gain, losses, 48));
}

// Probabilities whose products no double holds keep the bounds on their sides.
TEST(EnumeratedExcess, BoundsWhatIsBelowEveryDouble) {
  const std::array<Atom, 1> losses = {{{-1, 1 - 1e-200}}};
  const auto tiny = enumerated_excess({0.5, 1e-200}, losses, 10);
  ASSERT_TRUE(tiny);
  EXPECT_EQ(tiny->lower, 0);
  EXPECT_GT(tiny->upper, 0);
  EXPECT_LT(tiny->upper, 1e-260);
}

}  // namespace
}  // namespace mollify
