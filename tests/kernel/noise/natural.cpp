#include "kernel/noise/natural.h"

#include <gmpxx.h>

#include <cstdint>
#include <random>

#include <gtest/gtest.h>

namespace mollify {
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
}  // namespace mollify
