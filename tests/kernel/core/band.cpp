#include "kernel/core/band.h"

#include <rapidcheck.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kernel/core/invalid_input.h"
#include "not_finite.h"
#include "sanitized.h"

namespace mollify {
namespace {

using test::kInfinity;
using test::kNan;

std::string band_refusal(const BandSpec& spec) {
  try {
    Band::make(spec);
  } catch (const InvalidInput& refused) {
    return refused.what();
  }
  return "accepted";
}

double floor_of_minimax(std::size_t k, double epsilon) {
  return static_cast<double>(k) / (std::expm1(epsilon) + static_cast<double>(k));
}

/// Everything that Band promises, in integers.
::testing::AssertionResult keeps_promises(const Band& band) {
  uint128 lower_sum = 0;
  uint128 upper_sum = 0;
  for (std::size_t i = 0; i < band.outcome_count(); ++i) {
    const std::uint64_t lower = band.lower(i);
    const std::uint64_t upper = band.upper(i);
    if (lower > upper || upper > band.total()) {
      return ::testing::AssertionFailure() << "bounds of outcome " << i << " are out of order";
    }
    if (!band.bound().allows(upper, lower)) {
      return ::testing::AssertionFailure() << "upper > Ebar lower at outcome " << i;
    }
    // The upper bound wastes nothing either: one part more would be too many.
    if (upper < band.total() && lower > 0 && band.bound().allows(upper + 1, lower)) {
      return ::testing::AssertionFailure() << "upper is needlessly low at outcome " << i;
    }
    if (band.lower_before(i) != static_cast<std::uint64_t>(lower_sum)) {
      return ::testing::AssertionFailure() << "lower_before is wrong at outcome " << i;
    }
    if (lower > 0 && (band.outcome_at(band.lower_before(i)) != i ||
                      band.outcome_at(band.lower_before(i) + lower / 2) != i ||
                      band.outcome_at(band.lower_before(i) + lower - 1) != i)) {
      return ::testing::AssertionFailure() << "outcome_at does not invert lower_before at " << i;
    }
    lower_sum += lower;
    upper_sum += upper;
  }
  if (band.lower_before(band.outcome_count()) != static_cast<std::uint64_t>(lower_sum)) {
    return ::testing::AssertionFailure() << "lower_before(k) is not the sum";
  }
  if (lower_sum > band.total() || upper_sum < band.total()) {
    return ::testing::AssertionFailure() << "no table fits";
  }
  return ::testing::AssertionSuccess();
}

TEST(Band, UniformMinimaxKeepsItsPromises) {
  for (const double epsilon : {1e-6, 1e-3, 0.1, 1.0, 5.0, 20.0, 30.0, 42.5}) {
    for (const std::size_t k :
         {1u, 2u, 3u, 10u, 1000u, test::whole_or_sanitized(1'000'000u, 30'000u),
          1u << test::whole_or_sanitized(24u, 18u)}) {
      const double counted = std::fmin(epsilon, 30.0);
      const Band band = Band::make(
          {.outcome_count = k, .floor = floor_of_minimax(k, counted), .epsilon = epsilon});
      EXPECT_TRUE(band.is_uniform());
      EXPECT_TRUE(keeps_promises(band)) << "k = " << k << ", epsilon = " << epsilon;
    }
  }
}

TEST(Band, AnyReferenceKeepsItsPromises) {
  std::mt19937_64 random(1);
  for (const double epsilon : {1e-6, 1e-3, 0.1, 1.0, 5.0, 20.0}) {
    for (const std::size_t k : {2u, 3u, 10u, 1000u, 1u << 18}) {
      std::vector<double> reference(k);
      for (double& mass : reference) {
        mass = std::exp(10 * std::uniform_real_distribution<double>()(random));
      }
      const Band band =
          Band::make({.reference = reference, .floor = std::exp(-epsilon / 2), .epsilon = epsilon});
      EXPECT_FALSE(band.is_uniform());
      EXPECT_TRUE(keeps_promises(band)) << "k = " << k << ", epsilon = " << epsilon;
    }
  }
}

TEST(Band, LowerBoundsAreTheSharesAndAHairRoundedUp) {
  const std::vector<double> reference = {1, 2, 5};
  const Band band =
      Band::make({.reference = reference, .floor = 0.5, .epsilon = 1.5, .total = 1000});
  EXPECT_EQ(band.lower(0), 63u);   // 1000 * 0.5 * 1/8 = 62.5
  EXPECT_EQ(band.lower(1), 126u);  // 125 and a hair
  EXPECT_EQ(band.lower(2), 313u);  // 312.5
  EXPECT_EQ(band.upper(0), 282u);  // 63 e^1.5 = 282.35
  EXPECT_EQ(band.upper(1), 564u);  // 126 e^1.5 = 564.69
  EXPECT_EQ(band.upper(2), 1000u);
  const Band uniform =
      Band::make({.outcome_count = 3, .floor = 0.001, .epsilon = 30, .total = 2000});
  EXPECT_EQ(uniform.lower(1), 1u);  // a floor of less than one part is one part
  EXPECT_EQ(uniform.upper(1), 2000u);
}

// Where rounding up would leave no room for a table, the shares are rounded down.
TEST(Band, LowerBoundsAreRoundedDownNextToOne) {
  const Band uniform = Band::make({.outcome_count = 3, .floor = 0.99, .epsilon = 1, .total = 10});
  EXPECT_EQ(uniform.lower(0), 3u);  // 3.3; three times 4 would exceed 10
  EXPECT_EQ(uniform.upper(0), 8u);
  const std::vector<double> reference = {1, 1, 2};
  const Band weighted =
      Band::make({.reference = reference, .floor = 0.99, .epsilon = 1, .total = 10});
  EXPECT_EQ(weighted.lower(0), 2u);  // 2.475; 3 + 3 + 5 would exceed 10
  EXPECT_EQ(weighted.lower(2), 4u);
}

TEST(Band, OneOutcomeIsAlwaysReleased) {
  const Band one = Band::make({.outcome_count = 1, .floor = 0.5, .epsilon = 1});
  EXPECT_EQ(one.lower(0), one.total());
  EXPECT_EQ(one.upper(0), one.total());
  EXPECT_TRUE(keeps_promises(one));
  const std::vector<double> certain = {7};
  EXPECT_TRUE(keeps_promises(Band::make({.reference = certain, .floor = 0.5, .epsilon = 1})));

  for (std::uint32_t only = 0; only < 3; ++only) {
    std::vector<std::uint32_t> zeros;
    std::vector<double> reference(3, 0.0);
    reference[only] = 2;
    for (std::uint32_t i = 0; i < 3; ++i) {
      if (i != only) zeros.push_back(i);
    }
    for (const std::span<const double> given : {std::span<const double>(reference), {}}) {
      const Band band = Band::make({.outcome_count = 3,
                                    .reference = given,
                                    .structural_zeros = zeros,
                                    .floor = 0.9,
                                    .epsilon = 0.1});
      EXPECT_TRUE(keeps_promises(band));
      EXPECT_EQ(band.lower(only), band.total());
      EXPECT_EQ(band.upper((only + 1) % 3), 0u);
    }
  }
}

TEST(Band, StructuralZerosHaveNoParts) {
  const std::vector<std::uint32_t> zeros = {0, 3, 4};
  const Band uniform = Band::make(
      {.outcome_count = 6, .structural_zeros = zeros, .floor = 0.8, .epsilon = 1, .total = 300});
  const std::vector<double> reference = {0, 0.5, 0.25, 0, 0, 0.25};
  const Band weighted = Band::make({.reference = reference,
                                    .structural_zeros = zeros,
                                    .floor = 0.8,
                                    .epsilon = 1,
                                    .total = 300});
  for (const Band* band : {&uniform, &weighted}) {
    EXPECT_TRUE(keeps_promises(*band));
    for (const std::uint32_t i : zeros) {
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

TEST(Band, RefusesInOneSentence) {
  const std::vector<double> two = {0.5, 0.5};
  const std::vector<double> with_zero = {0.5, 0, 0.5};
  const std::vector<double> negative = {0.5, -0.25};
  const std::vector<double> infinite = {kInfinity, 1};
  const std::vector<double> nan = {1, kNan};
  const std::vector<double> overflowing = {1e308, 1e308};
  const std::vector<std::uint32_t> middle = {1};
  const std::vector<std::uint32_t> descending = {1, 0};
  const std::vector<std::uint32_t> twice = {1, 1};
  const std::vector<std::uint32_t> beyond = {2};
  const std::vector<std::uint32_t> both = {0, 1};

  EXPECT_EQ(band_refusal({.outcome_count = 2, .floor = 0.5, .epsilon = -1}),
            "epsilon must be finite and positive, but is -1");
  EXPECT_EQ(band_refusal({.floor = 0.5, .epsilon = 1}),
            "the number of outcomes must be from 1 to 16777216, but is 0");
  EXPECT_EQ(band_refusal({.outcome_count = (1 << 24) + 1, .floor = 0.5, .epsilon = 1}),
            "the number of outcomes must be from 1 to 16777216, but is 16777217");
  EXPECT_EQ(band_refusal({.outcome_count = 3, .reference = two, .floor = 0.5, .epsilon = 1}),
            "the reference must have one mass for each of the 3 outcomes, but has 2");
  for (const double floor : {0.0, -0.5}) {
    EXPECT_EQ(band_refusal({.outcome_count = 2, .floor = floor, .epsilon = 1}),
              std::string("the band's floor b must be above 0 and below 1, but is ") +
                  (floor == 0 ? "0" : "-0.5"));
  }
  EXPECT_EQ(band_refusal({.outcome_count = 2, .floor = 1, .epsilon = 1}),
            "the band's floor b must be above 0 and below 1, but is 1");
  EXPECT_EQ(band_refusal({.outcome_count = 2, .floor = kNan, .epsilon = 1}),
            "the band's floor b must be above 0 and below 1, but is nan");
  EXPECT_EQ(band_refusal({.outcome_count = 2, .floor = 0.5, .epsilon = 1, .total = 0}),
            "the total must be from 1 to 2^62, but is 0");
  EXPECT_EQ(
      band_refusal(
          {.outcome_count = 2, .floor = 0.5, .epsilon = 1, .total = Band::kGreatestTotal + 1}),
      "the total must be from 1 to 2^62, but is 4611686018427387905");
  EXPECT_EQ(band_refusal({.reference = with_zero, .floor = 0.5, .epsilon = 1}),
            "the reference mass of outcome 1 must be finite and positive, but is 0");
  EXPECT_EQ(band_refusal({.reference = negative, .floor = 0.5, .epsilon = 1}),
            "the reference mass of outcome 1 must be finite and positive, but is -0.25");
  EXPECT_EQ(band_refusal({.reference = infinite, .floor = 0.5, .epsilon = 1}),
            "the reference mass of outcome 0 must be finite and positive, but is inf");
  EXPECT_EQ(band_refusal({.reference = nan, .floor = 0.5, .epsilon = 1}),
            "the reference mass of outcome 1 must be finite and positive, but is nan");
  EXPECT_EQ(band_refusal({.reference = overflowing, .floor = 0.5, .epsilon = 1}),
            "the reference masses must have a finite sum");
  EXPECT_EQ(
      band_refusal({.reference = two, .structural_zeros = middle, .floor = 0.5, .epsilon = 1}),
      "the reference mass of outcome 1, a structural zero, must be 0, but is 0.5");
  EXPECT_EQ(band_refusal(
                {.outcome_count = 3, .structural_zeros = descending, .floor = 0.5, .epsilon = 1}),
            "structural zeros must be ascending outcomes below 3, but entry 1 is 0");
  EXPECT_EQ(
      band_refusal({.outcome_count = 3, .structural_zeros = twice, .floor = 0.5, .epsilon = 1}),
      "structural zeros must be ascending outcomes below 3, but entry 1 is 1");
  EXPECT_EQ(
      band_refusal({.outcome_count = 2, .structural_zeros = beyond, .floor = 0.5, .epsilon = 1}),
      "structural zeros must be ascending outcomes below 2, but entry 0 is 2");
  EXPECT_EQ(
      band_refusal({.outcome_count = 2, .structural_zeros = both, .floor = 0.5, .epsilon = 1}),
      "at least one outcome must not be a structural zero, but none is left");
  EXPECT_EQ(band_refusal({.outcome_count = 10, .floor = 0.5, .epsilon = 0.1}),
            "no table of 4611686018427387904 parts fits a band of 10 outcomes with floor b = 0.5 "
            "at epsilon = 0.1: the upper bounds sum to less than the whole");
  EXPECT_EQ(band_refusal({.outcome_count = 10, .floor = 0.5, .epsilon = 1, .total = 9}),
            "no table of 9 parts fits a band of 10 outcomes with floor b = 0.5 at epsilon = 1: "
            "the lower bounds sum to more than the whole");
}

/// Whatever the spec, a band is refused or keeps its promises.
RC_GTEST_PROP(Band, IsRefusedOrKeepsItsPromises, ()) {
  const auto k = *rc::gen::inRange<std::size_t>(1, 40);
  std::vector<double> reference;
  for (std::size_t i = 0; i < k; ++i)
    reference.push_back(std::ldexp(1, *rc::gen::inRange(-60, 60)));
  std::vector<std::uint32_t> zeros;
  for (std::uint32_t i = 0; i < k; ++i) {
    if (*rc::gen::inRange(0, 5) != 0) continue;
    zeros.push_back(i);
    reference[i] = 0;
  }
  const bool uniform = *rc::gen::arbitrary<bool>();
  const double epsilon = std::exp(*rc::gen::inRange(-1300, 340) * 0.01);
  const double floor = std::exp(-*rc::gen::inRange(1, 110) * 0.01 * std::fmin(epsilon, 30));
  const auto bits = *rc::gen::inRange(0, 52);
  const std::uint64_t total = (*rc::gen::arbitrary<std::uint64_t>() >> 2 >> bits) + 1;
  const BandSpec spec = {.outcome_count = k,
                         .reference = uniform ? std::span<const double>() : reference,
                         .structural_zeros = zeros,
                         .floor = floor,
                         .epsilon = epsilon,
                         .total = total};
  const bool refused = band_refusal(spec) != "accepted";
  RC_CLASSIFY(refused);
  if (!refused) {
    const ::testing::AssertionResult result = keeps_promises(Band::make(spec));
    if (!result) RC_FAIL(result.message());
  }
}

// A table reads its band's bounds and total for as long as it lives.
static_assert(!std::is_copy_assignable_v<Band> && !std::is_move_assignable_v<Band>);

}  // namespace
}  // namespace mollify
