#include "kernel/core/band.h"

#include <rapidcheck.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kernel/bands.h"
#include "kernel/core/invalid_input.h"
#include "refusal.h"

namespace mollify {
namespace {

using test::band_with_zeros;

using Lowers = std::vector<std::uint64_t>;

template <class... Arguments>
std::string refusal_of_band(const Arguments&... arguments) {
  return test::refusal_of([&] { static_cast<void>(Band::make(arguments...)); });
}

TEST(Band, UpperBoundsAreTheGreatestThatEbarAllows) {
  const ExpBound bound(1.5);
  const Band band = Band::make(Lowers{63, 126, 313}, bound, 1000);
  EXPECT_FALSE(band.is_uniform());
  EXPECT_TRUE(test::keeps_promises(band));
  EXPECT_EQ(band.upper(0), 282u);  // 63 e^1.5 = 282.35
  EXPECT_EQ(band.upper(1), 564u);  // 126 e^1.5 = 564.69
  EXPECT_EQ(band.upper(2), 1000u);
  const Band same = Band::make(3, 100, bound, 1000);
  EXPECT_TRUE(same.is_uniform());
  EXPECT_TRUE(test::keeps_promises(same));
  EXPECT_EQ(same.upper(2), 448u);
}

TEST(Band, OneOutcomeThatCanOccurIsAlwaysReleased) {
  for (std::size_t only = 0; only < 3; ++only) {
    std::vector<double> masses(3, 0.0);
    masses[only] = 2;
    const Band band = band_with_zeros(masses, 0.9, 0.1);
    EXPECT_TRUE(test::keeps_promises(band));
    EXPECT_EQ(band.lower(only), band.total());
    EXPECT_EQ(band.upper((only + 1) % 3), 0u);
  }
}

TEST(Band, SumsAndPlacesAreThoseOfAWalkOverTheLowerBounds) {
  std::mt19937_64 random(3);
  for (const std::size_t k : {1U, 2U, 63U, 64U, 65U, 127U, 128U, 129U, 1000U}) {
    Lowers lowers(k);
    for (std::uint64_t& lower : lowers) lower = random() % 3 == 0 ? 0 : 1 + random() % 5;
    lowers[random() % k] += 7;
    const std::uint64_t sum = std::accumulate(lowers.begin(), lowers.end(), std::uint64_t{0});
    const Band band = Band::make(lowers, ExpBound(2), sum + sum / 2);
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < k; ++i) {
      ASSERT_EQ(band.lower_before(i), before) << k;
      for (std::uint64_t part = 0; part < lowers[i]; ++part) {
        ASSERT_EQ(band.outcome_at(before + part), i) << k;
      }
      before += lowers[i];
    }
    ASSERT_EQ(band.lower_before(k), sum);
  }
}

TEST(Band, OutcomesWithLowerBoundZeroHaveNoParts) {
  const std::vector<double> even = {0, 1, 1, 0, 0, 1}, uneven = {0, 0.5, 0.25, 0, 0, 0.25};
  const Band uniform = band_with_zeros(even, 0.8, 1, 300);
  const Band weighted = band_with_zeros(uneven, 0.8, 1, 300);
  for (const Band* band : {&uniform, &weighted}) {
    EXPECT_TRUE(test::keeps_promises(*band));
    for (const std::size_t i : {0u, 3u, 4u}) {
      EXPECT_EQ(band->lower(i), 0u);
      EXPECT_EQ(band->upper(i), 0u);
    }
    for (std::uint64_t p = 0; p < band->lower_before(6); ++p) {
      const std::size_t i = band->outcome_at(p);
      EXPECT_LE(band->lower_before(i), p);
      EXPECT_LT(p, band->lower_before(i + 1));
    }
  }
  EXPECT_EQ(uniform.lower(1), 81u);    // a hair above 80
  EXPECT_EQ(weighted.lower(1), 121u);  // and above 120
}

TEST(Band, RefusesIntegersInOneSentence) {
  const ExpBound bound(1);
  EXPECT_EQ(refusal_of_band(Lowers{}, bound),
            "the number of outcomes must be from 1 to 16777216, but is 0");
  EXPECT_EQ(refusal_of_band(Band::kMostOutcomes + 1, std::uint64_t{1}, bound),
            "the number of outcomes must be from 1 to 16777216, but is 16777217");
  EXPECT_EQ(refusal_of_band(Lowers{1}, bound, std::uint64_t{0}),
            "the total must be from 1 to 2^62, but is 0");
  EXPECT_EQ(refusal_of_band(Lowers{1}, bound, Band::kGreatestTotal + 1),
            "the total must be from 1 to 2^62, but is 4611686018427387905");
  const std::string above =
      "no table of 9 parts fits a band of 2 outcomes at epsilon = 1: the lower bounds sum to more "
      "than the whole";
  EXPECT_EQ(refusal_of_band(Lowers{4, 6}, bound, std::uint64_t{9}), above);
  EXPECT_EQ(refusal_of_band(std::size_t{2}, std::uint64_t{5}, bound, std::uint64_t{9}), above);
  // The sums of these are 2^64 and its double, which 64 bits would take for 0.
  const std::uint64_t half = std::uint64_t{1} << 63;
  EXPECT_EQ(refusal_of_band(Lowers{half, half}, bound, std::uint64_t{9}), above);
  EXPECT_EQ(refusal_of_band(std::size_t{2}, half, bound, std::uint64_t{9}), above);
  EXPECT_EQ(refusal_of_band(Lowers{1, 2}, bound, std::uint64_t{9}),
            "no table of 9 parts fits a band of 2 outcomes at epsilon = 1: the upper bounds sum to "
            "less than the whole");
  EXPECT_EQ(refusal_of_band(std::size_t{2}, std::uint64_t{0}, bound, std::uint64_t{9}),
            "no table of 9 parts fits a band of 2 outcomes at epsilon = 1: the upper bounds sum to "
            "less than the whole");
}

/// Whatever the integers, a band is refused or keeps its promises.
RC_GTEST_PROP(Band, AnyIntegersAreRefusedOrKeepTheirPromises, ()) {
  const auto total = *rc::gen::inRange<std::uint64_t>(1, 1000);
  const auto lowers = *rc::gen::container<Lowers>(rc::gen::inRange<std::uint64_t>(0, 200));
  const ExpBound bound(std::exp(*rc::gen::inRange(-1300, 340) * 0.01));
  const bool refused = refusal_of_band(lowers, bound, total) != "accepted";
  RC_CLASSIFY(refused);
  if (!refused) {
    const ::testing::AssertionResult result =
        test::keeps_promises(Band::make(lowers, bound, total));
    if (!result) RC_FAIL(result.message());
  }
}

// A table reads its band's bounds and total for as long as it lives.
static_assert(!std::is_copy_assignable_v<Band> && !std::is_move_assignable_v<Band>);

}  // namespace
}  // namespace mollify
