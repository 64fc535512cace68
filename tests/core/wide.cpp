#include "core/wide.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

// Every operation of our 128-bit integers is compared with the compiler's.
namespace mollify::detail {

namespace {

__extension__ using Native = unsigned __int128;
__extension__ using SignedNative = __int128;

std::uint64_t high_of(Native x) { return static_cast<std::uint64_t>(x >> 64); }

Wide wide_of(Native x) { return (Wide(high_of(x)) << 64) | Wide(static_cast<std::uint64_t>(x)); }

bool are_equal(Wide x, Native y) {
  return static_cast<std::uint64_t>(x) == static_cast<std::uint64_t>(y) &&
         static_cast<std::uint64_t>(x >> 64) == high_of(y);
}

/// Words at whose ends carries, borrows and rounding happen, all pairs of them, and others.
std::vector<Native> wide_numbers() {
  std::vector<std::uint64_t> words = {0, 1, 2, 3};
  for (const int bits : {31, 32, 33, 52, 53, 54, 62, 63}) {
    const std::uint64_t power = std::uint64_t{1} << bits;
    for (const std::uint64_t word : {power - 1, power, power + 1}) words.push_back(word);
  }
  for (std::uint64_t i = 0; i < 3; ++i) words.push_back(~i);
  std::vector<Native> all;
  for (const std::uint64_t high : words) {
    for (const std::uint64_t low : words) all.push_back((Native{high} << 64) | low);
  }
  std::mt19937_64 random(128);
  for (int i = 0; i < 200; ++i) {
    const Native some = (Native{random()} << 64) | random();
    all.push_back(some >> (random() % 128));
  }
  return all;
}

TEST(Wide, IsTheCompilersUnsignedInteger) {
  const std::vector<Native> all = wide_numbers();
  ASSERT_GT(all.size(), 1100u);
  for (const Native x : all) {
    const Wide a = wide_of(x);
    ASSERT_TRUE(are_equal(a, x));
    ASSERT_TRUE(are_equal(~a, ~x));
    ASSERT_TRUE(are_equal(-a, -x));
    ASSERT_EQ(static_cast<bool>(a), x != 0);
    ASSERT_EQ(static_cast<double>(a), static_cast<double>(x));
    ASSERT_EQ(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(x));
    for (int by = 0; by < 128; ++by) {
      ASSERT_TRUE(are_equal(a << by, x << by));
      ASSERT_TRUE(are_equal(a >> by, x >> by));
    }
    for (const Native y : all) {
      const Wide b = wide_of(y);
      ASSERT_TRUE(are_equal(a + b, x + y));
      ASSERT_TRUE(are_equal(a - b, x - y));
      ASSERT_TRUE(are_equal(a * b, x * y));
      ASSERT_TRUE(are_equal(a & b, x & y));
      ASSERT_TRUE(are_equal(a | b, x | y));
      ASSERT_TRUE(are_equal(a ^ b, x ^ y));
      ASSERT_EQ(a < b, x < y);
      ASSERT_EQ(a == b, x == y);
    }
  }
}

// Division takes a digit at a time, so that fewer pairs are tried.
TEST(Wide, DividesAsTheCompilerDoes) {
  const std::vector<Native> all = wide_numbers();
  for (std::size_t i = 0; i < all.size(); i += 7) {
    for (std::size_t j = 0; j < all.size(); j += 5) {
      if (all[j] == 0) continue;
      ASSERT_TRUE(are_equal(wide_of(all[i]) / wide_of(all[j]), all[i] / all[j]));
      ASSERT_TRUE(are_equal(wide_of(all[i]) % wide_of(all[j]), all[i] % all[j]));
    }
  }
}

TEST(Wide, IsMadeOfDoublesAndOfSmallerIntegers) {
  for (const double value :
       {0.0, 0.9, 1.0, 1e18, 0x1p62, 0x1.fffffffffffffp63, 0x1p64, 1.5e30, 0x1.fffffffffffffp127}) {
    EXPECT_TRUE(are_equal(Wide(value), static_cast<Native>(value))) << value;
  }
  EXPECT_TRUE(are_equal(Wide(-1), static_cast<Native>(-1)));
  EXPECT_TRUE(are_equal(Wide(std::uint32_t{7}), 7));
}

TEST(SignedWide, IsTheCompilersSignedInteger) {
  const std::vector<Native> all = wide_numbers();
  for (const Native x : all) {
    const auto signed_x = static_cast<SignedNative>(x);
    const SignedWide a(wide_of(x));
    ASSERT_EQ(static_cast<double>(a), static_cast<double>(signed_x));
    ASSERT_EQ(static_cast<std::int64_t>(a), static_cast<std::int64_t>(signed_x));
    ASSERT_TRUE(are_equal(static_cast<Wide>(-a), -x));
    for (int by = 0; by < 128; by += 5) {
      ASSERT_TRUE(are_equal(static_cast<Wide>(a >> by), static_cast<Native>(signed_x >> by)));
    }
    for (std::size_t j = 0; j < all.size(); j += 3) {
      const SignedWide b(wide_of(all[j]));
      ASSERT_TRUE(are_equal(static_cast<Wide>(a - b), x - all[j]));
      ASSERT_TRUE(are_equal(static_cast<Wide>(a + b), x + all[j]));
      ASSERT_TRUE(are_equal(static_cast<Wide>(a * b), x * all[j]));
      ASSERT_EQ(a < b, signed_x < static_cast<SignedNative>(all[j]));
    }
  }
}

}  // namespace

}  // namespace mollify::detail
