#include "arrow/decimal_text.h"

#include <rapidcheck.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace mollify {
namespace {

using boost::multiprecision::cpp_int;

/// As the format lays it out: two's complement, the lowest byte first.
std::array<std::uint8_t, 32> laid_out(cpp_int value) {
  std::array<std::uint8_t, 32> bytes{};
  if (value < 0) value += cpp_int(1) << 256U;
  for (std::uint8_t& byte : bytes) {
    byte = static_cast<std::uint8_t>(value & 255U);
    value >>= 8U;
  }
  return bytes;
}

std::string text_of(const cpp_int& value, int bytes, int scale) {
  std::string text;
  append_decimal(laid_out(value).data(),
                 {static_cast<std::uint8_t>(bytes), static_cast<std::int8_t>(scale)}, text);
  return text;
}

std::string decimal128(const std::string& integer, int scale) {
  return text_of(cpp_int(integer), 16, scale);
}

TEST(DecimalText, WritesEveryDigit) {
  EXPECT_EQ(decimal128("0", 0), "0");
  EXPECT_EQ(decimal128("0", 2), "0.00");
  EXPECT_EQ(decimal128("0", -2), "0");
  EXPECT_EQ(decimal128("-5", 2), "-0.05");
  EXPECT_EQ(decimal128("5", 1), "0.5");
  EXPECT_EQ(decimal128("-1234", 2), "-12.34");
  EXPECT_EQ(decimal128("1200", 2), "12.00");
  EXPECT_EQ(decimal128("-12", -3), "-12000");
  EXPECT_EQ(decimal128("1000000000", 0), "1000000000") << "zeros inside";
  EXPECT_EQ(decimal128("99999999999999999999999999999999999999", 38),
            "0.99999999999999999999999999999999999999");
  EXPECT_EQ(decimal128("-99999999999999999999999999999999999999", 0),
            "-99999999999999999999999999999999999999");
  EXPECT_EQ(text_of(-(cpp_int(1) << 31U), 4, 0), "-2147483648");
  EXPECT_EQ(text_of((cpp_int(1) << 63U) - 1, 8, 18), "9.223372036854775807");
  EXPECT_EQ(text_of(-(cpp_int(1) << 127U), 16, 0), "-170141183460469231731687303715884105728");
  EXPECT_EQ(text_of(-(cpp_int(1) << 255U), 32, -76).size(), 154U) << "no form is longer";
}

// cpp_int's own digits are the second opinion, and its own arithmetic what the text is worth.
RC_GTEST_PROP(DecimalText, IsWorthTheInteger, ()) {
  const int bytes = 4 << *rc::gen::inRange(0, 4);
  const int bits = *rc::gen::inRange(0, 8 * bytes);
  cpp_int value = 0;
  for (const std::uint32_t limb :
       *rc::gen::container<std::vector<std::uint32_t>>(8, rc::gen::arbitrary<std::uint32_t>())) {
    value = value << 32U | limb;
  }
  value &= (cpp_int(1) << static_cast<unsigned>(bits)) - 1;
  if (*rc::gen::arbitrary<bool>()) value = -value;
  const int scale = *rc::gen::inRange(-76, 77);
  std::string text = "before";
  append_decimal(laid_out(value).data(),
                 {static_cast<std::uint8_t>(bytes), static_cast<std::int8_t>(scale)}, text);
  RC_ASSERT(text.substr(0, 6) == "before");
  text.erase(0, 6);
  const std::size_t point = text.find('.');
  RC_ASSERT(text.size() - (scale > 0 ? point + 1 : text.size()) ==
            static_cast<std::size_t>(scale > 0 ? scale : 0));
  if (scale > 0) text.erase(point, 1);
  const std::size_t digits = text.find_first_not_of('-');
  RC_ASSERT(digits == (value < 0 ? 1U : 0U));
  const std::size_t first = text.find_first_not_of('0', digits);
  const std::string without_zeros = first == std::string::npos ? "0" : text.substr(first);
  cpp_int expected = abs(value);
  for (int i = scale; i < 0; ++i) expected *= 10;
  RC_ASSERT(without_zeros == expected.str());
  // One zero before the point, if any.
  RC_ASSERT(first - digits <= static_cast<std::size_t>(scale > 0 ? scale : 0) || value == 0);
}

}  // namespace
}  // namespace mollify
