#include "core/numerators.h"

#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "every_lanes.h"
#include "kernel/bands.h"
#include "kernel/hostile_scores.h"
#include "kernel/table_contract.h"
#include "sanitized.h"

namespace mollify {

namespace {

/// A search that proposes these scales, one after the other, whatever is missing.
struct GivenScales {
  std::span<const ScoreScale> scales;
  std::size_t next = 1;

  template <class Score>
  ScoreScale first(const Bounds&, std::span<const Score>) const {
    return scales[0];
  }
  bool again(ScoreScale& scale, int128) noexcept {
    if (next == scales.size()) return false;
    scale = scales[next++];
    return true;
  }
};

/// Numerators before anything was written: whatever they hold must not matter.
struct Fitted {
  std::vector<std::uint64_t> numerators;
  std::vector<std::uint64_t> blocks;
  explicit Fitted(std::size_t count)
      : numerators(count, 0xa5a5a5a5a5a5a5a5), blocks((count + kBlock - 1) / kBlock, 12345) {}
  Numerators to() { return {numerators, blocks}; }

  bool blocks_are_sums() const {
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      std::uint64_t sum = 0;
      const std::size_t end = std::min((block + 1) * kBlock, numerators.size());
      for (std::size_t i = block * kBlock; i < end; ++i) sum += numerators[i];
      if (blocks[block] != sum) return false;
    }
    return true;
  }
};

/// The theorem, quickly: exhaustive tests ask it millions of times.
bool fits(const Bounds& bounds, const Fitted& fitted) {
  uint128 sum = 0;
  for (std::size_t i = 0; i < bounds.size; ++i) {
    const std::uint64_t n = fitted.numerators[i];
    if (n < bounds.lower_at(i) || n > bounds.upper_at(i)) return false;
    sum += n;
  }
  return sum == bounds.total && fitted.blocks_are_sums();
}

std::vector<ScoreScale> hostile_scales() {
  using Limits = std::numeric_limits<double>;
  std::vector<ScoreScale> scales;
  for (const double t :
       {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), 0.0, -1.0,
        Limits::denorm_min(), 1e-30, 0.3, 1.0, 20.0, 1e4, 0x1p62, 0x1p900, Limits::max()}) {
    for (const int exponent : {0, 1, -3000, 3000, std::numeric_limits<int>::min()}) {
      scales.push_back({t, exponent});
    }
  }
  return scales;
}

/// All scores of the grid with all scales, on bands of at most `most` outcomes.
template <class Score>
std::size_t exhaust_fits(std::size_t most, std::uint64_t total, double epsilon) {
  const std::vector<Score> grid = test::score_grid<Score>();
  const std::vector<ScoreScale> scales = hostile_scales();
  std::size_t tried = 0;
  for (const Band& band : test::small_bands(total, epsilon)) {
    const std::size_t k = band.outcome_count();
    if (k > most) continue;
    const Bounds bounds(band);
    std::vector<Score> scores(k, grid[0]);
    std::size_t vectors = 1;
    for (std::size_t i = 0; i < k; ++i) vectors *= grid.size();
    for (std::size_t vector = 0; vector < vectors; ++vector) {
      std::size_t digits = vector;
      for (Score& score : scores) {
        score = grid[digits % grid.size()];
        digits /= grid.size();
      }
      for (const ScoreScale& scale : scales) {
        Fitted fitted(k);
        GivenScales search{{&scale, 1}};
        fit(bounds, std::span<const Score>(scores), search, fitted.to());
        ++tried;
        EXPECT_TRUE(fits(bounds, fitted)) << "t = " << scale.t << ", exponent " << scale.exponent
                                          << ", vector " << vector << ", k = " << k;
        if (::testing::Test::HasFailure()) return tried;
      }
    }
  }
  return tried;
}

