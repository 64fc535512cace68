#include "core/randomized_response.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "core/invalid_input.h"
#include "refusal.h"

namespace mollify {

namespace {

TEST(RandomizedResponse, KeepsItsInequalitiesInIntegers) {
  for (const double epsilon : {1e-6, 1e-3, 0.1, 1.0, 5.0, 20.0, 30.0, 100.0}) {
    for (const std::size_t k : {2u, 3u, 4u, 10u, 1000u, 1'000'000u, 1u << 24}) {
      const RandomizedResponse response(k, epsilon);
      const uint128 total = response.kept() + static_cast<uint128>(k - 1) * response.other();
      EXPECT_EQ(response.total(), static_cast<std::uint64_t>(total));
      EXPECT_LE(response.total(), Band::kGreatestTotal);
      EXPECT_TRUE(total == response.total());
      EXPECT_GE(response.other(), 1u);
      EXPECT_TRUE(response.bound().allows(response.kept(), response.other()));
      // Nothing is wasted: one part more for the value itself would be too many.
      EXPECT_FALSE(response.bound().allows(response.kept() + 1, response.other()));
      const double e = std::exp(std::fmin(epsilon, 30.0));
      EXPECT_NEAR(static_cast<double>(response.kept()) / static_cast<double>(response.total()) *
                      (e + static_cast<double>(k) - 1) / e,
                  1, 1e-9);
    }
  }
}

TEST(RandomizedResponse, KeepsItsInequalityForChosenRecords) {
  constexpr std::uint64_t kMost = RandomizedResponse::kMostRecords;
  for (const double epsilon : {1e-6, 1e-3, 0.1, 1.0, 5.0, 30.0}) {
    for (const std::size_t k : {2u, 3u, 1000u, 1u << 24}) {
      for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{1'000'003},
                                    std::uint64_t{1'000'000'000}, kMost}) {
        for (const std::uint64_t m : {std::uint64_t{1}, (n + 2) / 3, n}) {
          const RandomizedResponse response(k, epsilon, n, m);
          EXPECT_TRUE(response.satisfies(response.bound()));
          EXPECT_GE(response.other(), 1u);
          EXPECT_LE(response.total(), Band::kGreatestTotal);
          EXPECT_TRUE(response.total() ==
                      response.kept() + uint128{k - 1} * uint128{response.other()});
          const double odds =
              1 + static_cast<double>(n) / static_cast<double>(m) * std::expm1(epsilon);
          if (odds > 0x1p40) continue;  // L is too small to be compared
          EXPECT_NEAR(static_cast<double>(response.other()) /
                          static_cast<double>(response.total()) *
                          (odds + static_cast<double>(k - 1)),
                      1, 2e-6)
              << "epsilon " << epsilon << ", k " << k << ", n " << n << ", m " << m;
        }
      }
    }
  }
}

TEST(RandomizedResponse, IsTightForOneChosenRecord) {
  for (const double epsilon : {1e-3, 0.1, 1.0, 5.0}) {
    for (const std::uint64_t n : {2u, 7u, 1000u}) {
      const RandomizedResponse response(5, epsilon, n, 1);
      EXPECT_FALSE(
          response.bound().allows(uint128{response.kept() + 1} + uint128{n - 1} * response.other(),
                                  uint128{n} * response.other()));
    }
  }
}

TEST(RandomizedResponse, OneOutcomeIsReportedAlways) {
  const RandomizedResponse response(1, 1);
  EXPECT_EQ(response.kept(), response.total());
  EXPECT_EQ(response.other(), 0u);
  SecureRandom random;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(response.draw(0, random), 0u);
    EXPECT_EQ(response.draw(5, random), 0u);
  }
}

std::string response_refusal(std::size_t k, double epsilon, std::uint64_t records = 1,
                             std::uint64_t chosen = 1) {
  return test::refusal_of([&] { RandomizedResponse(k, epsilon, records, chosen); });
}

TEST(RandomizedResponse, RefusesInOneSentence) {
  EXPECT_EQ(response_refusal(0, 1), "the number of outcomes must be from 1 to 16777216, but is 0");
  EXPECT_EQ(response_refusal((1 << 24) + 1, 1),
            "the number of outcomes must be from 1 to 16777216, but is 16777217");
  EXPECT_EQ(response_refusal(2, 0), "epsilon must be finite and positive, but is 0");
  EXPECT_EQ(response_refusal(2, 1, 0),
            "the number of records must be from 1 to 1099511627776, but is 0");
  EXPECT_EQ(response_refusal(2, 1, 5, 6),
            "the number of chosen records must be from 1 to all 5, but is 6");
  EXPECT_EQ(response_refusal(2, 1, 5, 0),
            "the number of chosen records must be from 1 to all 5, but is 0");
  EXPECT_EQ(response_refusal(2, 1e-7), "epsilon of one draw must be at least 1e-06, but is 1e-07");
}

std::vector<double> law_of(const RandomizedResponse& response, std::size_t value) {
  const auto total = static_cast<double>(response.total());
  std::vector<double> law(response.outcome_count(), static_cast<double>(response.other()) / total);
  law[value] = static_cast<double>(response.kept()) / total;
  return law;
}

TEST(RandomizedResponse, DrawsFollowTheProbabilities) {
  SecureRandom random;
  for (const std::size_t k : {2u, 3u, 7u, 100u}) {
    const RandomizedResponse response(k, 1.5);
    for (const std::size_t value : {std::size_t{0}, k / 2, k - 1}) {
      std::vector<std::uint64_t> counts(k);
      for (int i = 0; i < 200'000; ++i) ++counts[response.draw(value, random)];
      EXPECT_TRUE(test::follows(law_of(response, value), counts));
    }
  }
}

TEST(RandomizedResponse, ValuesOutOfRangeCountAsZero) {
  const RandomizedResponse response(3, 2);
  for (const std::size_t value : {std::size_t{3}, std::size_t{1} << 40, ~std::size_t{0}}) {
    for (const std::uint64_t position :
         {std::uint64_t{0}, response.kept() - 1, response.kept(), response.total() - 1}) {
      for (const std::uint64_t other : {0u, 1u}) {
        EXPECT_EQ(response.outcome_at(value, position, other),
                  response.outcome_at(0, position, other));
      }
    }
  }
}

}  // namespace

}  // namespace mollify
