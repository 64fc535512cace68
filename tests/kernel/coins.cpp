#include "kernel/coins.h"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "core/invalid_input.h"
#include "kernel/noise.h"
#include "kernel/short_words.h"
#include "kernel/wide_float.h"
#include "refusal.h"
#include "sanitized.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Bernoulli exp.

namespace {

using detail::Fraction;
using test::WideFloat;

const std::vector<Fraction> kExponents = {{0, 1},
                                          {1, 1'000'000'000},
                                          {1, 1000},
                                          {1, 3},
                                          {2, 3},
                                          {1, 1},
                                          {7, 5},
                                          {2, 1},
                                          {22, 7},
                                          {10, 1},
                                          {355, 113},
                                          {44, 1},
                                          {45, 1},
                                          {100, 1},
                                          {5000, 7},
                                          {1, 256},
                                          {255, 256},
                                          {~std::uint64_t{0}, 1},
                                          {1, ~std::uint64_t{0}}};

WideFloat heads_of(const Fraction& x) {
  return (WideFloat(x.numerator) / WideFloat(x.denominator)).exp_minus();
}

/// All strings of short words: those that end heads are as many as e^-x asks for, to the few that
/// are undecided.
template <unsigned bits>
void expect_exact_counts(std::size_t length) {
  for (const Fraction& x : kExponents) {
    const test::StringCounts counts = test::exhaust<bits>(x, length);
    const WideFloat truth = heads_of(x).times_power_of_two(static_cast<long>(bits * length));
    EXPECT_TRUE(WideFloat(counts.heads) <= truth) << x.numerator << "/" << x.denominator;
    EXPECT_TRUE(truth <= WideFloat(counts.heads + Natural(counts.undecided)))
        << x.numerator << "/" << x.denominator;
    EXPECT_LE(counts.undecided, 1u) << x.numerator << "/" << x.denominator;
  }
}

TEST(BernoulliExp, IsExactOverAllStringsOfShortWords) {
  expect_exact_counts<1>(32);
  expect_exact_counts<3>(10);
  expect_exact_counts<4>(6);
  expect_exact_counts<8>(3);
}

/// Hands out one word, and then words that are all ones or all zeros.
struct OneWord {
  std::uint64_t first;
  std::uint64_t others;
  int used = 0;
  std::uint64_t word() { return used++ == 0 ? first : others; }
};

// There are too many words to try, but the answer is monotone in the first one: one word is left
// that needs others.
TEST(BernoulliExp, DecidesAllLongWordsButOneBySight) {
  for (const Fraction& x : kExponents) {
    if (x.numerator == 0) continue;
    std::uint64_t low = 0, high = ~std::uint64_t{0};  // the greatest that is heads before any zeros
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2 + 1;
      OneWord words{middle, 0};
      if (detail::is_below_exp_minus(x, words)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    const WideFloat truth = heads_of(x).times_power_of_two(64);
    EXPECT_TRUE(WideFloat(low) <= truth && truth <= WideFloat(low) + WideFloat(1))
        << x.numerator << "/" << x.denominator;
    for (const std::uint64_t first : {low - 1, low - 7, low / 2}) {
      if (first >= low) continue;
      OneWord words{first, ~std::uint64_t{0}};
      EXPECT_TRUE(detail::is_below_exp_minus(x, words));
      EXPECT_EQ(words.used, 1);
    }
    if (low < ~std::uint64_t{0}) {
      OneWord words{low + 1, 0};
      EXPECT_FALSE(detail::is_below_exp_minus(x, words));
      EXPECT_LE(words.used, 2);  // 2 where 2^64 e^-x is 2^-64 below an integer
    }
    OneWord ones{low, ~std::uint64_t{0}};
    EXPECT_FALSE(detail::is_below_exp_minus(x, ones));
  }
}

TEST(BernoulliExp, FollowsTheLawByChiSquare) {
  SecureRandom random;
  for (const Fraction& x : kExponents) {
    const BernoulliExp coin(x.numerator, x.denominator);
    const double heads = heads_of(x).to_double();
    const std::vector<double> law = {1 - heads, heads};
    std::vector<std::uint64_t> counts(2);
    for (int i = 0; i < 50'000; ++i) ++counts[coin.draw(random) ? 1 : 0];
    EXPECT_TRUE(test::follows(law, counts));
  }
}

TEST(BernoulliExp, RefusesToDivideByZero) {
  EXPECT_EQ(test::refusal_of([] { BernoulliExp(1, 0); }),
            "the denominator of an exponent must not be 0");
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Exp minus.

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
    // The intervals next to the one that holds e^-x are decided, except for chances like 2^-20.
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

// -----------------------------------------------------------------------------------------------
// Exponential choice.

namespace {

using detail::ExponentialLevels;
using test::WideFloat;

struct ChoiceCase {
  std::vector<ChoiceTerm> terms;
  Ratio rate;
};

constexpr std::uint64_t kMostOutcomes = Ratio::kGreatest;

const std::vector<ChoiceCase> kChoices = {
    {{{1, 0}}, {1, 1}},
    {{{kMostOutcomes, ~std::uint64_t{0}}}, {kMostOutcomes, 1}},
    {{{1, 0}, {1, 1}}, {1, 1}},
    {{{3, 2}, {0, 0}, {1, 5}, {4, 2}, {2, 3}}, {2, 3}},
    {{{5, 7}, {5, 7}, {5, 7}}, {1, 3}},
    // Far terms that weigh as much as near ones, because there are so many of them.
    {{{1, 0}, {1ULL << 61, 43}, {1, 20}}, {1, 1}},
    {{{1, 100}, {1ULL << 60, 101}, {1ULL << 61, 141}}, {355, 113}},
    {{{1, 0}, {1000, 300}, {1000, 5000}, {1, ~std::uint64_t{0}}}, {1, 1}},
    {{{1, 0}, {2, 1}, {3, 2}, {4, 3}, {5, 4}, {6, 5}}, {1, kMostOutcomes}},
    {{{1, 0}, {kMostOutcomes - 1, 1}}, {kMostOutcomes, 1}},
    {{{7, 10}, {1, 0}, {7, 9}, {1, 1}, {8, 1}}, {1, 10}}};

/// The distances in ascending order and S_l / W of each, by MPFR.
std::vector<WideFloat> shares_up_to(const ChoiceCase& one) {
  std::map<std::uint64_t, Natural> counts;
  for (const ChoiceTerm& term : one.terms) {
    if (term.count == 0) continue;
    counts[term.distance] = counts[term.distance] + Natural(term.count);
  }
  std::vector<WideFloat> sums;
  WideFloat sum;
  for (const auto& [distance, count] : counts) {
    const WideFloat x =
        WideFloat(static_cast<uint128>(distance - counts.begin()->first) * one.rate.numerator) /
        WideFloat(uint128{one.rate.denominator});
    sum = sum + WideFloat(count) * x.exp_minus();
    sums.push_back(sum);
  }
  std::vector<WideFloat> shares;
  for (const WideFloat& part : sums) shares.push_back(part / sum);
  return shares;
}

/// Tries all strings of short words, as exhaust() does for coins.
template <unsigned bits>
void expect_exact_levels(std::size_t length) {
  for (const ChoiceCase& one : kChoices) {
    const ExponentialLevels levels(one.terms, one.rate);
    std::vector<std::uint64_t> counts(levels.size());
    std::vector<std::vector<std::uint64_t>> open = {{}};
    for (std::size_t length_now = 1; length_now <= length; ++length_now) {
      std::vector<std::vector<std::uint64_t>> still_open;
      for (std::uint64_t& count : counts) count <<= bits;
      for (const std::vector<std::uint64_t>& begin : open) {
        for (std::uint64_t digit = 0; digit >> bits == 0; ++digit) {
          test::ShortWords<bits> words{begin};
          words.digits.push_back(digit);
          try {
            ++counts[levels.draw(words)];
            ASSERT_EQ(words.used, length_now);
          } catch (const typename test::ShortWords<bits>::Undecided&) {
            still_open.push_back(words.digits);
          }
        }
      }
      open = still_open;
    }
    const std::vector<WideFloat> shares = shares_up_to(one);
    ASSERT_EQ(shares.size(), levels.size());
    EXPECT_LT(open.size(), levels.size() + (levels.size() == 1 ? 1 : 0));
    WideFloat before;
    for (std::size_t l = 0; l < shares.size(); ++l) {
      const WideFloat truth =
          (shares[l] - before).times_power_of_two(static_cast<long>(bits * length));
      EXPECT_TRUE(WideFloat(counts[l]) <= truth) << l;
      EXPECT_TRUE(truth <= WideFloat(counts[l] + open.size())) << l;
      before = shares[l];
    }
  }
}

TEST(ExponentialChoice, IsExactOverAllStringsOfShortWords) {
  expect_exact_levels<1>(test::whole_or_sanitized(24U, 18U));
  expect_exact_levels<3>(test::whole_or_sanitized(9U, 6U));
  expect_exact_levels<8>(test::whole_or_sanitized(3U, 2U));
}

/// Hands out one word, and then words that are all ones or all zeros.
struct FirstWord {
  std::uint64_t first;
  std::uint64_t others;
  int used = 0;
  std::uint64_t word() { return used++ == 0 ? first : others; }
};

/// The answer is monotone in the first word. A level's last word is found by bisection, and
/// compared with MPFR; a little off it one word is enough.
void expect_boundaries(const ChoiceCase& one) {
  const ExponentialLevels levels(one.terms, one.rate);
  const std::vector<WideFloat> shares = shares_up_to(one);
  ASSERT_EQ(shares.size(), levels.size());
  constexpr std::uint64_t kNear = 1 << 12;
  for (std::size_t l = 0; l + 1 < shares.size(); ++l) {
    std::uint64_t low = 0, high = ~std::uint64_t{0};
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2 + 1;
      FirstWord words{middle, 0};
      if (levels.draw(words) <= l) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    const WideFloat truth = shares[l].times_power_of_two(64);
    EXPECT_TRUE(WideFloat(low) <= truth && truth <= WideFloat(low) + WideFloat(1)) << l;
    const WideFloat next = shares[l + 1].times_power_of_two(64);
    if (next <= WideFloat(low) + WideFloat(2 * kNear) || low > ~std::uint64_t{0} - 2 * kNear) {
      continue;
    }
    FirstWord words{low + kNear, 0};
    EXPECT_EQ(levels.draw(words), l + 1);
    EXPECT_EQ(words.used, 1);
  }
}

TEST(ExponentialChoice, DividesTheLongWordsWhereItShould) {
  for (const ChoiceCase& one : kChoices) expect_boundaries(one);
  std::mt19937_64 random(16);
  for (int i = 0; i < 60; ++i) {
    ChoiceCase one{{},
                   {1 + (random() >> (2 + random() % 62)), 1 + (random() >> (2 + random() % 62))}};
    const auto bits = static_cast<unsigned>(4 + random() % 60);
    for (int j = 0; j < 8; ++j)
      one.terms.push_back({random() >> (5 + random() % 59), random() >> bits});
    if (one.terms.front().count == 0) one.terms.front().count = 1;
    expect_boundaries(one);
  }
}

// Where a fixed unit of e^-x would not do, one word still does.
TEST(ExponentialChoice, IsPreciseHoweverSmallTheWeights) {
  std::vector<ChoiceTerm> terms = {{1, 0}};
  for (std::uint64_t k = 0; k < 40; ++k) terms.push_back({std::uint64_t{1} << 56U, 40 + k});
  expect_boundaries({terms, {1, 1}});
}

TEST(ExponentialChoice, FollowsTheLawByChiSquare) {
  SecureRandom random;
  const ChoiceCase one = {{{3, 2}, {0, 0}, {1, 5}, {4, 2}, {2, 3}, {40, 9}}, {2, 3}};
  std::vector<double> law;
  std::vector<std::size_t> begins;
  for (const ChoiceTerm& term : one.terms) {
    begins.push_back(law.size());
    for (std::uint64_t i = 0; i < term.count; ++i) {
      law.push_back(
          (WideFloat(uint128{2 * term.distance}) / WideFloat(uint128{3})).exp_minus().to_double());
    }
  }
  double sum = 0;
  for (const double weight : law) sum += weight;
  for (double& weight : law) weight /= sum;
  const ExponentialChoice choice(one.rate);
  std::vector<std::uint64_t> counts(law.size());
  for (int i = 0; i < 200'000; ++i) {
    const ChosenOutcome drawn = choice.draw(one.terms, random);
    ASSERT_LT(drawn.position, one.terms[drawn.term].count);
    ++counts[begins[drawn.term] + drawn.position];
  }
  EXPECT_TRUE(test::follows(law, counts));
}

TEST(ExponentialChoice, TakesAMillionTermsLightly) {
  std::vector<ChoiceTerm> terms;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    terms.push_back({1 + i * i % 1009, i < 500'000 ? 500'000 - i : i - 500'000});
  }
  SecureRandom random;
  for (const Ratio rate : {Ratio{1, 2}, {1, 1'000'000}}) {
    const auto start = std::chrono::steady_clock::now();
    const ChosenOutcome drawn = ExponentialChoice(rate).draw(terms, random);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::printf("10^6 terms at rate %g: %.3f s\n",
                static_cast<double>(rate.numerator) / static_cast<double>(rate.denominator),
                took.count());
    EXPECT_LT(drawn.position, terms[drawn.term].count);
  }
}

std::string choice_refusal(const std::vector<ChoiceTerm>& terms, Ratio rate) {
  SecureRandom random;
  return test::refusal_of([&] { static_cast<void>(ExponentialChoice(rate).draw(terms, random)); });
}

TEST(ExponentialChoice, RefusesInOneSentence) {
  EXPECT_EQ(choice_refusal({{1, 1}}, {0, 1}),
            "numerator and denominator of a rate must be from 1 to 2^62, but the rate is 0/1");
  EXPECT_EQ(choice_refusal({{0, 1}, {0, 3}}, {1, 1}),
            "the counts of a choice must sum to 1 to 2^62, but are all 0");
  EXPECT_EQ(choice_refusal({}, {1, 1}),
            "the counts of a choice must sum to 1 to 2^62, but are all 0");
  EXPECT_EQ(choice_refusal({{kMostOutcomes, 1}, {1, 1}}, {1, 1}),
            "the counts of a choice must sum to 1 to 2^62, but sum to more");
  EXPECT_EQ(choice_refusal({{kMostOutcomes, 1}}, {1, 1}), "accepted");
}

}  // namespace

}  // namespace mollify
