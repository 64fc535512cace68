#include "kernel/noise/square_root.h"

#include <cstdint>
#include <random>

#include <gtest/gtest.h>

namespace mollify {
namespace {

uint128 squared(std::uint64_t value) { return static_cast<uint128>(value) * value; }

/// Whether all three answers for n are right.
bool has_roots(uint128 n) {
  const std::uint64_t floor = detail::floor_sqrt(n), ceil = detail::ceil_sqrt(n);
  const detail::ScaledRoot scaled = detail::scaled_root(n);
  if (squared(floor) > n || squared(floor + 1) <= n || squared(ceil) < n) return false;
  if (ceil > 0 && squared(ceil - 1) >= n) return false;
  if (n == 0) return scaled.root == 0 && scaled.shift == 0;
  return scaled.root >> 62 == 1 && squared(scaled.root) <= n << (2 * scaled.shift) &&
         squared(scaled.root + 1) > n << (2 * scaled.shift);
}

TEST(SquareRoot, IsExact) {
  for (std::uint64_t n = 0; n < 20'000; ++n) ASSERT_TRUE(has_roots(n)) << n;
  std::mt19937_64 random(41);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t root = (random() >> 1) >> (random() % 63);
    const uint128 square = squared(root);
    ASSERT_TRUE(has_roots(square)) << root;
    ASSERT_TRUE(has_roots(square + root)) << root;
    ASSERT_TRUE(root == 0 || has_roots(square - 1)) << root;
    const uint128 any = (static_cast<uint128>(random()) << 64 | random()) >> (2 + random() % 126);
    ASSERT_TRUE(has_roots(any));
  }
  ASSERT_TRUE(has_roots((uint128{1} << 126) - 1));
}

}  // namespace
}  // namespace mollify
