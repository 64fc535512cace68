#include "domain/shapes.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace mollify {

namespace {

/// Points 0 and 1 share 3 of 8 parts, 2 to 6 have 1, 7 has none, 8 and 9 have 4.
const CellShape kUneven{4, {2, 7, 8, 10}, {3, 4, 4, 8}};

TEST(CellShape, SharesItsRunsAmongPoints) {
  ASSERT_TRUE(kUneven.is_sound());
  const std::vector<double> below = {0,       1.5 / 8, 3.0 / 8, 3.2 / 8, 3.4 / 8, 3.6 / 8,
                                     3.8 / 8, 4.0 / 8, 4.0 / 8, 6.0 / 8, 1};
  for (std::uint64_t point = 0; point <= 10; ++point) {
    EXPECT_NEAR(kUneven.below(point), below[point], 1e-15) << point;
  }
}

TEST(CellShape, DrawsEachPointByItsShareOfThoseAskedFor) {
  constexpr int kDraws = 4000;
  std::mt19937_64 random(5);
  auto below = [&](std::uint64_t bound) { return random() % bound; };
  for (std::uint64_t begin = 0; begin < 10; ++begin) {
    for (std::uint64_t end = begin + 1; end <= 10; ++end) {
      const double all = kUneven.below(end) - kUneven.below(begin);
      std::vector<std::uint64_t> counts(end - begin);
      for (int i = 0; i < kDraws; ++i) ++counts.at(kUneven.draw(begin, end, below) - begin);
      for (std::uint64_t point = begin; point < end; ++point) {
        const double share = all > 0 ? (kUneven.below(point + 1) - kUneven.below(point)) / all : 1;
        const double mean = kDraws * share;
        // 220 counts, each beyond seven deviations with probability below 1e-11.
        EXPECT_NEAR(static_cast<double>(counts[point - begin]), mean,
                    7 * std::sqrt(mean * (1 - share)) + 1e-6)
            << begin << " to " << end << " at " << point;
      }
    }
  }
}

TEST(CellShape, IsFoundByItsCell) {
  const ColumnShapes shapes = {{1, {2}, {1}}, kUneven};
  EXPECT_EQ(shape_of(shapes, 0), nullptr);
  EXPECT_EQ(shape_of(shapes, 4), &shapes[1]);
  EXPECT_EQ(shape_of(shapes, 5), nullptr);
  std::mt19937_64 random(5);
  auto below = [&](std::uint64_t bound) { return random() % bound; };
  const auto untouched = random;
  EXPECT_EQ(draw_point(shapes, 4, 7, 8, below), 7U);
  EXPECT_EQ(random, untouched) << "a single point takes no random number";
}

TEST(CellShape, IsSoundOnlyIfItIsADistribution) {
  EXPECT_FALSE((CellShape{0, {}, {}}.is_sound()));
  EXPECT_FALSE((CellShape{0, {2, 3}, {1}}.is_sound()));
  EXPECT_FALSE((CellShape{0, {0, 3}, {1, 2}}.is_sound())) << "an empty run";
  EXPECT_FALSE((CellShape{0, {2, 2}, {1, 2}}.is_sound()));
  EXPECT_FALSE((CellShape{0, {2, 3}, {2, 1}}.is_sound()));
  EXPECT_FALSE((CellShape{0, {2, 3}, {0, 0}}.is_sound()));
  EXPECT_FALSE((CellShape{0, {2, 3}, {-1, 1}}.is_sound()));
  EXPECT_FALSE((CellShape{0, {2, 3}, {1, HUGE_VAL}}.is_sound()));
  EXPECT_FALSE((CellShape{0, {2, 3}, {std::nan(""), 1}}.is_sound()));
}

}  // namespace

}  // namespace mollify
