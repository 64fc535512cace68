#include <array>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "chi_square.h"
#include "methods/local/mechanism.h"
#include "mollify/mollify_c.h"

namespace mollify {
namespace {

constexpr std::size_t kDraws = 50000;
constexpr std::array<double, 4> kScores = {0, 5, 1, 2};

class CSampler : public testing::Test {
 protected:
  CSampler() {
    EXPECT_EQ(mollify_new_sampler(
                  R"({"mechanism": "class", "k": 4, "epsilon": 1, "c1": 0.25, "c2": 4,
                      "reference": [1, 2, 3, 4]})",
                  &sampler_, nullptr),
              MOLLIFY_OK)
        << mollify_last_error();
  }
  ~CSampler() override { mollify_free_sampler(sampler_); }

  /// Whether the draws follow the law of the sampler inside for these weights.
  static testing::AssertionResult follow(const std::array<double, 4>& weights,
                                         const std::vector<std::uint32_t>& released) {
    const std::array<double, 4> reference = {1, 2, 3, 4};
    const std::array<std::uint32_t, 4> outcomes = {0, 1, 2, 3};
    const auto sampler = make_sampler({.mechanism = Mechanism::kClass,
                                       .outcome_count = 4,
                                       .reference = reference,
                                       .epsilon = 1,
                                       .numbers = {.c1 = 0.25, .c2 = 4}});
    std::vector<std::uint64_t> counts(4);
    for (const std::uint32_t outcome : released) ++counts.at(outcome);
    return test::follows(sampler->law({outcomes, weights}).probabilities, counts);
  }

  mollify_sampler* sampler_ = nullptr;
};

TEST_F(CSampler, TellsWhatItIs) {
  EXPECT_EQ(mollify_sampler_k(sampler_), 4U);
  EXPECT_GT(mollify_sampler_epsilon_realised_up(sampler_), 0);
  EXPECT_LE(mollify_sampler_epsilon_realised_up(sampler_), 1 + 1e-9);
}

TEST_F(CSampler, RowsFollowTheLaw) {
  std::vector<double> wide;
  std::vector<float> narrow;
  for (std::size_t i = 0; i < kDraws; ++i) {
    wide.insert(wide.end(), kScores.begin(), kScores.end());
    narrow.insert(narrow.end(), kScores.begin(), kScores.end());
  }
  std::vector<std::uint32_t> released(kDraws);
  ASSERT_EQ(mollify_draw(sampler_, wide.data(), kDraws, released.data()), MOLLIFY_OK);
  EXPECT_TRUE(follow(kScores, released));
  ASSERT_EQ(mollify_draw_float(sampler_, narrow.data(), kDraws, released.data()), MOLLIFY_OK);
  EXPECT_TRUE(follow(kScores, released));
  EXPECT_EQ(mollify_draw(sampler_, nullptr, 0, nullptr), MOLLIFY_OK);
}

TEST_F(CSampler, UnitsFollowTheLaw) {
  std::vector<std::uint32_t> outcomes;
  std::vector<double> weights;
  std::vector<std::uint64_t> offsets{0};
  for (std::size_t i = 0; i < kDraws; ++i) {
    for (const std::uint32_t outcome : {3U, 1U, 2U}) {
      outcomes.push_back(outcome);
      weights.push_back(kScores.at(outcome));
    }
    offsets.push_back(outcomes.size());
  }
  std::vector<std::uint32_t> released(kDraws);
  ASSERT_EQ(mollify_draw_units(sampler_, outcomes.data(), offsets.data(), weights.data(), kDraws,
                               released.data()),
            MOLLIFY_OK);
  EXPECT_TRUE(follow(kScores, released));
  ASSERT_EQ(mollify_draw_units(sampler_, outcomes.data(), offsets.data(), nullptr, kDraws,
                               released.data()),
            MOLLIFY_OK);
  EXPECT_TRUE(follow({0, 1, 1, 1}, released));
}

TEST(CSamplerWarnings, SayTheOddsOfALargeEpsilonAndThatADrawIsNoise) {
  for (const auto& [epsilon, sentences] :
       {std::pair{"0.01", 1U}, {"9.9", 0U}, {"10", 1U}, {"40", 2U}}) {
    mollify_sampler* sampler = nullptr;
    char* text = nullptr;
    const std::string parameters = std::string(R"({"k": 6, "epsilon": )") + epsilon + "}";
    ASSERT_EQ(mollify_new_sampler(parameters.c_str(), &sampler, &text), MOLLIFY_OK);
    EXPECT_EQ(nlohmann::json::parse(text).size(), sentences) << epsilon;
    mollify_free_text(text);
    mollify_free_sampler(sampler);
  }
}

TEST(CErrors, AreStatusesAndSentences) {
  mollify_sampler* untouched = nullptr;
  const auto refusal = [&](const char* parameters) -> std::string {
    EXPECT_EQ(mollify_new_sampler(parameters, &untouched, nullptr), MOLLIFY_INVALID_INPUT);
    EXPECT_EQ(untouched, nullptr);
    return mollify_last_error();
  };
  EXPECT_EQ(refusal("{"), "the sampler's parameters must be a JSON object");
  EXPECT_EQ(refusal(""), "the sampler's parameters must be a JSON object");
  EXPECT_EQ(refusal("[1]"), "the sampler's parameters must be a JSON object");
  EXPECT_EQ(
      refusal(R"({"k": 2, "colour": 1})"),
      "a sampler has no key \"colour\"; it has mechanism, k, epsilon, mu, reference, channel, "
      "c1, c2, gamma, location");
  EXPECT_EQ(refusal(R"({"k": -1})"), "k must be from 1 to 16777216, but is -1");
  EXPECT_EQ(refusal(R"({"k": 2, "epsilon": "1"})"), "epsilon must be a number, but is \"1\"");
  EXPECT_EQ(refusal(R"({"reference": [1, "x"]})"),
            "reference must be an array of numbers, but is [1,\"x\"]");
  EXPECT_EQ(refusal(R"({"mechanism": 3})"), "mechanism must be a name, but is 3");
  mollify_free_sampler(nullptr);
  mollify_free_text(nullptr);
}

TEST(CErrors, BelongToTheirThread) {
  mollify_sampler* none = nullptr;
  ASSERT_EQ(mollify_new_sampler("{", &none, nullptr), MOLLIFY_INVALID_INPUT);
  std::string elsewhere = "?";
  std::thread([&] { elsewhere = mollify_last_error(); }).join();
  EXPECT_EQ(elsewhere, "");
  EXPECT_NE(std::string(mollify_last_error()), "");
}

}  // namespace
}  // namespace mollify
