#include "space/field_text.h"

#include <rapidcheck.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "not_finite.h"

namespace mollify {
namespace {

using test::kInfinity;

TEST(ReadNumber, ReadsDecimalNotation) {
  EXPECT_EQ(read_number("3.5"), 3.5);
  EXPECT_EQ(read_number("-12"), -12.0);
  EXPECT_EQ(read_number("+7"), 7.0);
  EXPECT_EQ(read_number(" \t7 "), 7.0);
  EXPECT_EQ(read_number(".5"), 0.5);
  EXPECT_EQ(read_number("5."), 5.0);
  EXPECT_EQ(read_number("1e3"), 1000.0);
  EXPECT_EQ(read_number("1E+3"), 1000.0);
  EXPECT_EQ(read_number("007"), 7.0);
}

TEST(ReadNumber, SendsWhatIsTooLargeToInfinityAndWhatIsTooSmallToZero) {
  EXPECT_EQ(read_number("inf"), kInfinity);
  EXPECT_EQ(read_number("-Infinity"), -kInfinity);
  EXPECT_EQ(read_number("1e999"), kInfinity);
  EXPECT_EQ(read_number("-1e999"), -kInfinity);
  EXPECT_EQ(read_number("1e99999999999999999999999999"), kInfinity);
  EXPECT_EQ(read_number("1e-999"), 0.0);
  EXPECT_EQ(read_number("-1e-99999999999999999999999999"), 0.0);
  EXPECT_EQ(read_number("1" + std::string(100000, '0')), kInfinity);
  EXPECT_EQ(read_number("0." + std::string(100000, '0') + "1"), 0.0);
  EXPECT_EQ(read_number("1" + std::string(100000, '0') + "e-200000"), 0.0);
  EXPECT_EQ(read_number("0." + std::string(1000, '0') + "1e2000"), kInfinity);
  EXPECT_EQ(read_number("1" + std::string(1000, '0') + "e-1000"), 1.0);
}

TEST(ReadNumber, ReadsNothingElse) {
  for (const char* text :
       {"",    " ",    "+",      "-",   ".",   "e5",    "1e",   "0x10", "1,5",   "1 2",
        "nan", "-NaN", "nan(1)", "++1", "+-1", "1_000", "\xff", "１",   "1e5.0", "infinite"}) {
    EXPECT_FALSE(read_number(text).has_value()) << text;
  }
  EXPECT_FALSE(read_number({}).has_value());
  EXPECT_FALSE(read_number(std::string("1\0", 2)).has_value());
}

TEST(ReadInteger, ReadsDigitsWithOrWithoutZeroDecimals) {
  EXPECT_EQ(read_integer("3"), 3);
  EXPECT_EQ(read_integer("+3"), 3);
  EXPECT_EQ(read_integer("-3.0"), -3);
  EXPECT_EQ(read_integer("3."), 3);
  EXPECT_EQ(read_integer(" 9223372036854775807.000 "), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(read_integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  for (const char* text : {"", "3.5", "3e0", "9223372036854775808", "x", "3 4", "-", "0x3"}) {
    EXPECT_FALSE(read_integer(text).has_value()) << text;
  }
}

TEST(IsNullWord, KnowsTheWords) {
  for (const char* word : {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"}) {
    EXPECT_TRUE(is_null_word(word)) << word;
  }
  for (const char* word : {" ", "na", "NAN", "none", "Null", "0", "-", "nanan"}) {
    EXPECT_FALSE(is_null_word(word)) << word;
  }
}

TEST(IsUtf8, RefusesBrokenSequences) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
  for (const char* text : {"\xff", "\xc3", "a\xc3(", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                           "\xe2\x82", "\x80"}) {
    EXPECT_FALSE(is_utf8(text));
  }
}

TEST(EqualIgnoringCase, ComparesAsciiLetters) {
  EXPECT_TRUE(equal_ignoring_case("TrUe", "tRuE"));
  EXPECT_FALSE(equal_ignoring_case("true", "tru"));
  EXPECT_FALSE(equal_ignoring_case("@", "`"));
}

RC_GTEST_PROP(ReadNumber, IsTotalAndAgreesWithReadInteger, (const std::string& text)) {
  const auto number = read_number(text);
  if (number) RC_ASSERT(!std::isnan(*number));
  if (const auto integer = read_integer(text)) {
    RC_ASSERT(number.has_value());
    RC_ASSERT(*number == static_cast<double>(*integer));
  }
}

RC_GTEST_PROP(ReadNumber, ReadsShortDecimalsAsTheStandardLibraryDoes, ()) {
  const auto digits = *rc::gen::inRange<std::size_t>(1, 19);
  std::string text = *rc::gen::container<std::string>(digits, rc::gen::inRange('0', ':'));
  text.insert(*rc::gen::inRange<std::size_t>(0, digits + 1), *rc::gen::element("", ".", "."));
  text.insert(0, *rc::gen::element("", "-"));
  double expected = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), expected);
  RC_ASSERT(result.ptr == text.data() + text.size());
  const auto found = read_number(text);
  RC_ASSERT(found.has_value());
  RC_ASSERT(std::bit_cast<std::uint64_t>(*found) == std::bit_cast<std::uint64_t>(expected));
}

// Texts that are nearly numbers, with letters next to digits and the point and their like with a
// high bit: the standard library says which of them are numbers, and which.
RC_GTEST_PROP(ReadNumber, ReadsAndRefusesWhatTheStandardLibraryDoes, ()) {
  const auto digit = rc::gen::inRange('0', ':');
  const auto odd = rc::gen::elementOf(std::string("..../:-e\xb0\xb9\xae\x10\x19\x0e\0", 15));
  const auto text = *rc::gen::container<std::string>(
      *rc::gen::inRange<std::size_t>(0, 20), rc::gen::weightedOneOf<char>({{9, digit}, {1, odd}}));
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  const auto found = read_number(text);
  RC_PRE(result.ec != std::errc::result_out_of_range);
  RC_ASSERT(found.has_value() == (result.ec == std::errc{} && result.ptr == end));
  if (found) {
    RC_ASSERT(std::bit_cast<std::uint64_t>(*found) == std::bit_cast<std::uint64_t>(value));
  }
  std::int64_t integer = 0;
  const auto whole = std::from_chars(text.data(), end, integer);
  if (whole.ec == std::errc{} && whole.ptr == end) RC_ASSERT(read_integer(text) == integer);
  if (text.find_first_not_of("-0123456789.") != std::string::npos) {
    RC_ASSERT(!read_integer(text).has_value());
  }
}

RC_GTEST_PROP(ReadNumber, ReadsWhatItWasGiven, (double value)) {
  RC_PRE(std::isfinite(value));
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", value);
  RC_ASSERT(read_number(text) == value);
}

}  // namespace
}  // namespace mollify
