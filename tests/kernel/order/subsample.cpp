#include "kernel/order/subsample.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "kernel/core/invalid_input.h"
#include "kernel/even_words.h"
#include "not_finite.h"
#include "sanitized.h"

namespace mollify {
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
