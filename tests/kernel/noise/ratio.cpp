#include "kernel/noise/ratio.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"
#include "kernel/core/wide.h"
#include "not_finite.h"

namespace mollify {
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
      static_cast<void>(Ratio::at_least("a scale", value));
      ADD_FAILURE() << text;
    } catch (const InvalidInput& refused) {
      EXPECT_EQ(refused.what(),
                "a scale must be positive and at most 2^62, but is " + std::string(text));
    }
  }
}

}  // namespace
}  // namespace mollify
