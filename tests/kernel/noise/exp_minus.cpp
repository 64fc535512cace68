#include "kernel/noise/exp_minus.h"

#include <cstdint>
#include <cstdio>
#include <optional>
#include <random>

#include <gtest/gtest.h>

#include "kernel/noise/bernoulli_exp.h"
#include "kernel/wide_float.h"

namespace mollify {
namespace {

using detail::ExpBracket;
using test::WideFloat;

TEST(ExpMinus, TablesAreWithinOne) {
  const auto is_within_one = [](std::uint64_t entry, const WideFloat& x) {
    const WideFloat truth = x.exp_minus().times_power_of_two(63), one(1);
    return WideFloat(entry) <= truth + one && truth <= WideFloat(entry) + one;
  };
  for (std::uint64_t a = 0; a < 256; ++a) {
    EXPECT_TRUE(is_within_one(detail::kExpFractions[a], WideFloat(a).times_power_of_two(-8))) << a;
  }
  for (std::uint64_t i = 0; i < detail::kFirstEmptyWhole; ++i) {
    EXPECT_TRUE(is_within_one(detail::kExpWholes[i], WideFloat(i))) << i;
  }
}

TEST(ExpMinus, BracketsHoldTheTruthAndAreNarrow) {
  std::mt19937_64 random(12);
  for (int i = 0; i < 5'000; ++i) {
    const std::uint64_t whole = random() % 4 == 0 ? random() % 48 : random() % 3;
    std::uint64_t fraction = random() >> (random() % 64);
    if (i % 3 == 0) fraction = ~fraction;
    const std::uint64_t slack = random() % 2 == 0 ? 0 : random() % 2048;
    const ExpBracket bracket = detail::exp_minus({whole, fraction, slack});
    const WideFloat x = WideFloat(whole) + WideFloat(fraction).times_power_of_two(-64);
    const WideFloat beyond = x + WideFloat(slack).times_power_of_two(-64);
    ASSERT_TRUE(WideFloat(bracket.least) <= beyond.exp_minus().times_power_of_two(64));
    ASSERT_TRUE(x.exp_minus().times_power_of_two(64) <= WideFloat(uint128{bracket.last} + 1));
    ASSERT_LE(bracket.last - bracket.least, slack + 32);
  }
  const ExpBracket zero = detail::exp_minus({0, 0, 0});
  EXPECT_EQ(zero.last, ~std::uint64_t{0});
  const ExpBracket far = detail::exp_minus({~std::uint64_t{0}, 0, 5});
  EXPECT_EQ(far.least, 0u);
  EXPECT_EQ(far.last, 0u);
}

TEST(ExpMinus, WideComparisonsAreRightAndDecide) {
  std::mt19937_64 random(13);
  int undecided = 0;
  for (int i = 0; i < 400; ++i) {
    const std::size_t bits = 1 + random() % 400;
    const std::uint64_t denominator = 1 + (random() >> (random() % 64));
    const std::uint64_t numerator = random() >> (random() % 64);
    const detail::Fraction x{numerator, denominator};
    // A fraction at the boundary, or a few units of its last place away.
    const WideFloat truth = (WideFloat(numerator) / WideFloat(denominator))
                                .exp_minus()
                                .times_power_of_two(static_cast<long>(bits));
    Natural drawn;
    for (std::size_t bit = bits; bit-- > 0;) {
      const Natural more = drawn + (Natural(1) << bit);
      if (WideFloat(more) <= truth) drawn = more;
    }
    const Natural floor = drawn;
    const std::uint64_t offset = random() % 5;
    if (offset < 2 && drawn >= Natural(offset)) drawn = drawn - Natural(offset);
    if (offset > 2) drawn = drawn + Natural(offset - 2);
    const std::optional<bool> known =
        detail::is_below_exp_minus(drawn, bits, x.scaled(bits + detail::kGuardBits));
    if (!known.has_value()) {
      ++undecided;
      ASSERT_TRUE(drawn == floor || drawn == floor + Natural(1) || drawn + Natural(1) == floor);
    } else if (*known) {
      ASSERT_TRUE(WideFloat(drawn + Natural(1)) <= truth);
    } else {
      ASSERT_TRUE(truth <= WideFloat(drawn));
    }
    // The intervals next to the one that holds e^-x are decided, but for chances like 2^-20.
    if (drawn != floor && numerator > 0 && !(truth < WideFloat(1))) {
      ASSERT_TRUE(known.has_value());
    }
  }
  std::printf("undecided: %d of 400, all where e^-x lies\n", undecided);
}

// Where e^-x lies closer to an end of the interval than it is known, neither answer is certain.
TEST(ExpMinus, WideComparisonsStayUndecidedWithinTheirError) {
  constexpr std::size_t kBits = 64;
  constexpr std::size_t kScale = kBits + detail::kGuardBits;
  for (const std::uint64_t tenths : {3U, 7U, 25U, 200U}) {
    for (const bool from_above : {true, false}) {
      // Newton's steps move e^-x to the end of an interval, on the side that is asked for.
      Natural scaled = (Natural(tenths) << kScale) / Natural(10);
      const Natural drawn = detail::exp_minus(scaled, kScale).value >> detail::kGuardBits;
      const Natural end = drawn << detail::kGuardBits;
      const auto is_near = [&](const detail::ScaledExp& power) {
        return from_above ? power.value >= end && power.value < end + power.error
                          : power.value <= end && end < power.value + power.error;
      };
      detail::ScaledExp power = detail::exp_minus(scaled, kScale);
      for (int step = 0; step < 20 && !is_near(power); ++step) {
        const Natural aim = from_above ? end + Natural(1) : end - Natural(1);
        const bool is_high = power.value > aim;
        const Natural off = is_high ? power.value - aim : aim - power.value;
        const Natural move = (off << kScale) / power.value;
        scaled = is_high ? scaled + move : scaled - move;
        power = detail::exp_minus(scaled, kScale);
      }
      ASSERT_TRUE(is_near(power)) << tenths;
      const Natural begin = from_above ? drawn - Natural(1) : drawn;
      EXPECT_EQ(detail::is_below_exp_minus(begin, kBits, scaled), std::nullopt) << tenths;
    }
  }
}

}  // namespace
}  // namespace mollify