TEST(Fit, EveryHostileScoreWithEveryHostileScale) {
  std::size_t tried = 0;
  for (const std::uint64_t total : {41u, 200u}) {
    for (const double epsilon : {0.7, 5.0}) {
      tried += exhaust_fits<double>(test::whole_or_sanitized(3u, 2u), total, epsilon);
      tried += exhaust_fits<float>(test::whole_or_sanitized(3u, 2u), total, epsilon);
    }
  }
  std::printf("%zu fits\n", tried);
  EXPECT_GT(tried, test::whole_or_sanitized(1'000'000u, 10'000u));
}

/// Any total with which there is a table, the least and the greatest among them.
std::uint64_t any_total(uint128 lower_sum, uint128 upper_sum, std::mt19937_64& random) {
  const auto least = static_cast<std::uint64_t>(lower_sum);
  const auto most = static_cast<std::uint64_t>(std::min<uint128>(upper_sum, Band::kGreatestTotal));
  if (random() % 4 == 0) return random() % 2 == 0 ? least : most;
  return least + random() % (most - least + 1);
}

/// A band of any integers: of one lower bound or of many, zeros among them.
Band any_band(std::size_t k, std::mt19937_64& random) {
  const ExpBound bound(std::exp(std::uniform_real_distribution<double>(-10, 3.4)(random)));
  const std::uint64_t greatest = (Band::kGreatestTotal >> random() % 40) / k;
  if (random() % 2 == 0) {
    const std::uint64_t lower = 1 + random() % greatest;
    const uint128 upper = bound.times_floor(lower, Band::kGreatestTotal);
    return Band::make(k, lower, bound, any_total(uint128{lower} * k, upper * k, random));
  }
  std::vector<std::uint64_t> lowers(k);
  uint128 lower_sum = 0, upper_sum = 0;
  const double spread = std::uniform_real_distribution<double>(0, 8)(random);
  for (std::size_t i = 0; i < k; ++i) {
    const double share = std::exp(std::uniform_real_distribution<double>(-spread, 0)(random));
    if (i > 0 && random() % 8 == 0) continue;
    lowers[i] = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(share * static_cast<double>(greatest / 2)));
    lower_sum += lowers[i];
    upper_sum += bound.times_floor(lowers[i], Band::kGreatestTotal);
  }
  return Band::make(lowers, bound, any_total(lower_sum, upper_sum, random));
}

double any_double(std::mt19937_64& random) {
  if (random() % 2 == 0) return std::bit_cast<double>(random());
  return std::exp(std::uniform_real_distribution<double>(-40, 80)(random));
}

template <class Score>
void any_scores_with_any_scales() {
  const std::size_t k = *rc::gen::oneOf(rc::gen::inRange<std::size_t>(1, 20),
                                        rc::gen::inRange<std::size_t>(250, 530));
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  const Band band = any_band(k, random);
  const Bounds bounds(band);
  const auto shape = static_cast<test::Shape>(random() % test::kShapes);
  std::vector<Score> scores = test::scores_of<Score>(shape, k, random);
  if (random() % 2 == 0) scores[random() % k] = static_cast<Score>(any_double(random));
  std::vector<ScoreScale> scales(1 + random() % 4);
  for (ScoreScale& scale : scales) {
    scale.t = random() % 8 == 0 ? std::numeric_limits<double>::infinity() : any_double(random);
    if (random() % 2 == 0) scale.exponent = static_cast<int>(random() % 4000) - 2000;
  }
  Fitted fitted(k);
  GivenScales search{scales};
  fit(bounds, std::span<const Score>(scores), search, fitted.to());
  const ::testing::AssertionResult result = test::keeps_contract(band, fitted.numerators);
  if (!result) RC_FAIL(result.message());
  RC_ASSERT(fitted.blocks_are_sums());
  // The last scale alone decides.
  Fitted again(k);
  GivenScales last{std::span<const ScoreScale>(scales).last(1)};
  fit(bounds, std::span<const Score>(scores), last, again.to());
  RC_ASSERT(again.numerators == fitted.numerators);
}

RC_GTEST_PROP(Fit, AnyDoublesWithAnyScales, ()) { any_scores_with_any_scales<double>(); }
RC_GTEST_PROP(Fit, AnyFloatsWithAnyScales, ()) { any_scores_with_any_scales<float>(); }

TEST(Fit, WithoutScoresTheLowerBoundsShareAll) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 200; ++round) {
    const Band band = any_band(1 + random() % 600, random);
    const Bounds bounds(band);
    Fitted fitted(bounds.size);
    fit_reference(bounds, fitted.to());
    ASSERT_TRUE(fits(bounds, fitted));
    // The same as scores of which none is positive, at an infinite scale.
    const std::vector<double> nothing(bounds.size, -1);
    const ScoreScale infinite{std::numeric_limits<double>::infinity()};
    Fitted same(bounds.size);
    GivenScales search{{&infinite, 1}};
    fit(bounds, std::span<const double>(nothing), search, same.to());
    ASSERT_EQ(fitted.numerators, same.numerators);
  }
}

