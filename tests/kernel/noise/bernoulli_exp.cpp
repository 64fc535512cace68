#include "kernel/noise/bernoulli_exp.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "kernel/core/invalid_input.h"
#include "kernel/noise/discrete_laplace.h"
#include "kernel/short_words.h"
#include "kernel/wide_float.h"
#include "refusal.h"

namespace mollify {
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
}  // namespace mollify
