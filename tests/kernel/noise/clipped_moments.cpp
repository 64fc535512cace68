#include "kernel/noise/clipped_moments.h"

#include <cstdio>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"
#include "not_finite.h"

namespace mollify {
namespace {

using Scores = std::vector<double>;
using Entries = std::vector<std::int64_t>;

/// Records of these values in each coordinate, and of what is no number.
std::vector<Scores> moment_records(std::size_t dimension, int reach) {
  std::vector<double> values = {test::kNan, test::kInfinity, -1e300};
  for (int z = -reach; z <= reach; ++z) values.push_back(z);
  std::vector<Scores> records = {{}};
  for (std::size_t i = 0; i < dimension; ++i) {
    std::vector<Scores> longer;
    for (const Scores& record : records) {
      for (const double value : values) {
        longer.push_back(record);
        longer.back().push_back(value);
      }
    }
    records = std::move(longer);
  }
  return records;
}

uint128 square_distance(const Entries& a, const Entries& b) {
  uint128 sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const int128 difference = static_cast<int128>(a[i]) - b[i];
    sum += static_cast<uint128>(difference * difference);
  }
  return sum;
}

Entries entries_of(std::size_t dimension, std::uint64_t radius, std::uint64_t offset,
                   const std::vector<Scores>& table) {
  ClippedMoments moments(dimension, radius, offset);
  for (const Scores& record : table) moments.add(record);
  return moments.entries();
}

TEST(ClippedMoments, AreSquaresProductsAndCoordinates) {
  // (3, -4) is of norm 5, and (30, 40) is cut to it.
  EXPECT_EQ(entries_of(2, 5, 2, {{3, -4}}),
            (Entries{5 * 9, 7 * -12, 7 * 2 * 3, 5 * 16, 7 * 2 * -4}));
  EXPECT_EQ(entries_of(2, 5, 2, {{3, -4}, {30, 40}}), (Entries{5 * 18, 0, 7 * 2 * 6, 5 * 32, 0}));
  EXPECT_EQ(entries_of(3, 5, 2, {}), Entries(ClippedMoments::entry_count(3)));
}

/// The theorem by brute force: every record of small lattices replaced by every other one, in
/// tables of three rows, all entries together.
TEST(ClippedMoments, NoRecordMovesThemFurtherThanIsClaimed) {
  for (const auto& [dimension, radius, offset] : {std::tuple{1U, 1U, 1U},
                                                  {1U, 3U, 1U},
                                                  {1U, 3U, 2U},
                                                  {1U, 5U, 9U},
                                                  {2U, 1U, 1U},
                                                  {2U, 3U, 1U},
                                                  {2U, 5U, 2U},
                                                  {3U, 2U, 1U}}) {
    const std::vector<Scores> records =
        moment_records(dimension, static_cast<int>(radius) + (dimension < 3 ? 2 : 0));
    std::set<Entries> tables;  // the third row, for each that it can be
    for (const Scores& record : records) {
      tables.insert(entries_of(dimension, radius, offset, {records[1], record, records.back()}));
    }
    uint128 worst = 0;
    for (const Entries& one : tables) {
      for (const Entries& other : tables) worst = std::max(worst, square_distance(one, other));
    }
    const uint128 claimed = ClippedMoments::square_sensitivity(radius, offset);
    std::printf("d = %u, L = %u, b = %u: %zu rows, %.4f of the claim\n", dimension, radius, offset,
                tables.size(), static_cast<double>(worst) / static_cast<double>(claimed));
    EXPECT_LE(worst, claimed);
    // From two dimensions on there are two of nearly orthogonal moments.
    if (dimension > 1) {
      EXPECT_GT(static_cast<double>(worst), 0.9 * static_cast<double>(claimed));
    }
  }
}

TEST(ClippedMoments, TakeAnyRadiusThatTheyAllow) {
  constexpr std::uint64_t kMost = ClippedMoments::kGreatestRadius;
  const Entries entries = entries_of(1, kMost, kMost, {{1e300}, {-test::kInfinity}, {test::kNan}});
  const auto square = static_cast<std::int64_t>(kMost * kMost);
  EXPECT_EQ(entries, (Entries{5 * 2 * square, 0}));
}

TEST(ClippedMoments, RefuseSizesOutsideTheirLimits) {
  const auto refusal = [](std::size_t dimension, std::uint64_t radius, std::uint64_t offset) {
    try {
      static_cast<void>(ClippedMoments(dimension, radius, offset));
    } catch (const InvalidInput& refused) {
      return std::string(refused.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal(1024, 1, 1), "");
  EXPECT_EQ(refusal(0, 1, 1), "the dimension of clipped moments must be from 1 to 1024, but is 0");
  EXPECT_EQ(refusal(1025, 1, 1),
            "the dimension of clipped moments must be from 1 to 1024, but is 1025");
  EXPECT_EQ(refusal(1, 0, 1), "the radius of clipped moments must be from 1 to 2^20, but is 0");
  EXPECT_EQ(refusal(1, 1, (1U << 20U) + 1),
            "the offset of clipped moments must be from 1 to 2^20, but is 1048577");
  ClippedMoments moments(2, 1, 1);
  EXPECT_THROW(moments.add(Scores{1}), InvalidInput);
}

}  // namespace
}  // namespace mollify
