#include "kernel/core/uniform_below.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"

namespace mollify {
namespace {

constexpr std::uint64_t kMostWord = std::numeric_limits<std::uint64_t>::max();

/// Hands out given words, and after the last one words that every bound accepts as 0 < bound.
struct Script {
  std::vector<std::uint64_t> words;
  std::size_t used = 0;
  std::uint64_t word() { return used < words.size() ? words[used++] : (++used, kMostWord); }
};

/// Whether a word is accepted, and the value that it produces; by both ways of drawing.
bool accepts(std::uint64_t bound, std::uint64_t word, std::uint64_t& value) {
  Script script{{word}}, again{{word}};
  value = uniform_below(script, bound);
  EXPECT_EQ(UniformBelow(bound)(again), value);
  EXPECT_EQ(again.used, script.used);
  return script.used == 1;
}

/// 2^64 w, divided by the bound and rounded up: the least word that falls on value w.
uint128 first_word(std::uint64_t value, std::uint64_t bound) {
  const uint128 whole = static_cast<uint128>(value) << 64;
  return (whole + bound - 1) / bound;
}

// There are too many words to try, but the accepted words of one value are a run of consecutive
// ones, so that its two ends tell how many there are.
TEST(UniformBelow, GivesEachValueTheSameNumberOfWords) {
  std::vector<std::uint64_t> bounds = {1,
                                       2,
                                       3,
                                       5,
                                       6,
                                       7,
                                       10,
                                       100,
                                       255,
                                       257,
                                       (std::uint64_t{1} << 32) - 1,
                                       (std::uint64_t{1} << 32) + 1,
                                       (std::uint64_t{1} << 62) - 1,
                                       std::uint64_t{1} << 62,
                                       (std::uint64_t{1} << 62) + 1,
                                       (std::uint64_t{1} << 63) - 1,
                                       std::uint64_t{1} << 63,
                                       (std::uint64_t{1} << 63) + 1,
                                       kMostWord - 1,
                                       kMostWord};
  std::mt19937_64 random(2);
  for (int i = 0; i < 500; ++i) bounds.push_back((random() >> (random() % 64)) | 1);
  for (const std::uint64_t bound : bounds) {
    const uint128 share = (uint128{1} << 64) / bound;
    std::vector<std::uint64_t> values = {0, bound / 2, bound - 1};
    for (int i = 0; i < 20; ++i) values.push_back(random() % bound);
    for (const std::uint64_t value : values) {
      // All words on this value: [begin, end). The rejected ones are at most the first of them.
      const uint128 begin = first_word(value, bound);
      const uint128 end = first_word(value + 1, bound);
      ASSERT_TRUE(end - begin == share || end - begin == share + 1);
      std::uint64_t got = 0;
      const bool first_accepted = accepts(bound, static_cast<std::uint64_t>(begin), got);
      if (first_accepted) {
        ASSERT_EQ(got, value) << "bound " << bound;
      }
      const uint128 accepted = end - begin - (first_accepted ? 0 : 1);
      ASSERT_TRUE(accepted == share) << "bound " << bound << ", value " << value;
      if (share < 2) continue;
      ASSERT_TRUE(accepts(bound, static_cast<std::uint64_t>(begin + 1), got));
      ASSERT_EQ(got, value);
      ASSERT_TRUE(accepts(bound, static_cast<std::uint64_t>(end - 1), got));
      ASSERT_EQ(got, value);
    }
  }
}

TEST(UniformBelow, RejectsAndDrawsAnew) {
  Script script{{0, 0, 0, kMostWord}};
  EXPECT_EQ(uniform_below(script, 3), 2u);  // 2^64 mod 3 = 1: the word 0 alone is rejected
  EXPECT_EQ(script.used, 4u);
  Script power_of_two{{0}};
  EXPECT_EQ(uniform_below(power_of_two, std::uint64_t{1} << 62), 0u);
  EXPECT_EQ(power_of_two.used, 1u);
  Script one{{12345}};
  EXPECT_EQ(uniform_below(one, 1), 0u);
}

/// Counts of `draws` values below `bound` in equal bins.
template <class Draw>
std::vector<std::uint64_t> bin_counts(std::uint64_t bound, std::uint64_t bins, Draw draw) {
  constexpr int kValues = 400'000;
  std::vector<std::uint64_t> counts(bins);
  for (int i = 0; i < kValues; ++i) {
    ++counts[static_cast<std::size_t>((static_cast<uint128>(draw()) * bins) / bound)];
  }
  return counts;
}

TEST(UniformBelow, IsUniformByChiSquare) {
  struct Twister {
    std::mt19937_64 random{3};
    std::uint64_t word() { return random(); }
  } source;
  const std::uint64_t quarter = std::uint64_t{1} << 62;
  // Bounds far from a divisor of 2^64, where word % bound favours the small values visibly.
  const std::vector<std::uint64_t> biased_remainder = {quarter / 2 * 3, quarter * 3};
  for (const std::uint64_t bound :
       {std::uint64_t{3}, quarter - 1, 2 * quarter + 1, biased_remainder[0], biased_remainder[1]}) {
    const std::uint64_t bins = bound < 96 ? bound : 96;
    const std::vector<double> even(bins, 1.0 / static_cast<double>(bins));
    EXPECT_TRUE(
        test::follows(even, bin_counts(bound, bins, [&] { return uniform_below(source, bound); })));
  }
  // The test is sharp enough: it sees the bias of a plain remainder.
  for (const std::uint64_t bound : biased_remainder) {
    const std::vector<double> even(96, 1.0 / 96);
    EXPECT_FALSE(test::follows(even, bin_counts(bound, 96, [&] { return source.word() % bound; })));
  }
}

}  // namespace
}  // namespace mollify
