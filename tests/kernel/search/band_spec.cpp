#include "kernel/search/band_spec.h"

#include <rapidcheck.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "every_lanes.h"
#include "kernel/bands.h"
#include "kernel/core/invalid_input.h"
#include "kernel/search/band_lanes.h"
#include "not_finite.h"
#include "refusal.h"
#include "sanitized.h"

namespace mollify {
namespace {

using test::keeps_promises;
using test::kInfinity;
using test::kNan;

std::string band_refusal(const BandSpec& spec) {
  return test::refusal_of([&] { static_cast<void>(make_band(spec)); });
}

double floor_of_minimax(std::size_t k, double epsilon) {
  return static_cast<double>(k) / (std::expm1(epsilon) + static_cast<double>(k));
}

TEST(BandSpec, UniformMinimaxKeepsItsPromises) {
  for (const double epsilon : {1e-6, 1e-3, 0.1, 1.0, 5.0, 20.0, 30.0, 42.5}) {
    for (const std::size_t k :
         {1u, 2u, 3u, 10u, 1000u, test::whole_or_sanitized(1'000'000u, 30'000u),
          1u << test::whole_or_sanitized(24u, 18u)}) {
      const double counted = std::fmin(epsilon, 30.0);
      const Band band = make_band(
          {.outcome_count = k, .floor = floor_of_minimax(k, counted), .epsilon = epsilon});
      EXPECT_TRUE(band.is_uniform());
      EXPECT_TRUE(keeps_promises(band)) << "k = " << k << ", epsilon = " << epsilon;
    }
  }
}

TEST(BandSpec, AnyReferenceKeepsItsPromises) {
  std::mt19937_64 random(1);
  for (const double epsilon : {1e-6, 1e-3, 0.1, 1.0, 5.0, 20.0}) {
    for (const std::size_t k : {2u, 3u, 10u, 1000u, 1u << 18}) {
      std::vector<double> reference(k);
      for (double& mass : reference) {
        mass = std::exp(10 * std::uniform_real_distribution<double>()(random));
      }
      const Band band =
          make_band({.reference = reference, .floor = std::exp(-epsilon / 2), .epsilon = epsilon});
      EXPECT_FALSE(band.is_uniform());
      EXPECT_TRUE(keeps_promises(band)) << "k = " << k << ", epsilon = " << epsilon;
    }
  }
}

TEST(BandSpec, LowerBoundsAreTheSharesAndAHairRoundedUp) {
  const std::vector<double> reference = {1, 2, 5};
  const Band band =
      make_band({.reference = reference, .floor = 0.5, .epsilon = 1.5, .total = 1000});
  EXPECT_EQ(band.lower(0), 63u);   // 1000 * 0.5 * 1/8 = 62.5
  EXPECT_EQ(band.lower(1), 126u);  // 125 and a hair
  EXPECT_EQ(band.lower(2), 313u);  // 312.5
  EXPECT_EQ(band.upper(0), 282u);  // 63 e^1.5 = 282.35
  EXPECT_EQ(band.upper(1), 564u);  // 126 e^1.5 = 564.69
  EXPECT_EQ(band.upper(2), 1000u);
  const Band uniform =
      make_band({.outcome_count = 3, .floor = 0.001, .epsilon = 30, .total = 2000});
  EXPECT_EQ(uniform.lower(1), 1u);  // a floor of less than one part is one part
  EXPECT_EQ(uniform.upper(1), 2000u);
}

/// max(1, ceil or floor of the share), one outcome after the other.
std::uint64_t lower_of(double scaled, const detail::LowerRule& rule) {
  const double rounded = rule.is_generous ? std::ceil(scaled) : std::floor(scaled);
  return static_cast<std::uint64_t>(std::fmin(std::fmax(rounded, 1), 0x1p62));
}
std::uint64_t lower_of_double(double mass, const detail::LowerRule& rule) {
  const double hair = rule.is_generous ? 1 + 0x1p-39 : 1;
  return lower_of(rule.floor * (mass / rule.mass_sum) * rule.total * hair, rule);
}
std::uint64_t lower_of_float(float mass, const detail::LowerRule& rule) {
  const double hair = rule.is_generous ? 1 + 0x1p-39 : 1;
  return lower_of(static_cast<double>(mass) * (rule.floor / rule.mass_sum * rule.total * hair),
                  rule);
}

TEST(BandSpec, LanesMakeTheBoundsThatOneAtATimeMakes) {
  const auto every = test::every_lanes<detail::BandLanes>();
  std::mt19937_64 random(6);
  const auto unit = [&] { return std::uniform_real_distribution<double>()(random); };
  for (std::size_t size = 1; size < 300; ++size) {
    std::vector<double> masses(size);
    std::vector<float> floats(size);
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) {
      masses[i] = size % 3 == 0 ? 1 : std::exp((size % 3 == 1 ? 60 : 4) * unit());
      floats[i] = static_cast<float>(masses[i]);
      sum += masses[i];
    }
    const detail::LowerRule rule{size % 5 == 0 ? 0.999999 : unit(), sum,
                                 size % 2 == 0 ? 0x1p62 : std::floor(1e6 * unit()), size % 7 != 0};
    uint128 of_doubles = 0, of_floats = 0;
    std::vector<std::uint64_t> doubles_lowers, floats_lowers;
    for (std::size_t i = 0; i < size; ++i) {
      doubles_lowers.push_back(lower_of_double(masses[i], rule));
      floats_lowers.push_back(lower_of_float(floats[i], rule));
      EXPECT_NEAR(static_cast<double>(floats_lowers.back()),
                  static_cast<double>(lower_of_double(static_cast<double>(floats[i]), rule)),
                  1 + 0x1p-50 * static_cast<double>(floats_lowers.back()));
      of_doubles += doubles_lowers.back();
      of_floats += floats_lowers.back();
    }
    for (const auto& [name, lanes] : every) {
      SCOPED_TRACE(name);
      std::vector<std::uint64_t> lowers(size);
      EXPECT_TRUE(lanes.lowers_of_doubles(rule, masses.data(), size, lowers.data()) == of_doubles);
      EXPECT_EQ(lowers, doubles_lowers) << size;
      EXPECT_TRUE(lanes.lowers_of_floats(rule, floats.data(), size, lowers.data()) == of_floats);
      EXPECT_EQ(lowers, floats_lowers) << size;
    }
    const double float_sum = detail::BandLanes::kBaseline.sum_of_floats(floats.data(), size);
    EXPECT_NEAR(float_sum / sum, 1, 1e-7);
    for (const auto& [name, lanes] : every) {
      SCOPED_TRACE(name);
      EXPECT_EQ(lanes.sum_of_floats(floats.data(), size), float_sum) << size;
      for (const float wrong :
           {0.0F, -1.0F, static_cast<float>(kInfinity), static_cast<float>(kNan)}) {
        std::vector<float> others = floats;
        others[random() % size] = wrong;
        EXPECT_TRUE(std::isnan(lanes.sum_of_floats(others.data(), size))) << size << ' ' << wrong;
      }
    }
  }
}

TEST(BandSpec, AReferenceMayBeInSinglePrecision) {
  const std::vector<float> floats = {1, 2, 5};
  const std::vector<double> doubles = {1, 2, 5};
  const Band band = make_band({.float_reference = floats, .floor = 0.5, .epsilon = 1.5});
  const Band same = make_band({.reference = doubles, .floor = 0.5, .epsilon = 1.5});
  EXPECT_TRUE(keeps_promises(band));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(band.lower(i), same.lower(i));
    EXPECT_EQ(band.upper(i), same.upper(i));
  }
  EXPECT_EQ(
      band_refusal({.reference = doubles, .float_reference = floats, .floor = 0.5, .epsilon = 1}),
      "the reference must be given once, but is in double and single precision");
  const std::vector<float> negative = {1, -2};
  EXPECT_EQ(band_refusal({.float_reference = negative, .floor = 0.5, .epsilon = 1}),
            "the reference mass of outcome 1 must be finite and positive, but is -2");
  const std::vector<float> one = {3};
  EXPECT_EQ(make_band({.float_reference = one, .floor = 0.5, .epsilon = 1}).lower(0),
            Band::kGreatestTotal);
}

// Where rounding up would leave no room for a table, the shares are rounded down.
TEST(BandSpec, LowerBoundsAreRoundedDownNextToOne) {
  const Band uniform = make_band({.outcome_count = 3, .floor = 0.99, .epsilon = 1, .total = 10});
  EXPECT_EQ(uniform.lower(0), 3u);  // 3.3; three times 4 would exceed 10
  EXPECT_EQ(uniform.upper(0), 8u);
  const std::vector<double> reference = {1, 1, 2};
  const Band weighted =
      make_band({.reference = reference, .floor = 0.99, .epsilon = 1, .total = 10});
  EXPECT_EQ(weighted.lower(0), 2u);  // 2.475; 3 + 3 + 5 would exceed 10
  EXPECT_EQ(weighted.lower(2), 4u);
}

TEST(BandSpec, OneOutcomeIsAlwaysReleased) {
  const Band one = make_band({.outcome_count = 1, .floor = 0.5, .epsilon = 1});
  EXPECT_EQ(one.lower(0), one.total());
  EXPECT_EQ(one.upper(0), one.total());
  EXPECT_TRUE(keeps_promises(one));
  const std::vector<double> certain = {7};
  EXPECT_TRUE(keeps_promises(make_band({.reference = certain, .floor = 0.5, .epsilon = 1})));
}

TEST(BandSpec, RefusesInOneSentence) {
  const std::vector<double> two = {0.5, 0.5};
  const std::vector<double> with_zero = {0.5, 0, 0.5};
  const std::vector<double> negative = {0.5, -0.25};
  const std::vector<double> infinite = {kInfinity, 1};
  const std::vector<double> nan = {1, kNan};
  const std::vector<double> overflowing = {1e308, 1e308};

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
  EXPECT_EQ(band_refusal({.outcome_count = 10, .floor = 0.5, .epsilon = 0.1}),
            "no table of 4611686018427387904 parts fits a band of 10 outcomes at epsilon = 0.1: "
            "the upper bounds sum to less than the whole");
  EXPECT_EQ(band_refusal({.outcome_count = 10, .floor = 0.5, .epsilon = 1, .total = 9}),
            "no table of 9 parts fits a band of 10 outcomes at epsilon = 1: "
            "the lower bounds sum to more than the whole");
}

/// Whatever the spec, a band is refused or keeps its promises.
RC_GTEST_PROP(BandSpec, IsRefusedOrKeepsItsPromises, ()) {
  const auto k = *rc::gen::inRange<std::size_t>(1, 40);
  std::vector<double> reference;
  for (std::size_t i = 0; i < k; ++i)
    reference.push_back(std::ldexp(1, *rc::gen::inRange(-60, 60)));
  const bool uniform = *rc::gen::arbitrary<bool>();
  const double epsilon = std::exp(*rc::gen::inRange(-1300, 340) * 0.01);
  const double floor = std::exp(-*rc::gen::inRange(1, 110) * 0.01 * std::fmin(epsilon, 30));
  const auto bits = *rc::gen::inRange(0, 52);
  const std::uint64_t total = (*rc::gen::arbitrary<std::uint64_t>() >> 2 >> bits) + 1;
  const BandSpec spec = {.outcome_count = k,
                         .reference = uniform ? std::span<const double>() : reference,
                         .floor = floor,
                         .epsilon = epsilon,
                         .total = total};
  const bool refused = band_refusal(spec) != "accepted";
  RC_CLASSIFY(refused);
  if (!refused) {
    const ::testing::AssertionResult result = keeps_promises(make_band(spec));
    if (!result) RC_FAIL(result.message());
  }
}

}  // namespace
}  // namespace mollify
