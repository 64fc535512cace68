#include "kernel/naturals.h"

#include <gmpxx.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "core/random.h"
#include "not_finite.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Natural.

namespace {

/// The same number in GMP.
mpz_class in_gmp(const Natural& value) {
  mpz_class result = 0;
  for (std::size_t i = value.bit_length() / 64 + 1; i-- > 0;) {
    result <<= 64;
    result += mpz_class(static_cast<unsigned long>((value >> (64 * i)).low_word()));
  }
  return result;
}

TEST(Natural, ComputesAsGmpDoes) {
  std::mt19937_64 random(11);
  const auto any = [&] {
    Natural value;
    for (std::uint64_t words = random() % 5; words > 0; --words) {
      // Long runs of zeros and ones, where carries go far.
      const std::uint64_t word = random() % 3 == 0   ? 0
                                 : random() % 2 == 0 ? ~random() % 4
                                                     : random();
      value = (value << 64) + Natural(random() % 4 == 0 ? ~std::uint64_t{0} : word);
    }
    return value >> (random() % 70);
  };
  for (int i = 0; i < 20'000; ++i) {
    const Natural a = any(), b = any();
    const mpz_class x = in_gmp(a), y = in_gmp(b);
    const std::size_t bits = random() % 200;
    ASSERT_TRUE(in_gmp(a + b) == x + y);
    ASSERT_TRUE(in_gmp(a * b) == x * y);
    ASSERT_TRUE(in_gmp(a << bits) == mpz_class(x << bits));
    ASSERT_TRUE(in_gmp(a >> bits) == mpz_class(x >> bits));
    ASSERT_EQ(a < b, x < y);
    ASSERT_EQ(a == b, x == y);
    ASSERT_TRUE(in_gmp(a < b ? b - a : a - b) == abs(x - y));
    ASSERT_TRUE(in_gmp(a.floor_sqrt()) == sqrt(x));
    ASSERT_EQ(a.bit_length(), x == 0 ? 0 : mpz_sizeinbase(x.get_mpz_t(), 2));
    if (y != 0 && i % 20 == 0) {
      ASSERT_TRUE(in_gmp(a / b) == mpz_class(x / y));
    }
  }
}

TEST(Natural, TakesWideIntegersWhole) {
  const uint128 value = (static_cast<uint128>(0x0123456789ABCDEF) << 64) | 0xFEDCBA9876543210;
  EXPECT_EQ(Natural(value).low_word(), 0xFEDCBA9876543210);
  EXPECT_EQ((Natural(value) >> 64).low_word(), 0x0123456789ABCDEFu);
  EXPECT_EQ(Natural(value).bit_length(), 121u);
  EXPECT_EQ(Natural(), Natural(0));
  EXPECT_EQ(Natural().floor_sqrt(), Natural());
  EXPECT_EQ(Natural().bit_length(), 0u);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Ratio.

namespace {

TEST(Ratio, IsNeverLessThanTheDouble) {
  for (const double value : {0x1p62, 1e18, 3.5, 1.0, 0.1, 0x1p-10, 0.001, 1e-6, 1e-30, 0x1p-1074}) {
    const Ratio ratio = Ratio::at_least("x", value);
    EXPECT_GE(ratio.numerator, 1u);
    EXPECT_LE(ratio.numerator, Ratio::kGreatest);
    EXPECT_LE(ratio.denominator, Ratio::kGreatest);
    // Both numbers are doubles here, and the denominator a power of two: the quotient is exact.
    const double quotient =
        static_cast<double>(ratio.numerator) / static_cast<double>(ratio.denominator);
    if (value >= 0x1p-10) {
      EXPECT_EQ(quotient, value);
    } else {
      EXPECT_GE(quotient, value);
      EXPECT_LE(quotient - value, 0x1p-62);
    }
  }
  EXPECT_EQ(Ratio::at_least("x", 2.5), (Ratio{5, 2}));
  EXPECT_EQ(Ratio::at_least("x", 0x1p-1074), (Ratio{1, Ratio::kGreatest}));
}

TEST(Ratio, RefusesInOneSentence) {
  for (const auto& [value, text] : {std::pair{0.0, "0"},
                                    {-1.0, "-1"},
                                    {1e19, "1e+19"},
                                    {test::kInfinity, "inf"},
                                    {test::kNan, "nan"}}) {
    try {
      static_cast<void>(Ratio::at_least({"a scale", "scale"}, value));
      ADD_FAILURE() << text;
    } catch (const InvalidInput& refused) {
      EXPECT_EQ(refused.what(),
                "a scale must be positive and at most 2^62, but is " + std::string(text));
    }
  }
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Square root.

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
