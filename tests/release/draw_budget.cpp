#include "release/draw_budget.h"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

std::string refusal(std::optional<double> epsilon, std::optional<double> mu, std::uint64_t count) {
  try {
    draw_budget(epsilon, mu, count);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

// fma(one, count, -total) has the sign of the exact difference.
RC_GTEST_PROP(DrawBudget, NeverExceedsTheWhole, ()) {
  const auto count = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
  const double total =
      *rc::gen::map(rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << 53),
                    [](std::uint64_t bits) { return 1.0 + static_cast<double>(bits) * 0x1p-50; });
  const double one = *draw_budget(total, std::nullopt, count).epsilon;
  RC_ASSERT(std::fma(one, static_cast<double>(count), -total) <= 0);
  RC_ASSERT(one <= 30);
  if (one < 30) {
    RC_ASSERT(std::fma(std::nextafter(one, 31.0), static_cast<double>(count), -total) > 0);
  }
  const double mu = *draw_budget(std::nullopt, total, count).mu;
  RC_ASSERT(mu * std::sqrt(static_cast<double>(count)) <= total * (1 + 0x1p-52));
}

TEST(DrawBudget, LeavesAloneWhatIsNotGiven) {
  EXPECT_FALSE(draw_budget(1, std::nullopt, 2).mu);
  EXPECT_FALSE(draw_budget(std::nullopt, 1, 2).epsilon);
}

TEST(DrawBudget, CountsADrawAboveThirtyAsThirty) {
  EXPECT_EQ(draw_budget(100, std::nullopt, 2).epsilon, 30);
  EXPECT_EQ(draw_budget(100, std::nullopt, 4).epsilon, 25);
}

TEST(DrawBudget, RefusesInTermsOfTheWhole) {
  const double nan = std::nan("");
  EXPECT_EQ(refusal(-1, {}, 1), "epsilon must be finite and positive, but is -1");
  EXPECT_EQ(refusal(nan, {}, 3), "epsilon must be finite and positive, but is nan");
  EXPECT_EQ(refusal(1e-7, {}, 1), "epsilon must be at least 1e-06, but is 1e-07");
  EXPECT_EQ(refusal(1e-3, {}, 10'000),
            "epsilon must be at least 1e-06 for each of 10000 draws, but is 0.001 for all of them");
  EXPECT_EQ(refusal({}, 0, 1), "mu must be finite and positive, but is 0");
  EXPECT_EQ(refusal(1, {}, 0), "count must be from 1 to 100000000, but is 0");
  EXPECT_EQ(refusal(1e9, {}, 100'000'001), "count must be from 1 to 100000000, but is 100000001");
}

}  // namespace
}  // namespace mollify
