#include "records/empirical.h"

#include <rapidcheck.h>

#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "records/outcome_histogram.h"

namespace mollify {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Empirical, WithoutRecordsIsEmpty) {
  const Empirical empty;
  EXPECT_EQ(empty.total(), 0U);
  EXPECT_THAT(empty.outcomes(), IsEmpty());
  Tally<std::uint32_t> tally;
  EXPECT_EQ(Empirical(tally.take()).total(), 0U);
}

TEST(Empirical, CountsOutcomes) {
  Tally<std::uint32_t> tally;
  for (const std::uint32_t outcome : {7U, 3U, 7U, 16777215U, 7U, 3U}) tally.add(outcome);
  const Empirical empirical(tally.take());
  EXPECT_THAT(empirical.outcomes(), ElementsAre(3U, 7U, 16777215U));
  EXPECT_THAT(empirical.counts(), ElementsAre(2U, 3U, 1U));
  EXPECT_THAT(empirical.weights(), ElementsAre(2.0, 3.0, 1.0));
  EXPECT_EQ(empirical.total(), 6U);
}

TEST(Tally, AgreesWithAMapBeyondItsBuffer) {
  // Three times the buffer, so that counts are merged, with old and new keys interleaved.
  Tally<std::uint64_t> tally;
  std::map<std::uint64_t, std::uint64_t> expected;
  std::uint64_t state = 1;
  for (int i = 0; i < 800000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t key = (state >> 33U) % (1U << 17U);
    tally.add(key);
    ++expected[key];
  }
  const auto counts = tally.take();
  ASSERT_EQ(counts.keys.size(), expected.size());
  std::size_t i = 0;
  for (const auto& [key, count] : expected) {
    ASSERT_EQ(counts.keys[i], key);
    ASSERT_EQ(counts.counts[i], count);
    ++i;
  }
  EXPECT_TRUE(tally.take().keys.empty());
}

// Sums of counts saturate, so that they are the same in whatever order and parts they are added.
TEST(Tally, CountsSaturate) {
  constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  const std::vector<std::pair<std::uint32_t, std::uint64_t>> added = {{1, kAll},
                                                                      {1, 2},
                                                                      {2, kGreatestCount - 1},
                                                                      {2, 1},
                                                                      {3, kGreatestCount},
                                                                      {3, 1},
                                                                      {4, kAll / 2 + 1},
                                                                      {4, kAll / 2 + 1},
                                                                      {5, 0},
                                                                      {6, kGreatestCount - 1}};
  const auto expect_saturated = [](const OutcomeHistogram& counts) {
    EXPECT_THAT(counts.keys, ElementsAre(1U, 2U, 3U, 4U, 6U));
    EXPECT_THAT(counts.counts, ElementsAre(kGreatestCount, kGreatestCount, kGreatestCount,
                                           kGreatestCount, kGreatestCount - 1));
  };
  Tally<std::uint32_t> forth;
  for (const auto& [key, count] : added) forth.add(key, count);
  expect_saturated(forth.take());
  Tally<std::uint32_t> back;
  Tally<std::uint32_t> other;
  for (std::size_t i = added.size(); i-- > 0;) {
    (i % 2 == 0 ? back : other).add(added[i].first, added[i].second);
  }
  expect_saturated(merged(back.take(), other.take()));
}

// 4096 of the greatest count are 2^65, which 64 bits would take for none.
TEST(Empirical, TotalsDoNotOverflow) {
  OutcomeHistogram counts;
  for (std::uint32_t outcome = 0; outcome < 4096; ++outcome) {
    counts.keys.push_back(outcome);
    counts.counts.push_back(kGreatestCount);
  }
  EXPECT_TRUE(record_count(counts) == uint128{1} << 65U);
  EXPECT_EQ(Empirical(counts).total(), std::numeric_limits<std::uint64_t>::max());
}

}  // namespace
}  // namespace mollify
