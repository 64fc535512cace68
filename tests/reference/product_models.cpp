#include "reference/product_models.h"

#include <cmath>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

Domain two_by_five(std::uint64_t seed) {
  return Domain::make({Column::make("sex", IntegerCells::make(0, 1)),
                       Column::make("ward", IntegerCells::make(1, 5))},
                      seed);
}

std::string models_refusal(const Domain& domain, std::uint64_t count) {
  try {
    static_cast<void>(ProductModels(domain, count));
  } catch (const InvalidInput& refused) {
    return refused.what();
  }
  return "";
}

TEST(ProductModels, AreTheSameForEverybodyWithTheDomain) {
  const Domain domain = two_by_five(7);
  const ProductModels models(domain, 50);
  EXPECT_EQ(models.sha256(), ProductModels(domain, 50).sha256());
  EXPECT_NE(models.sha256(), ProductModels(domain, 51).sha256());
  EXPECT_NE(models.sha256(), ProductModels(two_by_five(8), 50).sha256());
  // A shorter list is the beginning of a longer one.
  EXPECT_EQ(models.shares(20), ProductModels(domain, 21).shares(20));
  std::uint64_t next = 0;
  models.visit([&](std::uint64_t index, std::span<const double> shares) {
    EXPECT_EQ(index, next++);
    ASSERT_EQ(shares.size(), 7U);
    EXPECT_NEAR(shares[0] + shares[1], 1, 1e-12);
    EXPECT_NEAR(shares[2] + shares[3] + shares[4] + shares[5] + shares[6], 1, 1e-12);
    for (const double share : shares) EXPECT_GT(share, 0);
    if (index == 20) {
      EXPECT_EQ(std::vector<double>(shares.begin(), shares.end()), models.shares(20));
    }
  });
  EXPECT_EQ(next, 50U);
}

/// Around a uniform reference a share of five is Beta(1, 4): mean .2, variance 4/150. Limits are 5
/// standard errors of 20 000 models; the seed is fixed, so the test cannot fail by chance.
TEST(ProductModels, AreDirichletAroundTheReference) {
  constexpr std::uint64_t kModels = 20'000;
  const auto moments = [](const ProductModels& models) {
    std::pair<double, double> found;
    models.visit([&](std::uint64_t, std::span<const double> shares) {
      found.first += shares[3] / kModels;
      found.second += shares[3] * shares[3] / kModels;
    });
    return found;
  };
  const auto [mean, square] = moments(ProductModels(two_by_five(1), kModels));
  std::printf("mean %.4f (.2), mean square %.4f (%.4f)\n", mean, square, 1.0 / 15);
  EXPECT_NEAR(mean, 0.2, 5 * std::sqrt(4.0 / 150 / kModels));
  EXPECT_NEAR(square, 1.0 / 15, 5 * 0.1 / std::sqrt(kModels));
  // Public records of the second ward's second value move the models there.
  const std::vector<std::uint32_t> records = {0, 1, 1, 1, 0, 1, 1, 1, 0, 1};
  const auto moved = moments(ProductModels(two_by_five(1), kModels, records));
  std::printf("after records %.4f\n", moved.first);
  EXPECT_GT(moved.first, 0.4);
}

TEST(ProductModels, RefuseNumbersOutsideTheirLimits) {
  const Domain domain = two_by_five(1);
  EXPECT_EQ(models_refusal(domain, 0), "the number of models must be from 1 to 16777216, but is 0");
  EXPECT_EQ(models_refusal(domain, ProductModels::kMost), "");
  const Domain fine = Domain::make({Column::make("x", IntegerCells::make(0, 999'999))});
  EXPECT_EQ(models_refusal(fine, 1000),
            "models may have at most 536870912 shares in all, but 1000 models of 1000000 cells "
            "have more: declare fewer bins in the domain, or ask for fewer models");
}

}  // namespace
}  // namespace mollify
