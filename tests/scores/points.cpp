#include "scores/points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "not_finite.h"

namespace mollify {

namespace {

using test::kInfiniteFloat;
using test::kNanFloat;

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(MixedPoints, HoldColumnsOfZeros) {
  MixedPoints points({{Scale::kNumber, 0}, {Scale::kCategory, 3}}, 4);
  ASSERT_EQ(points.columns().size(), 2U);
  EXPECT_EQ(points.size(), 4U);
  EXPECT_THAT(points.values(0), Each(0.0F));
  points.values(1)[2] = 2;
  EXPECT_THAT(points.values(0), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(points.values(1), ElementsAre(0, 0, 2, 0));
  EXPECT_EQ(MixedPoints({{Scale::kOrdered, 1}}, 0).values(0).size(), 0U);
}

TEST(MixedPoints, RefuseLevelsThatCannotBe) {
  const auto message = [](const char* text) {
    return ThrowsMessage<InvalidInput>(HasSubstr(text));
  };
  EXPECT_THAT(([] {
                MixedPoints({{Scale::kNumber, 2}}, 1);
              }),
              message("number column 0 must have 0 levels, but has 2"));
  EXPECT_THAT(([] {
                MixedPoints({{Scale::kNumber, 0}, {Scale::kCategory, 0}}, 1);
              }),
              message("levels of column 1 must be between 1 and 16777216, but are 0"));
  EXPECT_THAT(([] {
                MixedPoints({{Scale::kOrdered, (1U << 24U) + 1}}, 1);
              }),
              message("but are 16777217"));
}

TEST(MixedPoints, ReadAnyFloat) {
  EXPECT_EQ(number_in_range(0.25F), 0.25F);
  EXPECT_EQ(number_in_range(-0.0F), 0.0F);
  EXPECT_EQ(number_in_range(-kInfiniteFloat), 0.0F);
  EXPECT_EQ(number_in_range(kNanFloat), 0.0F);
  EXPECT_EQ(number_in_range(1.5F), 1.0F);
  EXPECT_EQ(number_in_range(kInfiniteFloat), 1.0F);
  EXPECT_EQ(level_in_range(1.0F, 3), 1U);
  EXPECT_EQ(level_in_range(1.99F, 3), 1U);
  EXPECT_EQ(level_in_range(3.0F, 3), 2U);
  EXPECT_EQ(level_in_range(kInfiniteFloat, 3), 2U);
  EXPECT_EQ(level_in_range(-7.0F, 3), 0U);
  EXPECT_EQ(level_in_range(kNanFloat, 3), 0U);
  EXPECT_EQ(level_in_range(1e30F, 1U << 24U), (1U << 24U) - 1);
}

}  // namespace

}  // namespace mollify
