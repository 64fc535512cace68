#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "accounting/composition.h"
#include "refusal.h"

namespace mollify {

namespace {

std::string refusal(const Privacy& budget, std::uint64_t count) {
  return test::refusal_of([&] { (void)draw_budget_down(budget, count); });
}

// fma(one, count, -total) has the sign of the exact difference.
RC_GTEST_PROP(DrawBudget, NeverExceedsTheWhole, ()) {
  const auto count = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
  const double total =
      *rc::gen::map(rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << 53),
                    [](std::uint64_t bits) { return 1.0 + static_cast<double>(bits) * 0x1p-50; });
  const double one = draw_budget_down(Privacy::pure(total), count).epsilon;
  RC_ASSERT(std::fma(one, static_cast<double>(count), -total) <= 0);
  RC_ASSERT(one <= 30);
  if (one < 30) {
    RC_ASSERT(std::fma(std::nextafter(one, 31.0), static_cast<double>(count), -total) > 0);
  }
  const double mu = draw_budget_down(Privacy::gaussian(total), count).mu;
  RC_ASSERT(mu * std::sqrt(static_cast<double>(count)) <= total * (1 + 0x1p-52));
}

TEST(DrawBudget, CountsADrawAboveThirtyAsThirty) {
  const Privacy hundred = Privacy::pure(100);
  const Privacy capped = draw_budget_down(hundred, 2);
  EXPECT_EQ(capped, Privacy::pure(30));
  EXPECT_EQ(draws_promise_up(hundred, capped, 2), Privacy::pure(60));
  const Privacy one = draw_budget_down(hundred, 4);
  EXPECT_EQ(one, Privacy::pure(25));
  EXPECT_EQ(draws_promise_up(hundred, one, 4), hundred);
}

TEST(DrawBudget, RefusesInTermsOfTheWhole) {
  const double nan = std::nan("");
  EXPECT_EQ(refusal(Privacy::pure(-1), 1), "epsilon must be finite and positive, but is -1");
  EXPECT_EQ(refusal(Privacy::pure(nan), 3), "epsilon must be finite and positive, but is nan");
  EXPECT_EQ(refusal(Privacy::pure(1e-7), 1), "epsilon must be at least 1e-6, but is 1e-7");
  EXPECT_EQ(refusal(Privacy::pure(1e-3), 10'000),
            "epsilon must be at least 1e-6 for each of 10000 draws, but is 0.001 for all of them");
  EXPECT_EQ(refusal(Privacy::gaussian(0), 1), "mu must be finite and positive, but is 0");
  EXPECT_EQ(refusal(Privacy::pure(1), 0), "count must be from 1 to 100000000, but is 0");
  EXPECT_EQ(refusal(Privacy::pure(1e9), 100'000'001),
            "count must be from 1 to 100000000, but is 100000001");
}

}  // namespace

}  // namespace mollify
