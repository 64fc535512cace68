#include <cmath>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "accounting/composition.h"
#include "core/invalid_input.h"
#include "not_finite.h"

namespace mollify {

namespace {

using Fraction = boost::multiprecision::cpp_rational;
using PartNotion = Privacy::Notion;

TEST(CentralComposition, TakesTheStrongestNotionThatHoldsAll) {
  const Privacy pure = Privacy::pure(0.5);
  const Privacy approximate = Privacy::approximate(0.25, 0x1p-20);
  const Privacy concentrated = Privacy::concentrated(0.125);
  const Privacy gaussian = Privacy::gaussian(0.5);
  EXPECT_EQ(composed_up(std::vector{pure, pure}), (Privacy::pure(1.0)));
  EXPECT_EQ(composed_up(std::vector{pure, approximate, approximate}),
            (Privacy::approximate(1.0, 0x1p-19)));
  EXPECT_EQ(composed_up(std::vector{pure, concentrated}), (Privacy::concentrated(0.25)));
  EXPECT_EQ(composed_up(std::vector{pure, gaussian}), (Privacy::concentrated(0.25)));
  EXPECT_THROW((void)composed_up(std::vector{concentrated, approximate}), InvalidInput);
  EXPECT_THROW((void)composed_up(std::vector{gaussian, approximate}), InvalidInput);
  EXPECT_THROW((void)composed_up({}), InvalidInput);
  for (const double bad : {-1.0, test::kNan, test::kInfinity}) {
    EXPECT_THROW((void)composed_up(std::vector{Privacy::pure(bad)}), InvalidInput);
  }
}

// The sums are never below the exact ones, and above them by a rounding for each part at most.
RC_GTEST_PROP(CentralCompositionProperty, SumsAreRoundedUp, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 30);
  std::vector<Privacy> parts(count);
  Fraction sum = 0;
  for (Privacy& part : parts) {
    part.epsilon = std::exp(0.001 * *rc::gen::inRange(-20000, 5000));
    sum += Fraction(part.epsilon);
  }
  const double up = composed_up(parts).epsilon;
  RC_ASSERT(Fraction(up) >= sum);
  RC_ASSERT(Fraction(up) <= sum * Fraction(1 + 0x1p-47));
}

}  // namespace

}  // namespace mollify
