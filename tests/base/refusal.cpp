#include "base/refusal.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "refusal.h"

namespace mollify {
namespace {

TEST(RefuseInput, HasTheValuesItsConcernAndItsWaysOut) {
  const std::string name = "age";
  try {
    refuse_input("out-of-range", Concern::of_column(name), {WayOut::leave("bins")},
                 "column {} must have {} bins, but has {}", name, 2, 0.5);
  } catch (const InvalidInput& refused) {
    EXPECT_STREQ(refused.what(), "column age must have 2 bins, but has 0.5");
    EXPECT_EQ(refused.code(), Code("out-of-range"));
    EXPECT_EQ(refused.column(), "age");
    EXPECT_EQ(refused.parameter(), "");
    EXPECT_EQ(refused.ways_out(), std::vector{WayOut::leave("bins")});
  }
}

TEST(RefuseInput, MayHaveNoConcernAndNoWaysOut) {
  try {
    refuse_input("wrong-shape", {}, "{} rows", std::string("no"));
  } catch (const InvalidInput& refused) {
    EXPECT_STREQ(refused.what(), "no rows");
    EXPECT_EQ(refused.parameter() + refused.column() + refused.file(), "");
    EXPECT_TRUE(refused.ways_out().empty());
  }
}

TEST(RefuseIf, RefusesAFaultAlone) {
  const auto refusal_for = [](int count) {
    return test::refusal_of([count] {
      refuse_if(count < 1, "out-of-range", "count", "count must be at least 1, but is {}", count);
    });
  };
  EXPECT_EQ(refusal_for(1), "accepted");
  EXPECT_EQ(refusal_for(0), "count must be at least 1, but is 0");
}

TEST(RefuseOutside, HasTheNumbersThatDecide) {
  const Range range{.least = 0, .most = 1, .is_open = true};
  const auto refuse = [&](double given) {
    refuse_outside(range, given, "rate", "rate must be {}, but is {}", "a share", given);
  };
  refuse(1);
  for (const double given : {0.0, 1.5}) {
    try {
      refuse(given);
      ADD_FAILURE() << given;
    } catch (const InvalidInput& refused) {
      EXPECT_EQ(refused.code(), Code("out-of-range"));
      EXPECT_EQ(refused.parameter(), "rate");
      EXPECT_EQ(refused.quantities(),
                (std::vector<Quantity>{{"given", given}, {"above", 0}, {"most", 1}}));
    }
  }
  EXPECT_EQ(
      quantities_of(3, {.least = 1, .most = 2, .is_open_above = true}, "rows"),
      (std::vector<Quantity>{{"given", 3, "rows"}, {"least", 1, "rows"}, {"below", 2, "rows"}}));
}

}  // namespace
}  // namespace mollify
