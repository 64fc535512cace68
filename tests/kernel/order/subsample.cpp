#include "kernel/order/subsample.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "kernel/core/invalid_input.h"
#include "kernel/even_words.h"
#include "not_finite.h"

namespace mollify {
namespace {

TEST(Subsample, GivesEveryOrderedChoiceTheSameNumberOfWordStrings) {
  for (std::uint32_t size = 0; size <= 6; ++size) {
    std::vector<std::uint32_t> values(size);
    std::iota(values.begin(), values.end(), 10u);
    std::uint64_t choices = 1;
    std::vector<std::uint64_t> bounds;
    for (std::uint32_t count = 0; count <= size; ++count) {
      if (count > 0) {
        bounds.push_back(2 * (size - count + 1));
        choices *= size - count + 1;
      }
      test::EvenWords words(bounds);
      std::map<std::vector<std::uint32_t>, std::uint64_t> counts;
      std::uint64_t strings = 0;
      do {
        ++counts[detail::subsample_with(std::span<const std::uint32_t>(values), count, words)];
        ++strings;
        ASSERT_EQ(words.used(), count);
      } while (words.advance());
      EXPECT_EQ(counts.size(), choices);
      for (const auto& [choice, seen] : counts) ASSERT_EQ(seen * choices, strings);
    }
  }
}

TEST(Subsample, IsUniformByChiSquare) {
  SecureRandom random;
  std::vector<std::uint32_t> values(20);
  std::iota(values.begin(), values.end(), 0u);
  // Ordered pairs of the first and the last of five.
  std::vector<std::uint64_t> counts(400);
  for (int i = 0; i < 200'000; ++i) {
    const std::vector<std::uint32_t> chosen = subsample(values, 5, random);
    ASSERT_EQ(chosen.size(), 5u);
    ++counts[chosen[0] * 20 + chosen[4]];
  }
  std::vector<double> law(400, 1.0 / 380);
  for (std::size_t v = 0; v < 20; ++v) law[v * 20 + v] = 0;
  EXPECT_TRUE(test::follows(law, counts));
}

TEST(Subsample, TakesAllAndNothing) {
  SecureRandom random;
  const std::vector<std::uint32_t> values = {3, 1, 4, 1, 5};
  std::vector<std::uint32_t> all = subsample(values, 5, random);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (std::vector<std::uint32_t>{1, 1, 3, 4, 5}));
  EXPECT_TRUE(subsample(values, 0, random).empty());
  EXPECT_TRUE(subsample({}, 0, random).empty());
}

template <class Make>
std::string subsample_refusal(Make make) {
  try {
    make();
  } catch (const InvalidInput& refused) {
    return refused.what();
  }
  return "accepted";
}

TEST(Subsample, RefusesInOneSentence) {
  SecureRandom random;
  const std::vector<std::uint32_t> values = {3, 1, 4};
  EXPECT_EQ(subsample_refusal([&] { static_cast<void>(subsample(values, 4, random)); }),
            "a subsample must be of at most 3 records, which is all there are, but is of 4");
  EXPECT_EQ(subsample_refusal([] { static_cast<void>(PoissonSubsample(0)); }),
            "the rate of a subsample must be from 2^-64 to 1, but is 0");
  EXPECT_EQ(subsample_refusal([] { static_cast<void>(PoissonSubsample(1.5)); }),
            "the rate of a subsample must be from 2^-64 to 1, but is 1.5");
  EXPECT_EQ(subsample_refusal([] { static_cast<void>(PoissonSubsample(test::kNan)); }),
            "the rate of a subsample must be from 2^-64 to 1, but is nan");
}

TEST(PoissonSubsample, KeepsExactlyTheWordsOfItsRate) {
  for (const double rate : {1.0, 0.5, 0.1, 0x1p-64, 0x1.8p-64, 0x1.fffffffffffffp-1, 1e-15, 0.3}) {
    const PoissonSubsample sample(rate);
    EXPECT_LE(sample.rate(), rate);
    EXPECT_LT(rate - sample.rate(), 0x1p-64);
    // The words kept are those below rate() 2^64, an integer.
    const auto threshold = static_cast<uint128>(std::ldexp(sample.rate(), 64));
    EXPECT_EQ(std::ldexp(static_cast<double>(threshold), -64), sample.rate());
    EXPECT_TRUE(sample.keeps(static_cast<std::uint64_t>(threshold - 1)));
    EXPECT_TRUE(sample.keeps(0));
    if (rate < 1) {
      EXPECT_FALSE(sample.keeps(static_cast<std::uint64_t>(threshold)));
      EXPECT_FALSE(sample.keeps(~std::uint64_t{0}));
    } else {
      EXPECT_TRUE(sample.keeps(~std::uint64_t{0}));
    }
  }
}

// All eight subsets of three records.
TEST(PoissonSubsample, KeepsRecordsIndependently) {
  SecureRandom random;
  const std::vector<std::uint32_t> values = {1, 2, 4};
  for (const double rate : {0.1, 0.5, 0.8}) {
    const PoissonSubsample sample(rate);
    std::vector<std::uint64_t> counts(8);
    std::vector<double> law(8);
    for (unsigned subset = 0; subset < 8; ++subset) {
      const int kept = __builtin_popcount(subset);
      law[subset] = std::pow(rate, kept) * std::pow(1 - rate, 3 - kept);
    }
    for (int i = 0; i < 200'000; ++i) {
      std::uint32_t subset = 0;
      for (const std::uint32_t value : sample.draw(values, random)) {
        ASSERT_LT(subset, value) << "out of order";
        subset += value;
      }
      ++counts[subset];
    }
    EXPECT_TRUE(test::follows(law, counts));
  }
  EXPECT_EQ(PoissonSubsample(1).draw(values, random), values);
}

}  // namespace
}  // namespace mollify
