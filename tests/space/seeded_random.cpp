#include "space/seeded_random.h"

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/core/chacha20.h"
#include "kernel/core/secure_random.h"

namespace mollify {
namespace {

std::vector<std::uint64_t> seeded_words_of(std::uint64_t seed, std::size_t count) {
  SeededRandom random(seed);
  std::vector<std::uint64_t> words(count);
  for (std::uint64_t& word : words) word = random.word();
  return words;
}

TEST(SeededRandom, RepeatsItselfAndDiffersBySeed) {
  EXPECT_EQ(seeded_words_of(7, 1000), seeded_words_of(7, 1000));
  EXPECT_NE(seeded_words_of(7, 1000), seeded_words_of(8, 1000));
  EXPECT_NE(seeded_words_of(7, 10), seeded_words_of(7 + (std::uint64_t{1} << 32), 10));
}

// Results made with a seed are worth keeping only if every later version repeats them.
TEST(SeededRandom, IsTheStreamOfItsSeed) {
  const std::uint64_t seed = 0x0123456789abcdef;
  const std::uint32_t key[8] = {0x89abcdef, 0x01234567};
  std::vector<std::uint64_t> expected(3 * 128);
  for (std::uint32_t batch = 0; batch < 3; ++batch) {
    const std::uint32_t nonce[3] = {batch, 0, 0};
    detail::chacha20(key, nonce, 0, reinterpret_cast<unsigned char*>(&expected[batch * 128]), 2);
  }
  EXPECT_EQ(seeded_words_of(seed, expected.size()), expected);
}

TEST(SeededRandom, StaysBelowTheBound) {
  SeededRandom random(1);
  for (const std::uint64_t bound : {1u, 2u, 3u, 1000u}) {
    for (int i = 0; i < 1000; ++i) EXPECT_LT(random.below(bound), bound);
  }
}

static_assert(!std::is_convertible_v<SeededRandom, SecureRandom>);
static_assert(!std::is_base_of_v<SecureRandom, SeededRandom>);

}  // namespace
}  // namespace mollify
