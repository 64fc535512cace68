#include "base/decimal_text.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include "core/ranges.h"

namespace mollify {

namespace {

using boost::multiprecision::cpp_rational;

cpp_rational rational_of(const DecimalText& number) {
  cpp_rational value(number.digits.empty() ? "0" : number.digits);
  for (int i = 0; i < number.exponent; ++i) value *= 10;
  for (int i = 0; i > number.exponent; --i) value /= 10;
  return value;
}

/// A rational takes a double as it is.
void expect_next_below(const std::string& text) {
  const std::optional<DecimalText> number = read_decimal(text);
  ASSERT_TRUE(number) << text;
  const double found = double_down(*number);
  const cpp_rational value = rational_of(*number);
  ASSERT_LE(cpp_rational(found), value) << text;
  const double above = std::nextafter(found, std::numeric_limits<double>::infinity());
  if (std::isfinite(above)) {
    ASSERT_GT(cpp_rational(above), value) << text;
  }
}

TEST(DecimalText, IsReadOrNot) {
  EXPECT_EQ(read_decimal("0012.500"), (DecimalText{"125", -1}));
  EXPECT_EQ(read_decimal("1200"), (DecimalText{"12", 2}));
  EXPECT_EQ(read_decimal(".5E+3"), (DecimalText{"5", 2}));
  EXPECT_EQ(read_decimal("1e-6"), (DecimalText{"1", -6}));
  EXPECT_EQ(read_decimal("0.000e7"), DecimalText());
  for (const char* text : {"", ".", "-1", "+1", "1e", "1e+", "1e1.5", "1e-", "0x1", "1 ", " 1",
                           "nan", "inf", "1.2.3", "1e1101", "1e99999999999999999999", "1,5"}) {
    EXPECT_FALSE(read_decimal(text)) << text;
  }
  EXPECT_TRUE(read_decimal(std::string(1100, '1')));
  EXPECT_FALSE(read_decimal(std::string(1101, '1')));
}

TEST(DecimalText, TheDoubleBelowIsTheNextOne) {
  for (const char* text :
       {"0.1", "1e-6", "2", "30", "9007199254740993", "9007199254740992", "1e22", "1e23", "1e300",
        "4.9e-324", "4.94065645841246544177e-324", "2.5e-324", "2.2250738585072014e-308", "1e-1100",
        "1.7976931348623157e308", "1.7976931348623159e308", "1e1100", "0.30000000000000004",
        "1.00000000000000000000000000000000000000001"}) {
    expect_next_below(text);
  }
  std::mt19937_64 random(10);
  for (int i = 0; i < 3000; ++i) {
    std::string text = std::to_string(random() >> (random() % 64));
    text.insert(random() % (text.size() + 1), ".");
    expect_next_below(text + "e" + std::to_string(static_cast<int>(random() % 700) - 350));
  }
}

TEST(DecimalText, ADoublesOwnDigitsAreTheDouble) {
  std::mt19937_64 random(17);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t bits = random() >> 1;
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    char text[1200];
    std::snprintf(text, sizeof text, "%.780e", value);
    const std::optional<DecimalText> number = read_decimal(text);
    ASSERT_TRUE(number);
    ASSERT_EQ(double_down(*number), value) << text;
  }
}

TEST(DecimalText, SixDigitsAreThoseOfPrintf) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {0.0,
                             -0.0,
                             1.0,
                             -1.0,
                             0.1,
                             1e-6,
                             1e-7,
                             9.999995e-5,
                             9.9999949e-5,
                             1e-4,
                             0.5,
                             123456.0,
                             123456.5,
                             123457.5,
                             999999.4,
                             999999.5,
                             1e6,
                             1e15,
                             1e22,
                             1e100,
                             -2.5e-308,
                             5e-324,
                             1.7976931348623157e308,
                             infinity,
                             -infinity,
                             12.5,
                             100000.0,
                             10.0}) {
    EXPECT_EQ(six_digits(value), detail::shortest(value));
  }
  EXPECT_EQ(six_digits(std::nan("")), "nan");
  std::mt19937_64 random(6);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t bits = random();
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isnan(value)) continue;
    ASSERT_EQ(six_digits(value), detail::shortest(value)) << bits;
    const double plain = static_cast<double>(bits % 10'000'000) / 10;
    ASSERT_EQ(six_digits(plain), detail::shortest(plain));
  }
}

TEST(DecimalText, WritesWholeNumbers) {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{9}, std::uint64_t{10}, std::uint64_t{16'777'216},
        std::numeric_limits<std::uint64_t>::max()}) {
    EXPECT_EQ(whole_text(value), std::to_string(value));
  }
}

}  // namespace

}  // namespace mollify
