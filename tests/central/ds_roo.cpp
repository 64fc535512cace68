#include "central/ds_roo.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"
#include "refusal.h"

namespace mollify {
namespace {

TEST(DsRoo, BeginsLikeOneChosenRecordAndFalls) {
  for (const double epsilon : {1e-3, .1, 1., 5.}) {
    for (const std::uint64_t n : {1u, 20u, 1000u, 100'000u}) {
      for (const std::uint64_t k : {2u, 3u, 50u}) {
        const DsRoo sampler(k, n, epsilon);
        const auto whole = static_cast<double>(DsRoo::kTotal);
        const double first = static_cast<double>(sampler.obscured(0)) / whole;
        const auto outcomes = static_cast<double>(k);
        const double excess = static_cast<double>(n) * std::expm1(epsilon);
        EXPECT_NEAR(first * (outcomes + excess) / outcomes, 1, 1e-8);
        EXPECT_NEAR(sampler.total_variation_up(), first * (1 - 1 / outcomes), 1e-12);
        for (std::uint64_t j = 0; j < n / k; ++j) {
          EXPECT_LE(sampler.obscured(j + 1), sampler.obscured(j));
        }
        EXPECT_TRUE(sampler.satisfies(ExpBound(epsilon)));
        if (n >= 20) {
          EXPECT_FALSE(sampler.satisfies(ExpBound(epsilon * .999)));
        }
      }
    }
  }
}

/// From the recursion solved by hand in decimals, to four digits.
TEST(DsRoo, HasTheKnownSequence) {
  const DsRoo sampler(3, 20, .3);
  const double expected[] = {.3001, .2681, .2037, .0997, 0, 0, 0};
  for (std::size_t j = 0; j < 7; ++j) {
    EXPECT_NEAR(static_cast<double>(sampler.obscured(j)) / static_cast<double>(DsRoo::kTotal),
                expected[j], 5e-5);
  }
}

std::string ds_roo_refusal(std::uint64_t outcomes, std::uint64_t records, double epsilon) {
  return test::refusal_of([&] { DsRoo(outcomes, records, epsilon); });
}

TEST(DsRoo, RefusesInOneSentence) {
  EXPECT_EQ(ds_roo_refusal(0, 5, 1), "the number of outcomes must be from 1 to 16777216, but is 0");
  EXPECT_EQ(ds_roo_refusal(2, 0, 1),
            "the number of records must be from 1 to 1099511627776, but is 0");
  EXPECT_EQ(ds_roo_refusal(2, 5, -1), "epsilon must be finite and positive, but is -1");
  EXPECT_EQ(ds_roo_refusal(1, 1, 1), "accepted");
}

}  // namespace
}  // namespace mollify
