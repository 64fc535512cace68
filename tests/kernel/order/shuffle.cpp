#include "kernel/order/shuffle.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "kernel/even_words.h"

namespace mollify {
namespace {

TEST(Shuffle, GivesEveryOrderTheSameNumberOfWordStrings) {
  std::uint64_t orders = 1;
  for (std::uint32_t size = 1; size <= 7; ++size) {
    orders *= size;
    std::vector<std::uint64_t> bounds;
    for (std::uint32_t left = size; left > 1; --left) bounds.push_back(2 * left);
    test::EvenWords words(bounds);
    std::map<std::vector<std::uint32_t>, std::uint64_t> counts;
    std::uint64_t strings = 0;
    std::vector<std::uint32_t> values(size);
    do {
      std::iota(values.begin(), values.end(), 0u);
      detail::shuffle_with(std::span(values), words);
      ASSERT_EQ(words.used(), size - 1);
      ++counts[values];
      ++strings;
    } while (words.advance());
    EXPECT_EQ(counts.size(), orders);
    for (const auto& [order, count] : counts) ASSERT_EQ(count * orders, strings);
  }
}

TEST(Shuffle, IsUniformByChiSquare) {
  SecureRandom random;
  const std::vector<double> even(720, 1.0 / 720);
  std::map<std::vector<std::uint32_t>, std::size_t> rank;
  std::vector<std::uint32_t> order(6);
  std::iota(order.begin(), order.end(), 0u);
  do rank.emplace(order, rank.size());
  while (std::next_permutation(order.begin(), order.end()));
  std::vector<std::uint64_t> counts(720);
  for (int i = 0; i < 300'000; ++i) {
    std::iota(order.begin(), order.end(), 0u);
    shuffle(order, random);
    ++counts[rank.at(order)];
  }
  EXPECT_TRUE(test::follows(even, counts));
}

// Where each value of a long list ends up, and where the list's first value does.
TEST(Shuffle, SpreadsLongListsEvenly) {
  constexpr std::size_t kSize = 1000;
  SecureRandom random;
  std::vector<std::uint32_t> values(kSize);
  std::vector<std::uint64_t> place_of_first(kSize), first(kSize);
  for (int i = 0; i < 20'000; ++i) {
    std::iota(values.begin(), values.end(), 0u);
    shuffle(values, random);
    ++first[values[0]];
    ++place_of_first[static_cast<std::size_t>(std::find(values.begin(), values.end(), 0u) -
                                              values.begin())];
  }
  std::sort(values.begin(), values.end());
  for (std::uint32_t v = 0; v < kSize; ++v) ASSERT_EQ(values[v], v);
  const std::vector<double> even(kSize, 1.0 / kSize);
  EXPECT_TRUE(test::follows(even, first));
  EXPECT_TRUE(test::follows(even, place_of_first));
}

TEST(Shuffle, LeavesShortListsAlone) {
  SecureRandom random;
  shuffle({}, random);
  std::vector<std::uint32_t> one = {7};
  shuffle(one, random);
  EXPECT_EQ(one, std::vector<std::uint32_t>{7});
}

}  // namespace
}  // namespace mollify
