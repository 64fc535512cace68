#include "base/decimals.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include <boost/multiprecision/cpp_int.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/invalid_input.h"
#include "core/ranges.h"
#include "not_finite.h"
#include "refusal.h"

namespace mollify {

namespace {

using ExactFraction = boost::multiprecision::cpp_rational;

Decimal decimal(const char* text) { return Decimal::parse(text, "epsilon"); }

/// Any finite double of at least 0, with every pattern of bits as likely.
rc::Gen<double> any_positive_double() {
  return rc::gen::map(rc::gen::inRange<std::uint64_t>(0, 0x7ff0000000000000U),
                      [](std::uint64_t bits) {
                        double value = 0;
                        std::memcpy(&value, &bits, sizeof value);
                        return value;
                      });
}

TEST(Decimal, ReadsAndWritesWhatPeopleType) {
  for (const auto& [typed, written] :
       {std::pair{"0.1", "0.1"}, std::pair{"1", "1"}, std::pair{"100", "100"}, std::pair{"0", "0"},
        std::pair{"0.000", "0"}, std::pair{"1.50", "1.5"}, std::pair{".5", "0.5"},
        std::pair{"5.", "5"}, std::pair{"1e-6", "0.000001"}, std::pair{"2.5E+3", "2500"},
        std::pair{"007", "7"}, std::pair{"1e-300", "1e-300"}, std::pair{"12.5e-100", "1.25e-99"},
        std::pair{"1e50", "1e50"}}) {
    EXPECT_EQ(decimal(typed).text(), written);
    EXPECT_EQ(decimal(written), decimal(typed));
  }
}

TEST(Decimal, IsPrintedForPeopleAsDoublesAre) {
  for (const char* text : {"0", "0.0001", "0.00012345", "1e-5", "1e-7", "1.5e-6", "9.99e-10",
                           "1e-99", "1.25e-300", "0.1", "0.500001", "1", "2500", "100"}) {
    EXPECT_EQ(words_of(decimal(text)), text);
    EXPECT_EQ(words_of(decimal(text)), detail::shortest(decimal(text).up()));
  }
  // None of its digits is lost.
  EXPECT_EQ(words_of(decimal("0.0000001234567891")), "1.234567891e-7");
}

TEST(Decimal, RefusesOtherTextsInOneSentence) {
  const std::string long_text(2000, '1');
  for (const char* text : {"", ".", "-1", "+1", "1,5", "1e", "1e+", "1e+-5", "e5", "0x10", "inf",
                           "nan", "1 ", " 1", "1e9999", "1.2.3", long_text.c_str()}) {
    EXPECT_THROW(decimal(text), InvalidInput) << text;
  }
  EXPECT_EQ(test::refusal_of([] { decimal("-1"); }),
            "epsilon must be a decimal number of at least 0, but is \"-1\"");
  for (const auto& [text, code] :
       {std::pair{"-1", "out-of-range"}, std::pair{"inf", "out-of-range"},
        std::pair{"-1x", "malformed-text"}, std::pair{"", "malformed-text"}}) {
    try {
      decimal(text);
      ADD_FAILURE() << text;
    } catch (const InvalidInput& refused) {
      EXPECT_EQ(refused.code().name, code) << text;
    }
  }
  for (const double bad : {-1.0, test::kNan, test::kInfinity}) {
    EXPECT_THROW(Decimal{bad}, InvalidInput);
  }
}

TEST(Decimal, RoundsToTheNamedSide) {
  EXPECT_GT(Decimal(0.1), decimal("0.1"));  // the double nearest to 1/10 is above it
  EXPECT_EQ(decimal("0.1").down(), std::nextafter(0.1, 0.0));
  EXPECT_EQ(decimal("0.1").up(), 0.1);
  EXPECT_EQ(decimal("0.5").down(), 0.5);
  EXPECT_EQ(decimal("1e400").down(), std::numeric_limits<double>::max());
  EXPECT_EQ(decimal("1e400").up(), test::kInfinity);
  EXPECT_EQ(decimal("1e-400").down(), 0.0);
  EXPECT_EQ(decimal("1e-400").up(), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(decimal("0.123456789").with_digits_down(6).text(), "0.123456");
  EXPECT_EQ(decimal("0.123456789").with_digits_up(6).text(), "0.123457");
  EXPECT_EQ(decimal("0.99999999").with_digits_up(3).text(), "1");
  EXPECT_EQ(decimal("0.5").with_digits_up(3).text(), "0.5");
  EXPECT_EQ(decimal("1234567").with_digits_down(2).text(), "1200000");
}

// The lemma on which a charge rests: down() is the greatest double that is not above the number.
RC_GTEST_PROP(DecimalProperty, DoublesNextToANumber, ()) {
  const auto digits =
      *rc::gen::container<std::string>(rc::gen::inRange('0', static_cast<char>('9' + 1)));
  const int exponent = *rc::gen::inRange(-340, 150);  // with up to 100 digits, a finite double
  const Decimal number = decimal(("1" + digits + "e" + std::to_string(exponent)).c_str());
  const double down = number.down();
  const double up = number.up();
  RC_ASSERT(Decimal(down) <= number);
  RC_ASSERT(Decimal(std::nextafter(down, test::kInfinity)) > number);
  RC_ASSERT(Decimal(up) >= number);
  RC_ASSERT(up == down || std::nextafter(down, test::kInfinity) == up);
  RC_ASSERT(Decimal::parse(number.text(), "number") == number);
}

RC_GTEST_PROP(DecimalProperty, DoublesAreExact, ()) {
  const double value = *any_positive_double();
  const Decimal number(value);
  RC_ASSERT(number.down() == value);
  RC_ASSERT(number.up() == value);
  RC_ASSERT(Decimal::parse(number.text(), "number") == number);
}

RC_GTEST_PROP(DecimalProperty, ArithmeticIsThatOfFractions, ()) {
  const auto dyadic = rc::gen::map(rc::gen::inRange(0, 1 << 20), [](int n) { return n * 0x1p-10; });
  const double a = *dyadic;
  const double b = *dyadic;
  RC_ASSERT(Decimal(a) + Decimal(b) == Decimal(a + b));
  RC_ASSERT(Decimal(a) * Decimal(b) == Decimal(a * b));
  RC_ASSERT(minus_or_zero(Decimal(a), Decimal(b)) == Decimal(std::max(0.0, a - b)));
  RC_ASSERT((Decimal(a) < Decimal(b)) == (a < b));
  const auto fraction = [](int thousandths) { return ExactFraction(thousandths, 1000); };
  const int m = *rc::gen::inRange(0, 5000);
  const int n = *rc::gen::inRange(0, 5000);
  const auto text = [](int thousandths) { return std::to_string(thousandths) + "e-3"; };
  RC_ASSERT((decimal(text(m).c_str()) + decimal(text(n).c_str()) == decimal("2.5")) ==
            (fraction(m) + fraction(n) == ExactFraction(5, 2)));
}

}  // namespace

}  // namespace mollify