TEST(Fit, AnInfiniteScaleFillsThePositiveAndSharesTheRest) {
  const Band band = Band::make({100, 200, 300, 400}, ExpBound(1), 2000);
  const std::vector<double> scores = {5, 0, -1, std::numeric_limits<double>::quiet_NaN()};
  const ScoreScale infinite{std::numeric_limits<double>::infinity()};
  Fitted fitted(4);
  GivenScales search{{&infinite, 1}};
  fit(Bounds(band), std::span<const double>(scores), search, fitted.to());
  // 100 e = 271.8; 1729 are left for shares of 2/9, 3/9 and 4/9, and 1 is over.
  EXPECT_EQ(fitted.numerators, (std::vector<std::uint64_t>{271, 385, 576, 768}));
}

/// What an infinite scale asks for, each share by a division of its own.
template <class Score>
std::vector<std::uint64_t> saturated(const Bounds& bounds, const std::vector<Score>& scores) {
  uint128 taken = 0, lower_sum = 0;
  for (std::size_t i = 0; i < bounds.size; ++i) {
    const bool is_positive = static_cast<double>(scores[i]) > kLeastScore;
    (is_positive ? taken : lower_sum) += is_positive ? bounds.upper_at(i) : bounds.lower_at(i);
  }
  const uint128 rest = taken < bounds.total ? bounds.total - taken : 0;
  std::vector<std::uint64_t> expected;
  for (std::size_t i = 0; i < bounds.size; ++i) {
    const std::uint64_t lower = bounds.lower_at(i), upper = bounds.upper_at(i);
    if (static_cast<double>(scores[i]) > kLeastScore) {
      expected.push_back(upper);
      continue;
    }
    const uint128 share = lower == 0 ? 0 : lower * rest / lower_sum;
    expected.push_back(static_cast<std::uint64_t>(std::clamp<uint128>(share, lower, upper)));
  }
  return expected;
}

template <class Score>
void shares_are_exact() {
  std::mt19937_64 random(25);
  const ScoreScale infinite{std::numeric_limits<double>::infinity()};
  for (int round = 0; round < 1000; ++round) {
    const Band band = any_band(1 + random() % 1100, random);
    const Bounds bounds(band);
    const auto shape = static_cast<test::Shape>(round % test::kShapes);
    const std::vector<Score> scores = round % 5 == 0
                                          ? std::vector<Score>(bounds.size)
                                          : test::scores_of<Score>(shape, bounds.size, random);
    Fitted fitted(bounds.size);
    const uint128 sum = detail::round(bounds, scores.data(), infinite, fitted.to());
    ASSERT_EQ(fitted.numerators, saturated(bounds, scores));
    ASSERT_TRUE(fitted.blocks_are_sums());
    uint128 exact = 0;
    for (const std::uint64_t n : fitted.numerators) exact += n;
    ASSERT_TRUE(sum == exact);
  }
}

TEST(Fit, SharesAreExactWithoutDivisions) {
  shares_are_exact<double>();
  shares_are_exact<float>();
}

TEST(Fit, RescaledScoresAreTheirMultiplesUpToTwo) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Rescaling(-2)(3), 0.75);
  EXPECT_EQ(Rescaling(1074)(std::numeric_limits<double>::denorm_min()), 1);
  EXPECT_EQ(Rescaling(4)(3), 2);
  EXPECT_EQ(Rescaling(-3000)(infinity), 2);
  EXPECT_EQ(Rescaling(-3000)(std::numeric_limits<double>::max()), 0);
  EXPECT_EQ(Rescaling(1)(-infinity), 0);
  EXPECT_EQ(Rescaling(1)(std::numeric_limits<double>::quiet_NaN()), 0);
}

