#include "reference/reference_candidates.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace mollify {
namespace {

Domain mixed() {
  return Domain::make({Column::make("x", NumberCells::make(0, 1)),
                       Column::make("w", Categories::make({"a", "b", "c", "d"}))},
                      5);
}

/// A hundred records_of_reference near x = 0.3, all of them b.
std::vector<std::uint32_t> records_of_reference() {
  std::vector<std::uint32_t> digits;
  for (std::uint32_t i = 0; i < 100; ++i) {
    digits.insert(digits.end(), {(1U << 20U) / 100 * (25 + i / 10), 1});
  }
  return digits;
}

TEST(ReferenceCandidates, LieWhereTheRecordsDo) {
  const Candidates list = ReferenceCandidates(mixed(), records_of_reference()).seeded(20'000);
  std::size_t near = 0;
  std::size_t words = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const double x = list[i][0] / 1048576.0;
    if (x > 0.2 && x < 0.4) ++near;
    if (list[i][1] == 1) ++words;
  }
  std::printf("%zu of 20000 near, %zu of the word\n", near, words);
  EXPECT_GT(near, 15'000U);
  EXPECT_GT(words, 15'000U);
  EXPECT_LT(near, 19'900U) << "a tenth is uniform";
}

// The mean of 1/density is the measure of the space, one. It lies in (0, 10], so its standard
// deviation is at most sqrt(10 - 1) = 3, and 4.9 of them in the mean of 20 000 are 0.104.
TEST(ReferenceCandidates, KnowTheirDensity) {
  const Candidates list = ReferenceCandidates(mixed(), records_of_reference()).seeded(20'000);
  double sum = 0;
  for (const float density : list.densities()) sum += 1 / static_cast<double>(density);
  std::printf("mean of 1/density %.4f, expected 1\n", sum / 20'000);
  EXPECT_NEAR(sum / 20'000, 1, 0.104);
}

TEST(ReferenceCandidates, AreTheSameForASeedAndFreshOtherwise) {
  const ReferenceCandidates reference(mixed(), records_of_reference());
  const Candidates one = reference.seeded(100);
  const Candidates again = reference.seeded(100);
  EXPECT_TRUE(std::equal(one.digits().begin(), one.digits().end(), again.digits().begin()));
  SecureRandom random;
  const Candidates fresh = reference.fresh(100, random);
  EXPECT_EQ(fresh.size(), 100U);
  EXPECT_FALSE(std::equal(one.digits().begin(), one.digits().end(), fresh.digits().begin()));
}

TEST(ReferenceCandidates, WithoutRecordsAreEven) {
  const Candidates list = ReferenceCandidates(mixed(), {}).seeded(100);
  for (const float density : list.densities()) EXPECT_EQ(density, 1);
}

}  // namespace
}  // namespace mollify
