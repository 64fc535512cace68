#include "boosting/bounding.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace mollify {
namespace {

constexpr Bounding kAll[] = {Bounding::kProbability, Bounding::kLogit, Bounding::kSign};

TEST(Bounding, IsBoundedForEveryKindOfFloat) {
  // Every exponent and sign, infinities and NaN included, with a 1021st of the mantissas.
  std::uint64_t tried = 0;
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32U); bits += 1021 * 97) {
    const float logit = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    for (const Bounding bounding : kAll) {
      const double c = bounded(static_cast<double>(logit), bounding);
      ASSERT_TRUE(std::abs(c) <= kClassifierBound) << logit;
      ASSERT_EQ(c, -bounded(-static_cast<double>(logit), bounding)) << logit;
    }
    ++tried;
  }
  EXPECT_GT(tried, 40'000U);
}

TEST(Bounding, SaysWhatItIs) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double z : {-700.0, -3.0, -0.5, 0.0, 1e-9, 0.2, 4.0}) {
    const double probability = 1 / (1 + std::exp(-z));
    EXPECT_NEAR(bounded(z, Bounding::kProbability), kClassifierBound * (2 * probability - 1),
                1e-15);
  }
  EXPECT_EQ(bounded(0.5, Bounding::kLogit), 0.5);
  EXPECT_EQ(bounded(-0.7, Bounding::kLogit), -kClassifierBound);
  EXPECT_EQ(bounded(1e-300, Bounding::kSign), kClassifierBound);
  EXPECT_EQ(bounded(0, Bounding::kSign), 0);
  for (const Bounding bounding : kAll) {
    EXPECT_EQ(bounded(infinity, bounding), kClassifierBound);
    EXPECT_EQ(bounded(-infinity, bounding), -kClassifierBound);
    EXPECT_EQ(bounded(std::nan(""), bounding), 0);
    EXPECT_EQ(named<Bounding>(name_of(bounding)), bounding);
  }
  EXPECT_EQ(named<Bounding>("tanh"), std::nullopt);
}

TEST(Bounding, ASigmoidIsBetweenZeroAndOne) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double z : {-700.0, -3.0, -0.5, 0.0, 1e-9, 0.2, 4.0}) {
    EXPECT_NEAR(bounded(z, Bounding::kSigmoid), 1 / (1 + std::exp(-z)), 1e-15);
  }
  EXPECT_EQ(bounded(infinity, Bounding::kSigmoid), 1);
  EXPECT_EQ(bounded(-infinity, Bounding::kSigmoid), 0);
  EXPECT_EQ(bounded(std::nan(""), Bounding::kSigmoid), 0);
  EXPECT_EQ(named<Bounding>("sigmoid"), Bounding::kSigmoid);
}

}  // namespace
}  // namespace mollify
