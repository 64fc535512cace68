#include "boosting/feature_encoding.h"

#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "not_finite.h"

namespace mollify {
namespace {

using test::kNanFloat;

using testing::ElementsAre;

TEST(FeatureEncoding, PutsNumbersAndOrderedLevelsBetweenMinusOneAndOne) {
  const std::vector<MixedColumn> columns = {{Scale::kNumber, 0}, {Scale::kOrdered, 5}};
  const FeatureEncoding encoding(columns);
  EXPECT_EQ(encoding.dimension(), 2U);
  MixedPoints points(columns, 4);
  const float numbers[] = {0.0F, 0.25F, 7.0F, kNanFloat};
  const float levels[] = {0.0F, 3.0F, 99.0F, kNanFloat};
  std::copy(std::begin(numbers), std::end(numbers), points.values(0).begin());
  std::copy(std::begin(levels), std::end(levels), points.values(1).begin());
  const Points features = encoding.features(points);
  EXPECT_THAT(features.values(0), ElementsAre(-1.0F, -0.5F, 1.0F, -1.0F));
  EXPECT_THAT(features.values(1), ElementsAre(-1.0F, 0.5F, 1.0F, -1.0F));
}

TEST(FeatureEncoding, GivesEveryCategoryItsOwnFeatures) {
  for (const std::uint32_t levels : {1U, 2U, 32U, 33U, 64U, 65U, 1000U}) {
    const std::vector<MixedColumn> columns = {{Scale::kCategory, levels}};
    const FeatureEncoding encoding(columns);
    EXPECT_LE(encoding.dimension(), 32U) << levels;
    MixedPoints points(columns, levels);
    for (std::uint32_t level = 0; level < levels; ++level) {
      points.values(0)[level] = static_cast<float>(level);
    }
    const Points features = encoding.features(points);
    std::set<std::vector<float>> codes;
    for (std::uint32_t level = 0; level < levels; ++level) {
      std::vector<float> code;
      for (std::size_t f = 0; f < encoding.dimension(); ++f) {
        code.push_back(features.values(f)[level]);
      }
      codes.insert(code);
    }
    EXPECT_EQ(codes.size(), levels);
  }
}

TEST(FeatureEncoding, PicksAsManyPointsAsAskedFor) {
  const std::vector<MixedColumn> columns = {{Scale::kOrdered, 3}};
  const FeatureEncoding encoding(columns);
  MixedPoints points(columns, 3);
  for (std::size_t i = 0; i < 3; ++i) points.values(0)[i] = static_cast<float>(i);
  EXPECT_THAT(encoding.features(points, 2).values(0), ElementsAre(-1.0F, 0.0F));
  EXPECT_THAT(encoding.features(points, 6).values(0),
              ElementsAre(-1.0F, -1.0F, 0.0F, 0.0F, 1.0F, 1.0F));
}

TEST(FeatureEncoding, SingleOrderedLevelIsZero) {
  const std::vector<MixedColumn> columns = {{Scale::kOrdered, 1}};
  EXPECT_THAT(FeatureEncoding(columns).features(MixedPoints(columns, 1)).values(0),
              ElementsAre(0.0F));
}

}  // namespace
}  // namespace mollify
