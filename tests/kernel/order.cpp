#include "kernel/order.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include "chi_square.h"
#include "core/invalid_input.h"
#include "kernel/even_words.h"
#include "not_finite.h"
#include "sanitized.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Geometric gap.

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

// The mass of all ways that end in g is x^g (1 - x), except for the ways that are left: never more,
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

// -----------------------------------------------------------------------------------------------
// Shuffle.

namespace {

TEST(Shuffle, GivesEveryOrderTheSameNumberOfWordStrings) {
  std::uint64_t orders = 1;
  for (std::uint32_t size = 1; size <= 7; ++size) {
    orders *= size;
    std::vector<std::uint64_t> bounds;
    for (std::uint32_t left = size; left > 1; --left) bounds.push_back(2 * left);
    test::EvenWords words(bounds);
    std::map<std::vector<std::uint32_t>, std::uint64_t> counts;
    std::uint64_t strings = 0;
    std::vector<std::uint32_t> values(size);
    do {
      std::iota(values.begin(), values.end(), 0u);
      detail::shuffle_with(std::span(values), words);
      ASSERT_EQ(words.used(), size - 1);
      ++counts[values];
      ++strings;
    } while (words.advance());
    EXPECT_EQ(counts.size(), orders);
    for (const auto& [order, count] : counts) ASSERT_EQ(count * orders, strings);
  }
}

TEST(Shuffle, IsUniformByChiSquare) {
  SecureRandom random;
  const std::vector<double> even(720, 1.0 / 720);
  std::map<std::vector<std::uint32_t>, std::size_t> rank;
  std::vector<std::uint32_t> order(6);
  std::iota(order.begin(), order.end(), 0u);
  do rank.emplace(order, rank.size());
  while (std::next_permutation(order.begin(), order.end()));
  std::vector<std::uint64_t> counts(720);
  for (int i = 0; i < 300'000; ++i) {
    std::iota(order.begin(), order.end(), 0u);
    shuffle(order, random);
    ++counts[rank.at(order)];
  }
  EXPECT_TRUE(test::follows(even, counts));
}

// Where each value of a long list ends up, and where the list's first value does.
TEST(Shuffle, SpreadsLongListsEvenly) {
  constexpr std::size_t kSize = 1000;
  SecureRandom random;
  std::vector<std::uint32_t> values(kSize);
  std::vector<std::uint64_t> place_of_first(kSize), first(kSize);
  for (int i = 0; i < 20'000; ++i) {
    std::iota(values.begin(), values.end(), 0u);
    shuffle(values, random);
    ++first[values[0]];
    ++place_of_first[static_cast<std::size_t>(std::find(values.begin(), values.end(), 0u) -
                                              values.begin())];
  }
  std::sort(values.begin(), values.end());
  for (std::uint32_t v = 0; v < kSize; ++v) ASSERT_EQ(values[v], v);
  const std::vector<double> even(kSize, 1.0 / kSize);
  EXPECT_TRUE(test::follows(even, first));
  EXPECT_TRUE(test::follows(even, place_of_first));
}

TEST(Shuffle, LeavesShortListsAlone) {
  SecureRandom random;
  shuffle({}, random);
  std::vector<std::uint32_t> one = {7};
  shuffle(one, random);
  EXPECT_EQ(one, std::vector<std::uint32_t>{7});
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Subsample.

namespace {

/// Calls visit for all counts of `values` values with this sum.
template <class Visit>
void for_all_counts(std::size_t values, std::uint64_t sum, const Visit& visit,
                    std::vector<std::uint64_t> counts = {}) {
  if (counts.size() + 1 == values) {
    counts.push_back(sum);
    visit(counts);
    return;
  }
  for (std::uint64_t first = 0; first <= sum; ++first) {
    std::vector<std::uint64_t> more = counts;
    more.push_back(first);
    for_all_counts(values, sum - first, visit, more);
  }
}

/// How many ordered choices of distinct records have these values: c (c - 1) ... for each value.
std::uint64_t choices_of(const std::vector<std::size_t>& values,
                         std::vector<std::uint64_t> counts) {
  std::uint64_t choices = 1;
  for (const std::size_t value : values) choices *= counts[value]--;
  return choices;
}

// For every histogram of at most 7 records over at most 5 values, and every m: over all words, as
// many give each list of m values as there are ordered choices of m records with these values.
TEST(RecordsLeft, GiveTheExactLawOfRecordsChosenOneByOne) {
  std::uint64_t histograms = 0;
  for (std::size_t values = 1; values <= 5; ++values) {
    for (std::uint64_t n = 1; n <= test::whole_or_sanitized(7U, 5U); ++n) {
      for_all_counts(values, n, [&](const std::vector<std::uint64_t>& counts) {
        ++histograms;
        std::vector<std::uint64_t> bounds;
        for (std::uint64_t m = 1; m <= std::min<std::uint64_t>(n, 5); ++m) {
          bounds.push_back(n - m + 1);
          test::EvenWords words(bounds);
          std::map<std::vector<std::size_t>, std::uint64_t> seen;
          do {
            RecordsLeft records(counts);
            std::vector<std::size_t> taken;
            for (std::uint64_t i = 0; i < m; ++i) {
              taken.push_back(records.take_at(uniform_below(words, records.size())));
            }
            ++seen[taken];
          } while (words.advance());
          for (const auto& [taken, times] : seen) {
            ASSERT_EQ(times, choices_of(taken, counts));
          }
          ASSERT_EQ(
              std::accumulate(seen.begin(), seen.end(), std::uint64_t{0},
                              [](std::uint64_t sum, const auto& one) { return sum + one.second; }),
              [&] {
                std::uint64_t all = 1;
                for (const std::uint64_t bound : bounds) all *= bound;
                return all;
              }());
        }
      });
    }
  }
  std::printf("%llu histograms\n", static_cast<unsigned long long>(histograms));
}

// However many values there are: the i-th position is of the value whose records it is among.
TEST(RecordsLeft, TakeEachPositionOnce) {
  for (std::size_t values = 1; values <= 40; ++values) {
    std::vector<std::uint64_t> counts(values);
    for (std::size_t i = 0; i < values; ++i) counts[i] = (i * 7 + values) % 4;
    std::vector<std::size_t> expected;
    for (std::size_t i = 0; i < values; ++i) expected.insert(expected.end(), counts[i], i);
    for (std::size_t position = 0; position < expected.size(); ++position) {
      RecordsLeft records(counts);
      EXPECT_EQ(records.size(), expected.size());
      EXPECT_EQ(records.take_at(position), expected[position]);
      std::vector<std::size_t> left = expected;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(position));
      for (const std::size_t value : left) EXPECT_EQ(records.take_at(0), value);
      EXPECT_EQ(records.size(), 0u);
    }
  }
}

// 2^24 values, 2^40 records: the first and the last, and pairs by chi-square.
TEST(RecordsLeft, AreTakenFromAsManyAsThereCanBe) {
  constexpr std::size_t kValues = std::size_t{1} << 24U;
  constexpr std::uint64_t kEach = std::uint64_t{1} << 16U;
  RecordsLeft records(std::vector<std::uint64_t>(kValues, kEach));
  EXPECT_EQ(records.size(), kValues * kEach);
  EXPECT_EQ(records.take_at(0), 0u);
  EXPECT_EQ(records.take_at(kEach - 2), 0u);
  EXPECT_EQ(records.take_at(kEach - 2), 1u);
  EXPECT_EQ(records.take_at(records.size() - 1), kValues - 1);
  SecureRandom random;
  std::vector<std::uint64_t> seen(256);
  for (int i = 0; i < 100'000; ++i) ++seen[records.take(random) >> 16U];
  EXPECT_TRUE(test::follows(std::vector<double>(256, 1.0 / 256), seen));
}

TEST(PoissonSubsample, RefusesInOneSentence) {
  const auto refusal = [](double rate) -> std::string {
    try {
      static_cast<void>(PoissonSubsample(rate));
    } catch (const InvalidInput& refused) {
      return refused.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal(0), "the rate of a subsample must be from 2^-64 to 1, but is 0");
  EXPECT_EQ(refusal(1.5), "the rate of a subsample must be from 2^-64 to 1, but is 1.5");
  EXPECT_EQ(refusal(test::kNan), "the rate of a subsample must be from 2^-64 to 1, but is nan");
}

TEST(PoissonSubsample, HasTheGreatestRateOfWordsBelowTheOneAskedFor) {
  for (const double rate : {1.0, 0.5, 0.1, 0x1p-64, 0x1.8p-64, 0x1.fffffffffffffp-1, 1e-15, 0.3}) {
    const PoissonSubsample sample(rate);
    EXPECT_LE(sample.rate(), rate);
    EXPECT_LT(rate - sample.rate(), 0x1p-64);
    EXPECT_EQ(std::floor(std::ldexp(sample.rate(), 64)), std::ldexp(sample.rate(), 64));
  }
}

// How many of 2, 0, 1 and 3 records are kept: all 3 * 2 * 4 answers.
TEST(PoissonSubsample, KeepsRecordsIndependently) {
  SecureRandom random;
  const std::vector<std::uint64_t> counts = {2, 0, 1, 3};
  const auto binomial = [](int n, int kept, double rate) {
    return std::tgamma(n + 1) / std::tgamma(kept + 1) / std::tgamma(n - kept + 1) *
           std::pow(rate, kept) * std::pow(1 - rate, n - kept);
  };
  for (const double rate : {0.01, 0.1, 0.5, 0.8, 0.999}) {
    const PoissonSubsample sample(rate);
    std::vector<std::uint64_t> seen(24);
    std::vector<double> law;
    for (int first = 0; first < 3; ++first) {
      for (int second = 0; second < 2; ++second) {
        for (int third = 0; third < 4; ++third) {
          law.push_back(binomial(2, first, rate) * binomial(1, second, rate) *
                        binomial(3, third, rate));
        }
      }
    }
    for (int i = 0; i < 100'000; ++i) {
      std::vector<std::size_t> kept(4);
      std::uint32_t last = 0;
      for (const std::uint32_t value : sample.draw(counts, random)) {
        ASSERT_LE(last, value) << "out of order";
        last = value;
        ++kept[value];
      }
      ASSERT_EQ(kept[1], 0u);
      ++seen[kept[0] * 8 + kept[2] * 4 + kept[3]];
    }
    EXPECT_TRUE(test::follows(law, seen));
  }
  EXPECT_EQ(PoissonSubsample(1).draw(counts, random),
            (std::vector<std::uint32_t>{0, 0, 2, 3, 3, 3}));
  EXPECT_TRUE(PoissonSubsample(.5).draw({}, random).empty());
  EXPECT_TRUE(PoissonSubsample(0x1p-64).draw(counts, random).empty());
}

// 10^12 records, of which some 100 000 are kept: the number within 6 standard deviations (false
// alarm 2e-9), and spread evenly.
TEST(PoissonSubsample, KeepsFewOfManyRecords) {
  SecureRandom random;
  const std::vector<std::uint64_t> counts(1000, 1'000'000'000);
  const auto kept = PoissonSubsample(1e-7).draw(counts, random);
  EXPECT_LT(std::fabs(static_cast<double>(kept.size()) - 1e5), 6 * std::sqrt(1e5));
  std::vector<std::uint64_t> seen(1000);
  for (const std::uint32_t value : kept) ++seen[value];
  EXPECT_TRUE(test::follows(std::vector<double>(1000, 1e-3), seen));
}

}  // namespace

}  // namespace mollify
