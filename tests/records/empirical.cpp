#include "records/empirical.h"

#include <rapidcheck.h>

#include <cstdint>
#include <map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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

}  // namespace
}  // namespace mollify