/// The pass of one instruction set: its numerators, after a look at its promises.
template <class Score>
std::vector<std::uint64_t> rounded(detail::RoundingPass<Score> pass, const Bounds& bounds,
                                   const std::vector<Score>& scores, double t) {
  Fitted fitted(bounds.size);
  const uint128 sum =
      pass(bounds, scores.data(), t, fitted.numerators.data(), fitted.blocks.data());
  uint128 exact = 0;
  for (std::size_t i = 0; i < bounds.size; ++i) {
    EXPECT_GE(fitted.numerators[i], bounds.lower_at(i));
    EXPECT_LE(fitted.numerators[i], bounds.upper_at(i));
    exact += fitted.numerators[i];
  }
  EXPECT_TRUE(fitted.blocks_are_sums());
  EXPECT_TRUE(sum == exact) << "the pass must return the exact sum";
  return fitted.numerators;
}

template <class Score>
void ends_agree(detail::EndsPass<Score> baseline, detail::EndsPass<Score> wide) {
  std::mt19937_64 random(26);
  for (int round = 0; round < 300; ++round) {
    const std::size_t size = 1 + random() % 600;
    const Band band = Band::make(size, 1000, ExpBound(1), 1500 * size);
    const auto shape = static_cast<test::Shape>(round % test::kShapes);
    const std::vector<Score> scores = test::scores_of<Score>(shape, size, random);
    Fitted expected(size), found(size);
    const auto run = [&](detail::EndsPass<Score> pass, Fitted& to) {
      return pass(Bounds(band), scores.data(), 2718, 1234, to.numerators.data(), to.blocks.data());
    };
    EXPECT_TRUE(run(baseline, expected) == run(wide, found));
    EXPECT_EQ(expected.numerators, found.numerators);
    EXPECT_TRUE(found.blocks_are_sums());
  }
}

template <class Score>
void rounding_agrees(detail::RoundingPass<Score> baseline, detail::RoundingPass<Score> wide) {
  std::mt19937_64 random(23);
  for (int round = 0; round < 600; ++round) {
    const Band band = any_band(1 + random() % 1100, random);
    const Bounds bounds(band);
    const auto shape = static_cast<test::Shape>(round % test::kShapes);
    const std::vector<Score> scores = test::scores_of<Score>(shape, bounds.size, random);
    const double t = random() % 2 == 0
                         ? any_double(random)
                         : static_cast<double>(bounds.total) / static_cast<double>(bounds.size);
    EXPECT_EQ(rounded(baseline, bounds, scores, t), rounded(wide, bounds, scores, t));
  }
}

/// Where a scale asks for more than the upper bounds, numerators are these very integers: the
/// vectors' product is ExpBound's. Only a total that no double is may be missed.
template <class Score>
void reaches_upper_bounds(detail::RoundingPass<Score> pass) {
  std::mt19937_64 random(24);
  for (int round = 0; round < 600; ++round) {
    const Band band = any_band(1 + random() % 600, random);
    const Bounds bounds(band);
    if (bounds.lowers == nullptr) continue;  // by granules
    const std::vector<std::uint64_t> highest =
        rounded(pass, bounds, std::vector<Score>(bounds.size, 1), 0x1p80);
    const std::vector<std::uint64_t> lowest =
        rounded(pass, bounds, std::vector<Score>(bounds.size, 1), 0.0);
    for (std::size_t i = 0; i < bounds.size; ++i) {
      const std::uint64_t upper = band.bound().times_floor(band.lower(i), band.total());
      const std::uint64_t given_away = upper == band.total() ? upper >> 52 : 0;
      ASSERT_LE(upper - highest[i], given_away) << "lower bound " << band.lower(i);
      ASSERT_EQ(lowest[i], std::clamp<std::uint64_t>(1, band.lower(i), upper));
    }
  }
}

TEST(Fit, InstructionSetsAgree) {
  const detail::RoundingLanes& baseline = detail::RoundingLanes::kBaseline;
  for (const auto& [name, lanes] : test::every_lanes<detail::RoundingLanes>()) {
    SCOPED_TRACE(name);
    rounding_agrees(baseline.of_double, lanes.of_double);
    rounding_agrees(baseline.of_float, lanes.of_float);
    ends_agree(baseline.ends_of_double, lanes.ends_of_double);
    ends_agree(baseline.ends_of_float, lanes.ends_of_float);
    reaches_upper_bounds(lanes.of_double);
    reaches_upper_bounds(lanes.of_float);
  }
}

}  // namespace

}  // namespace mollify
