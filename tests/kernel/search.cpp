#include "kernel/search.h"

#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/ranges.h"
#include "core/table.h"
#include "every_lanes.h"
#include "kernel/bands.h"
#include "kernel/hostile_scores.h"
#include "kernel/reference_law.h"
#include "kernel/search_lanes.h"
#include "kernel/table_contract.h"
#include "methods/local/bands.h"
#include "not_finite.h"
#include "refusal.h"
#include "sanitized.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Band spec.

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
  const auto every = test::every_lanes<detail::SearchLanes>();
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
    std::vector<std::uint64_t> doubles_lowers, floats_lowers;
    for (std::size_t i = 0; i < size; ++i) {
      doubles_lowers.push_back(lower_of_double(masses[i], rule));
      floats_lowers.push_back(lower_of_float(floats[i], rule));
      EXPECT_NEAR(static_cast<double>(floats_lowers.back()),
                  static_cast<double>(lower_of_double(static_cast<double>(floats[i]), rule)),
                  1 + 0x1p-50 * static_cast<double>(floats_lowers.back()));
    }
    for (const auto& [name, lanes] : every) {
      SCOPED_TRACE(name);
      std::vector<std::uint64_t> lowers(size);
      lanes.of_double.lowers(rule, masses.data(), size, lowers.data());
      EXPECT_EQ(lowers, doubles_lowers) << size;
      lanes.of_float.lowers(rule, floats.data(), size, lowers.data());
      EXPECT_EQ(lowers, floats_lowers) << size;
    }
    EXPECT_NEAR(detail::validated_mass_sum(floats) / sum, 1, 1e-7);
    for (const float wrong :
         {0.0F, -1.0F, static_cast<float>(kInfinity), static_cast<float>(kNan)}) {
      std::vector<float> others = floats;
      const std::size_t at = random() % size;
      others[at] = wrong;
      EXPECT_EQ(test::refusal_of([&] { static_cast<void>(detail::validated_mass_sum(others)); }),
                "the reference mass of outcome " + std::to_string(at) +
                    " must be finite and positive, but is " +
                    detail::shortest(static_cast<double>(wrong)));
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

// -----------------------------------------------------------------------------------------------
// Projection.

namespace {

using test::kNan;

using test::kInfinity;

using test::reference_law;
using test::scores_of;
using test::Shape;
using test::worst_deviation;

double minimax_floor(std::size_t k, double epsilon) {
  return static_cast<double>(k) / (std::expm1(epsilon) + static_cast<double>(k));
}

/// References from even to so uneven that the least mass is 1e-9 of the greatest.
std::vector<double> uneven_reference(std::size_t k, double spread, std::mt19937_64& random) {
  std::vector<double> reference(k);
  for (double& mass : reference) {
    mass = std::exp(std::uniform_real_distribution<double>(-spread, 0)(random));
  }
  return reference;
}

/// Worst deviation over the shapes, and the contract for all of them. Doubles of any exponent are
/// beyond what is promised of the law: some are lost beside the greatest.
template <class Score>
double worst_over_shapes(const Band& band, std::mt19937_64& random, const std::string& what) {
  double worst = 0;
  Table table(band);
  for (int shape = 0; shape < test::kShapes; ++shape) {
    const std::vector<Score> scores =
        scores_of<Score>(static_cast<Shape>(shape), band.outcome_count(), random);
    project(table, scores);
    EXPECT_TRUE(test::keeps_contract(band, table.numerators())) << what;
    if (sizeof(Score) == 8 && static_cast<Shape>(shape) == Shape::kAnyExponent) continue;
    const std::vector<long double> law = reference_law<Score>(band, scores);
    const double deviation = worst_deviation(table.numerators(), law);
    EXPECT_LE(deviation, 1) << what << ", shape " << shape;
    worst = std::max(worst, deviation);
  }
  return worst;
}

template <class Score>
void meets_the_law(std::size_t most, int rounds) {
  std::mt19937_64 random(most);
  double worst = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::size_t k = 2 + random() % most;
    const double epsilon = std::exp(std::uniform_real_distribution<double>(-4, 2.5)(random));
    const std::string what = "k = " + std::to_string(k) + ", epsilon = " + std::to_string(epsilon);
    const double floor = round % 2 == 0 ? minimax_floor(k, epsilon) : std::exp(-epsilon / 2);
    worst = std::max(worst, worst_over_shapes<Score>(
                                make_band({.outcome_count = k, .floor = floor, .epsilon = epsilon}),
                                random, what + ", uniform"));
    const double spread = round % 3 == 0 ? 1 : round % 3 == 1 ? 6 : 20;
    const std::vector<double> reference = uneven_reference(k, spread, random);
    worst = std::max(worst, worst_over_shapes<Score>(make_band({.reference = reference,
                                                                .floor = std::exp(-epsilon / 2),
                                                                .epsilon = epsilon}),
                                                     random, what + ", uneven"));
  }
  std::printf("worst deviation %.3g of what is allowed, seed %zu\n", worst, most);
}

constexpr int kLargeRounds = test::whole_or_sanitized(6, 1);

TEST(Projection, FewDoublesMeetTheLaw) { meets_the_law<double>(12, 400); }
TEST(Projection, FewFloatsMeetTheLaw) { meets_the_law<float>(12, 400); }
TEST(Projection, HundredsOfDoublesMeetTheLaw) { meets_the_law<double>(1000, 30); }
TEST(Projection, ThousandsOfDoublesMeetTheLaw) { meets_the_law<double>(20'000, kLargeRounds); }
TEST(Projection, ThousandsOfFloatsMeetTheLaw) { meets_the_law<float>(20'000, kLargeRounds); }

/// Sizes at which single precision has passes of its own, under uneven references.
TEST(Projection, ManyFloatsByEightsMeetTheLaw) {
  std::mt19937_64 random(32);
  for (const double spread : test::whole_or_sanitized<std::vector<double>>({1, 6, 20}, {20})) {
    for (const double epsilon : {1e-3, 0.5, 4.0, 16.0}) {
      const std::size_t k = 8192 + 8 * (random() % test::whole_or_sanitized(1000u, 10u));
      const std::vector<double> reference = uneven_reference(k, spread, random);
      const Band band =
          make_band({.reference = reference, .floor = std::exp(-epsilon / 2), .epsilon = epsilon});
      worst_over_shapes<float>(
          band, random,
          "spread " + std::to_string(spread) + ", epsilon " + std::to_string(epsilon));
    }
  }
}

TEST(Projection, LargestMeasuredSizeMeetsTheLaw) {
  std::mt19937_64 random(17);
  const std::size_t k = 131'072;
  for (const double epsilon : {0.1, 5.0}) {
    const Band band =
        make_band({.outcome_count = k, .floor = minimax_floor(k, epsilon), .epsilon = epsilon});
    Table table(band);
    for (const Shape shape : {Shape::kUniform, Shape::kHeavyTail, Shape::kFewPositive}) {
      const std::vector<float> scores = scores_of<float>(shape, k, random);
      project(table, scores);
      const double deviation =
          worst_deviation(table.numerators(), reference_law<float>(band, scores));
      std::printf("epsilon %g: worst deviation %.3g of what is allowed\n", epsilon, deviation);
      EXPECT_LE(deviation, 1);
    }
  }
}

// P on one outcome of two, at an epsilon where both fit: no scale of P sums to one, because its
// outcome is already at its upper bound (docs/theory/band.md, the missing case).
TEST(Projection, SharesTheRestByTheReferenceWhereNoScaleFits) {
  const std::vector<double> reference = {0.1, 0.2, 0.3, 0.4};
  const Band band = make_band({.reference = reference, .floor = std::exp(-0.5), .epsilon = 1});
  const Table table = projected(band, std::vector<double>{1, 0, 0, 0});
  EXPECT_EQ(table.numerators()[0], band.upper(0));
  const double rest = static_cast<double>(band.total() - band.upper(0));
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_NEAR(static_cast<double>(table.numerators()[i]) / rest, reference[i] / 0.9, 1e-9);
  }
}

TEST(Projection, AllScoresZeroGivesTheReference) {
  std::mt19937_64 random(5);
  const std::vector<double> reference = uneven_reference(37, 6, random);
  double sum = 0;
  for (const double mass : reference) sum += mass;
  const Band band = make_band({.reference = reference, .floor = 0.7, .epsilon = 1});
  for (const double nothing : {0.0, -0.0, -1.0, kNan}) {
    const Table table = projected(band, std::vector<double>(37, nothing));
    for (std::size_t i = 0; i < 37; ++i) {
      const double share = reference[i] / sum * static_cast<double>(band.total());
      EXPECT_NEAR(static_cast<double>(table.numerators()[i]) / share, 1, 1e-9);
    }
  }
}

TEST(Projection, InfiniteScoresLeaveTheOthersTheLeast) {
  const Band band = make_band({.outcome_count = 4, .floor = minimax_floor(4, 2), .epsilon = 2});
  const Table table = projected(band, std::vector<double>{1e300, kInfinity, kInfinity, 5});
  const auto lowest = static_cast<double>(band.lower(0));
  EXPECT_NEAR(static_cast<double>(table.numerators()[0]) / lowest, 1, 1e-9);
  EXPECT_NEAR(static_cast<double>(table.numerators()[3]) / lowest, 1, 1e-9);
  EXPECT_NEAR(static_cast<double>(table.numerators()[1]),
              static_cast<double>(table.numerators()[2]), 1e-9 * lowest);
}

TEST(Projection, OneInfiniteScoreAmongManyLeavesTheOthersTheLeast) {
  for (const double floor : {minimax_floor(10'000, 2), std::exp(-1.0)}) {
    const Band band = make_band({.outcome_count = 10'000, .floor = floor, .epsilon = 2});
    std::vector<float> scores(10'000, 1);
    scores[7'001] = static_cast<float>(kInfinity);
    const Table table = projected(band, scores);
    const std::uint64_t most = std::min(band.upper(0), band.total() - 9'999 * band.lower(0));
    EXPECT_NEAR(static_cast<double>(table.numerators()[7'001]) / static_cast<double>(most), 1,
                1e-9);
    EXPECT_NEAR(
        static_cast<double>(table.numerators()[0]) / static_cast<double>(table.numerators()[9'999]),
        1, 1e-9);
  }
}

/// Laws of P on five outcomes under the minimax band, to 16 digits, computed elsewhere with 40.
struct KnownLaw {
  double epsilon;
  std::vector<double> p;
  std::vector<double> q;
};

std::vector<KnownLaw> known_laws() {
  return {
      {0.1,
       {0.3, 0.25, 0.2, 0.15, 0.1},
       {0.2164806890524701, 0.19587982773688248, 0.19587982773688248, 0.19587982773688248,
        0.19587982773688248}},
      {0.5,
       {0.3, 0.25, 0.2, 0.15, 0.1},
       {0.2557670997575093, 0.21313924979792442, 0.17703121681485542, 0.17703121681485542,
        0.17703121681485542}},
      {1.0,
       {0.3, 0.25, 0.2, 0.15, 0.1},
       {0.2809219350383379, 0.23410161253194828, 0.18728129002555863, 0.14884758120207758,
        0.14884758120207758}},
      {2.0, {0.3, 0.25, 0.2, 0.15, 0.1}, {0.3, 0.25, 0.2, 0.15, 0.1}},
      {5.0, {0.3, 0.25, 0.2, 0.15, 0.1}, {0.3, 0.25, 0.2, 0.15, 0.1}},
      {0.1,
       {1, 0, 0, 0, 0},
       {0.2164806890524701, 0.19587982773688248, 0.19587982773688248, 0.19587982773688248,
        0.19587982773688248}},
      {0.5,
       {1, 0, 0, 0, 0},
       {0.2918751327405783, 0.17703121681485542, 0.17703121681485542, 0.17703121681485542,
        0.17703121681485542}},
      {1.0,
       {1, 0, 0, 0, 0},
       {0.40460967519168967, 0.14884758120207758, 0.14884758120207758, 0.14884758120207758,
        0.14884758120207758}},
      {2.0,
       {1, 0, 0, 0, 0},
       {0.6487856442839393, 0.08780358892901517, 0.08780358892901517, 0.08780358892901517,
        0.08780358892901517}},
      {5.0,
       {1, 0, 0, 0, 0},
       {0.9737555469386476, 0.006561113265338089, 0.006561113265338089, 0.006561113265338089,
        0.006561113265338089}},
      {0.1,
       {0.9, 0.1, 0, 0, 0},
       {0.21648068905247012, 0.19587982773688248, 0.19587982773688248, 0.19587982773688248,
        0.19587982773688248}},
      {0.5,
       {0.9, 0.1, 0, 0, 0},
       {0.2918751327405783, 0.17703121681485542, 0.17703121681485542, 0.17703121681485542,
        0.17703121681485542}},
      {1.0,
       {0.9, 0.1, 0, 0, 0},
       {0.4046096751916897, 0.14884758120207758, 0.14884758120207758, 0.14884758120207758,
        0.14884758120207758}},
      {2.0,
       {0.9, 0.1, 0, 0, 0},
       {0.6487856442839393, 0.08780358892901517, 0.08780358892901517, 0.08780358892901517,
        0.08780358892901517}},
      {5.0,
       {0.9, 0.1, 0, 0, 0},
       {0.8822849941835873, 0.09803166602039859, 0.006561113265338089, 0.006561113265338089,
        0.006561113265338089}},
  };
}

TEST(Projection, KnownLawsOfFiveOutcomes) {
  for (const KnownLaw& known : known_laws()) {
    const Band band = make_band(
        {.outcome_count = 5, .floor = minimax_floor(5, known.epsilon), .epsilon = known.epsilon});
    const Table table = projected(band, known.p);
    for (std::size_t i = 0; i < 5; ++i) {
      const double q =
          static_cast<double>(table.numerators()[i]) / static_cast<double>(band.total());
      EXPECT_NEAR(q / known.q[i], 1, 1e-9) << "epsilon " << known.epsilon << ", outcome " << i;
    }
  }
}

/// The same numbers, NaN included: all instruction sets add in the same order and fuse nothing.
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
bool same(const detail::Survey& a, const detail::Survey& b) {
  return same(a.sum, b.sum) && same(a.greatest, b.greatest) && same(a.room, b.room);
}
bool same(const detail::Excess& a, const detail::Excess& b) {
  return same(a.sum, b.sum) && same(a.slope, b.slope);
}

template <class Score>
void lanes_agree(const detail::Passes<Score>& baseline, const detail::Passes<Score>& wide) {
  std::mt19937_64 random(23);
  for (int round = 0; round < 300; ++round) {
    const std::size_t k = 1 + random() % 1100;
    const double epsilon = std::exp(std::uniform_real_distribution<double>(-3, 3)(random));
    const bool uniform = round % 2 == 0;
    // With few parts the numerators are small enough for granules of one part.
    const std::uint64_t total = std::uint64_t{1} << (round % 3 == 0 ? 50 : 62);
    const std::vector<double> reference = uneven_reference(k, 3, random);
    const Band band = make_band({.outcome_count = k,
                                 .reference = uniform ? std::span<const double>() : reference,
                                 .floor = std::exp(-epsilon / 2),
                                 .epsilon = epsilon,
                                 .total = total});
    const Bounds bounds(band);
    const auto shape = static_cast<Shape>(round % test::kShapes);
    const std::vector<Score> scores = scores_of<Score>(shape, k, random);
    const detail::Survey survey = baseline.survey(bounds, scores.data());
    EXPECT_TRUE(same(survey, wide.survey(bounds, scores.data())));
    const double t = static_cast<double>(total) / (survey.sum > 0 ? survey.sum : 1);
    EXPECT_TRUE(
        same(baseline.excess(bounds, scores.data(), t), wide.excess(bounds, scores.data(), t)));
  }
}

/// What is seen between two scales tells the excess at any between, and no place is written to but
/// those that were given.
void narrowing_agrees(const detail::SearchLanes& baseline, const detail::SearchLanes& wide) {
  std::mt19937_64 random(29);
  const auto unit = [&] { return std::uniform_real_distribution<double>()(random); };
  for (int round = 0; round < 200; ++round) {
    const std::size_t k = 1 + random() % 1600;
    const double epsilon = std::exp(6 * unit() - 3);
    const Band band =
        make_band({.outcome_count = k, .floor = std::exp(-epsilon / 2), .epsilon = epsilon});
    const Bounds bounds(band);
    const std::vector<float> scores =
        scores_of<float>(static_cast<Shape>(round % test::kShapes), k, random);
    const double sum = baseline.of_float.survey(bounds, scores.data()).sum;
    const double t = std::exp(4 * unit() - 2) * static_cast<double>(band.total()) /
                     (sum > 0 && std::isfinite(sum) ? sum : 1);
    const double least = round % 5 == 0 ? 0 : t * (1 - 0.1 * unit()), most = t * (1 + 0.1 * unit());
    const std::size_t room = round % 7 == 0 ? random() % (k + 8) : k + 8;
    std::vector<float> kept(k + 16, -7.0F), again = kept;
    const auto seen = baseline.narrow(bounds, scores.data(), least, most, kept.data(), room);
    const auto other = wide.narrow(bounds, scores.data(), least, most, again.data(), room);
    EXPECT_EQ(seen.copied, other.copied);
    EXPECT_TRUE(same(seen.free_sum, other.free_sum));
    EXPECT_EQ(seen.free_count, other.free_count);
    EXPECT_EQ(seen.upper_count, other.upper_count);
    ASSERT_LE(seen.copied, room);
    for (std::size_t i = 0; i < seen.copied; ++i) EXPECT_TRUE(same(kept[i], again[i]));
    for (std::size_t i = room; i < kept.size(); ++i) {
      EXPECT_EQ(kept[i], -7.0F);
      EXPECT_EQ(again[i], -7.0F);
    }
    if (room < k + 8) continue;
    const auto is_infinite = [](float score) { return std::isinf(score); };
    const auto infinite = std::ranges::count_if(scores, is_infinite);
    EXPECT_EQ(std::count_if(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(seen.copied),
                            is_infinite),
              infinite);
    if (infinite > 0) continue;
    if (static_cast<double>(bounds.lower) / most < 0x1p-100) continue;  // as callers do
    for (const double part : {0.0, unit(), 1.0}) {
      const double at = least + part * (most - least);
      const double of_kept =
          baseline.of_float.excess(bounds.part(0, seen.copied), kept.data(), at).sum;
      const double others = seen.free_sum * at -
                            static_cast<double>(bounds.lower) * seen.free_count +
                            static_cast<double>(bounds.upper - bounds.lower) * seen.upper_count;
      const double excess = baseline.of_float.excess(bounds, scores.data(), at).sum;
      EXPECT_NEAR(of_kept + others, excess, 1e-13 * (excess + 0x1p62)) << round;
    }
  }
}

TEST(Projection, InstructionSetsAgree) {
  const detail::SearchLanes& baseline = detail::SearchLanes::kBaseline;
  for (const auto& [name, lanes] : test::every_lanes<detail::SearchLanes>()) {
    SCOPED_TRACE(name);
    lanes_agree(baseline.of_double, lanes.of_double);
    lanes_agree(baseline.of_float, lanes.of_float);
    narrowing_agrees(baseline, lanes);
  }
}

}  // namespace

}  // namespace mollify
