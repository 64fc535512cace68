#include "kernel/order/geometric_gap.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include "chi_square.h"

namespace mollify {
namespace {

using BigCount = boost::multiprecision::cpp_int;

/// Masses are integers in parts of 2^kParts.
constexpr unsigned kParts = 1024;

/// All ways that the coins of a gap can fall, with their exact masses; after so many falls a way is
/// left.
struct AllCoins {
  unsigned tails;                // x in parts of 16
  std::vector<bool> falls = {};  // of the way that is walked
  std::size_t next = 0;
  BigCount numerator = 1;  // of the way's mass, over 2^digits
  unsigned digits = 0;

  struct Left {};

  bool fall(const BigCount& heads, unsigned of_digits) {
    constexpr std::size_t kMostFalls = 14;
    if (next == kMostFalls) throw Left();
    if (next == falls.size()) falls.push_back(true);
    const bool fell = falls[next++];
    numerator *= fell ? heads : (BigCount(1) << of_digits) - heads;
    digits += of_digits;
    return fell;
  }
  bool power(std::size_t i) {
    BigCount x = tails;
    unsigned of_digits = 4;
    for (; i > 0; --i) {
      x *= x;
      of_digits *= 2;
    }
    return fall(x, of_digits);
  }
  bool fair() { return fall(1, 1); }

  BigCount mass() const { return numerator << (kParts - digits); }

  /// Turns to the next way; false after the last.
  bool advance() {
    falls.resize(next);
    next = 0;
    numerator = 1;
    digits = 0;
    while (!falls.empty() && !falls.back()) falls.pop_back();
    if (falls.empty()) return false;
    falls.back() = false;
    return true;
  }
};

// The mass of all ways that end in g is x^g (1 - x), but for the ways that are left: never more,
// and less by no more than is left in all.
TEST(GeometricGap, HasTheExactLawOverAllFallsOfItsCoins) {
  const BigCount one = BigCount(1) << kParts;
  for (const unsigned tails : {0U, 1U, 8U, 11U, 14U}) {
    for (const std::size_t levels : {0U, 1U, 2U, 3U}) {
      AllCoins coins{tails};
      std::map<std::uint64_t, BigCount> masses;
      BigCount left = 0;
      do {
        try {
          const std::uint64_t gap = detail::gap_with(coins, levels, std::uint64_t{1} << 40U);
          masses[gap] += coins.mass();
        } catch (const AllCoins::Left&) {
          left += coins.mass();
        }
      } while (coins.advance());
      BigCount law = one / 16 * (16 - tails);
      for (std::uint64_t gap = 0; gap < 8; ++gap, law = law / 16 * tails) {
        EXPECT_LE(masses[gap], law);
        EXPECT_LE(law - masses[gap], left);
      }
      EXPECT_LT(left * 4, one);
    }
  }
}

// As far as the most, all greater gaps count as that.
TEST(GeometricGap, EndsAtTheMost) {
  const GeometricGap never_heads(~std::uint64_t{0});  // heads once in 2^64
  SecureRandom random;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(never_heads.draw(1000, random), 1000u);
  const GeometricGap always_heads(0);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(always_heads.draw(1000, random), 0u);
  EXPECT_EQ(always_heads.draw(0, random), 0u);
}

BigCount integer_of(const detail::FractionWords& words) {
  BigCount all = 0;
  for (auto word = words.rbegin(); word != words.rend(); ++word) all = (all << 64U) + *word;
  return all;
}

TEST(GeometricGap, RoundsSquaresDownAndUp) {
  SecureRandom random;
  for (const std::size_t words : {1u, 2u, 3u, 8u}) {
    for (int i = 0; i < 1000; ++i) {
      detail::FractionWords x(words);
      for (std::uint64_t& word : x) {
        word = i % 3 == 0 ? random.word() : i % 3 == 1 ? ~std::uint64_t{0} : random.word() << 63U;
      }
      const BigCount square = integer_of(x) * integer_of(x);
      const BigCount unit = BigCount(1) << (64 * words);
      EXPECT_EQ(integer_of(detail::square_down(x)), square / unit);
      EXPECT_EQ(integer_of(detail::square_up(x)), (square + unit - 1) / unit);
    }
  }
}

// Around each power, whose first 64 words are known here, a number is below it exactly if it is:
// also where it takes many words to tell.
TEST(GeometricGap, ComparesWithPowersExactly) {
  constexpr std::size_t kWords = 64;
  std::size_t compared = 0;
  for (const std::uint64_t tails : {~std::uint64_t{0}, ~std::uint64_t{0} - 12'345,
                                    std::uint64_t{0xfedcba9876543210}, std::uint64_t{1} << 63U}) {
    const GeometricGap gap(tails);
    BigCount power = BigCount(tails) << (64 * (kWords - 1));  // down, in words
    for (std::size_t i = 0; i <= gap.levels(); ++i) {
      for (const std::size_t same : {1u, 2u, 3u, 4u, 7u, 9u}) {
        for (const int step : {-1, 0, 1}) {
          // As the power in so many words, then a unit less, the same, or a unit more.
          const BigCount near = (power >> (64 * (kWords - same))) + step;
          if (near < 0 || (near >> (64 * same)) != 0) continue;
          const BigCount number = near << (64 * (kWords - same));
          const auto word_at = [&](std::size_t place) {
            return static_cast<std::uint64_t>((number >> (64 * (kWords - 1 - place))) &
                                              ~std::uint64_t{0});
          };
          std::size_t place = 0;
          const bool below = gap.is_below_power(i, word_at(0), [&] { return word_at(++place); });
          EXPECT_EQ(below, number < power) << tails << " " << i << " " << same << " " << step;
          ++compared;
        }
      }
      power = (power * power) >> (64 * kWords);  // which is as near as nine words show
    }
  }
  std::printf("%zu numbers compared\n", compared);
}

TEST(GeometricGap, DrawsFollowTheLaw) {
  SecureRandom random;
  for (const double heads : {0.9, 0.5, 0.3, 0.02}) {
    const GeometricGap gap(-static_cast<std::uint64_t>(std::ldexp(heads, 64)));
    constexpr std::uint64_t kMost = 200;
    std::vector<double> law;
    for (std::uint64_t g = 0; g < kMost; ++g) {
      law.push_back(std::pow(1 - heads, static_cast<double>(g)) * heads);
    }
    law.push_back(std::pow(1 - heads, static_cast<double>(kMost)));
    std::vector<std::uint64_t> seen(kMost + 1);
    for (int i = 0; i < 100'000; ++i) ++seen[gap.draw(kMost, random)];
    EXPECT_TRUE(test::follows(law, seen));
  }
}

}  // namespace
}  // namespace mollify
