#include "accounting/central_composition.h"

#include <cmath>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kernel/core/invalid_input.h"
#include "not_finite.h"

namespace mollify {
namespace {

using Fraction = boost::multiprecision::cpp_rational;
using PartNotion = CentralGuarantee::Notion;

TEST(CentralComposition, TakesTheStrongestNotionThatHoldsAll) {
  const CentralGuarantee pure{.notion = PartNotion::kPure, .epsilon = 0.5};
  const CentralGuarantee approximate{
      .notion = PartNotion::kApproximate, .epsilon = 0.25, .delta = 0x1p-20};
  const CentralGuarantee concentrated{.notion = PartNotion::kConcentrated, .rho = 0.125};
  EXPECT_EQ(composed_up(std::vector{pure, pure}),
            (CentralGuarantee{.notion = PartNotion::kPure, .epsilon = 1.0}));
  EXPECT_EQ(
      composed_up(std::vector{pure, approximate, approximate}),
      (CentralGuarantee{.notion = PartNotion::kApproximate, .epsilon = 1.0, .delta = 0x1p-19}));
  EXPECT_EQ(composed_up(std::vector{pure, concentrated}),
            (CentralGuarantee{.notion = PartNotion::kConcentrated, .rho = 0.25}));
  EXPECT_THROW(composed_up(std::vector{concentrated, approximate}), InvalidInput);
  EXPECT_THROW(composed_up({}), InvalidInput);
  for (const double bad : {-1.0, test::kNan, test::kInfinity}) {
    EXPECT_THROW(composed_up(std::vector{CentralGuarantee{.epsilon = bad}}), InvalidInput);
  }
}

// The sums are never below the exact ones, and above them by a rounding for each part at most.
RC_GTEST_PROP(CentralCompositionProperty, SumsAreRoundedUp, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 30);
  std::vector<CentralGuarantee> parts(count);
  Fraction sum = 0;
  for (CentralGuarantee& part : parts) {
    part.epsilon = std::exp(0.001 * *rc::gen::inRange(-20000, 5000));
    sum += Fraction(part.epsilon);
  }
  const double up = composed_up(parts).epsilon;
  RC_ASSERT(Fraction(up) >= sum);
  RC_ASSERT(Fraction(up) <= sum * Fraction(1 + 0x1p-47));
}

}  // namespace
}  // namespace mollify
