#include "kernel/clipped_sums.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/invalid_input.h"
#include "core/random.h"
#include "not_finite.h"
#include "refusal.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Clipped moments.

namespace {

using Scores = std::vector<double>;
using Entries = std::vector<std::int64_t>;

/// Records of these values in each coordinate, and of NaN and infinities.
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
  EXPECT_EQ(refusal(1, 0, 1), "the radius of clipped moments must be from 1 to 1048576, but is 0");
  EXPECT_EQ(refusal(1, 1, (1U << 20U) + 1),
            "the offset of clipped moments must be from 1 to 1048576, but is 1048577");
  ClippedMoments moments(2, 1, 1);
  EXPECT_THROW(moments.add(Scores{1}), InvalidInput);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Clipped sum.

namespace {

using Point = std::vector<std::int64_t>;

uint128 squared_length(std::span<const std::int64_t> point) {
  uint128 sum = 0;
  for (const std::int64_t z : point) sum += static_cast<uint128>(static_cast<int128>(z) * z);
  return sum;
}

Point clipped(std::uint64_t radius, const std::vector<double>& scores) {
  ClippedSum sum(scores.size(), radius);
  const std::span<const std::int64_t> point = sum.clip(scores);
  return {point.begin(), point.end()};
}

/// All points with coordinates from -reach to reach.
std::vector<std::vector<double>> box_of(std::size_t dimension, int reach) {
  std::vector<std::vector<double>> points = {{}};
  for (std::size_t j = 0; j < dimension; ++j) {
    std::vector<std::vector<double>> longer;
    for (const std::vector<double>& point : points) {
      for (int z = -reach; z <= reach; ++z) {
        longer.push_back(point);
        longer.back().push_back(z);
      }
    }
    points = longer;
  }
  return points;
}

// The theorems, for every pair of points of a box.
TEST(ClippedSum, HasItsSensitivityForAllPairsOfPoints) {
  for (const auto& [dimension, reach] : {std::pair{1U, 40}, {2U, 12}, {3U, 5}}) {
    for (std::uint64_t radius = 1; radius <= 6; ++radius) {
      std::set<Point> images;
      for (const std::vector<double>& scores : box_of(dimension, reach)) {
        const Point point = clipped(radius, scores);
        ASSERT_LE(squared_length(point), radius * radius);
        std::vector<std::int64_t> whole(scores.begin(), scores.end());
        const uint128 before = squared_length(whole);
        if (before <= radius * radius) {
          ASSERT_EQ(point, whole);
        } else {
          std::uint64_t norm = 1;
          while (norm * norm < before) ++norm;
          for (std::int64_t& z : whole) {
            z = z * static_cast<std::int64_t>(radius) / static_cast<std::int64_t>(norm);
          }
          ASSERT_EQ(point, whole);
        }
        images.insert(point);
      }
      uint128 farthest = 0;
      for (const Point& from : images) {
        for (const Point& to : images) {
          Point difference;
          for (std::size_t j = 0; j < dimension; ++j) difference.push_back(from[j] - to[j]);
          farthest = std::max(farthest, squared_length(difference));
        }
      }
      EXPECT_EQ(static_cast<std::uint64_t>(farthest), 4 * radius * radius);  // attained on the axes
    }
  }
}

// Every sum of three points of a small box, and each way to replace one of them.
TEST(ClippedSum, MovesNoFurtherThanTwiceTheRadiusTimesTheWeight) {
  constexpr std::uint64_t kRadius = 2;
  const std::array<std::int64_t, 3> weights = {3, -2, 1};
  const std::vector<std::vector<double>> points = box_of(2, 2);
  for (std::size_t place = 0; place < 3; ++place) {
    std::uint64_t farthest = 0;
    for (const std::vector<double>& before : points) {
      for (const std::vector<double>& after : points) {
        ClippedSum one(2, kRadius), other(2, kRadius);
        for (std::size_t i = 0; i < 3; ++i) {
          one.add(i == place ? before : points[7], weights[i]);
          other.add(i == place ? after : points[7], weights[i]);
        }
        Point difference;
        for (std::size_t j = 0; j < 2; ++j) difference.push_back(one.sum()[j] - other.sum()[j]);
        farthest = std::max(farthest, static_cast<std::uint64_t>(squared_length(difference)));
      }
    }
    const auto most = 2 * kRadius * static_cast<std::uint64_t>(std::abs(weights[place]));
    EXPECT_EQ(farthest, most * most);
  }
}

TEST(ClippedSum, TakesAnyDoubles) {
  constexpr std::uint64_t kWide = ClippedSum::kGreatestRadius;
  EXPECT_EQ(clipped(kWide, {test::kNan, -test::kNan, 0.0, -0.0}), (Point{0, 0, 0, 0}));
  constexpr auto kEnd = static_cast<std::int64_t>(kWide);
  EXPECT_EQ(clipped(kWide, {test::kInfinity}), Point{kEnd});
  EXPECT_EQ(clipped(kWide, {-test::kInfinity}), Point{-kEnd});
  EXPECT_EQ(clipped(kWide, {1e308}), Point{kEnd});
  EXPECT_EQ(clipped(kWide, {-0x1p40 - 1}), Point{-kEnd});
  EXPECT_EQ(clipped(5, {5e-324, -5e-324}), (Point{0, 0}));
  EXPECT_EQ(clipped(9, {0.5, 1.5, -2.5, 0.75, -0.75}), (Point{0, 2, -2, 1, -1}));
  // All at one far corner: each is L / sqrt(3), cut.
  EXPECT_EQ(clipped(1000, {1e300, test::kInfinity, 0x1p40}), (Point{577, 577, 577}));
  EXPECT_EQ(clipped(1, {1, 1}), (Point{0, 0}));
}

RC_GTEST_PROP(ClippedSum, KeepsItsNormForAnyBits, ()) {
  const auto bits = *rc::gen::suchThat(rc::gen::arbitrary<std::vector<std::uint64_t>>(),
                                       [](const auto& words) { return !words.empty(); });
  const std::uint64_t radius =
      *rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << *rc::gen::inRange(1, 41));
  std::vector<double> scores;
  for (const std::uint64_t word : bits) {
    const auto any = std::bit_cast<double>(word);
    const auto moderate = static_cast<double>(static_cast<std::int64_t>(word) >> (word % 64));
    scores.push_back(word % 2 == 0 ? any : moderate);
  }
  const Point point = clipped(radius, scores);
  RC_ASSERT(squared_length(point) <= static_cast<uint128>(radius) * radius);
  // No coordinate changes its side.
  for (std::size_t j = 0; j < scores.size(); ++j) {
    RC_ASSERT(scores[j] > 0 || point[j] <= 0);
    RC_ASSERT(scores[j] < 0 || point[j] >= 0);
  }
}

// At the rim: on it nothing changes, one beyond everything does; at any radius, so that the coarse
// look and the exact one agree.
TEST(ClippedSum, DecidesTheRimExactly) {
  for (int digits = 3; digits <= 37; ++digits) {
    const auto unit = std::int64_t{1} << digits;
    const auto radius = static_cast<std::uint64_t>(5 * unit);
    const auto x = static_cast<double>(3 * unit), y = static_cast<double>(-4 * unit);
    EXPECT_EQ(clipped(radius, {x, y}), (Point{3 * unit, -4 * unit}));
    EXPECT_EQ(clipped(radius, {x, y, 0}), (Point{3 * unit, -4 * unit, 0}));
    const Point beyond = clipped(radius, {x, y, 1});
    EXPECT_EQ(beyond[2], 0);
    EXPECT_EQ(beyond[0], 3 * unit - 1);
    EXPECT_EQ(beyond[1], 1 - 4 * unit);
  }
}

TEST(ClippedSum, SumsModuloTwoToThe64) {
  ClippedSum sum(2, 1000);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  sum.add(std::vector<double>{1.0, -3.0}, kMost);
  sum.add(std::vector<double>{2.0, 5.0});
  EXPECT_EQ(sum.sum()[0], std::numeric_limits<std::int64_t>::min() + 1);
  EXPECT_EQ(sum.sum()[1], std::numeric_limits<std::int64_t>::min() + 3 + 5);
  std::mt19937_64 random(42);
  std::normal_distribution<double> normal(0, 300);
  ClippedSum all(7, 1000);
  Point expected(7);
  for (std::int64_t i = 0; i < 1000; ++i) {
    std::vector<double> scores(7);
    for (double& score : scores) score = normal(random);
    const Point point = clipped(1000, scores);
    for (std::size_t j = 0; j < 7; ++j) expected[j] += (i - 400) * point[j];
    all.add(scores, i - 400);
  }
  EXPECT_EQ(Point(all.sum().begin(), all.sum().end()), expected);
}

std::string clipping_refusal(std::size_t dimension, std::uint64_t radius, std::size_t size) {
  return test::refusal_of([&] {
    ClippedSum sum(dimension, radius);
    sum.add(std::vector<double>(size));
  });
}

TEST(ClippedSum, RefusesInOneSentence) {
  EXPECT_EQ(clipping_refusal(0, 1, 0),
            "the dimension of a clipped sum must be from 1 to 2^20, but is 0");
  EXPECT_EQ(clipping_refusal(2, 0, 2), "the radius of clipping must be from 1 to 2^40, but is 0");
  EXPECT_EQ(clipping_refusal(2, (std::uint64_t{1} << 40) + 1, 2),
            "the radius of clipping must be from 1 to 2^40, but is 1099511627777");
  EXPECT_EQ(clipping_refusal(2, 1, 3),
            "a vector of a clipped sum must have 2 coordinates, but has 3");
}

}  // namespace

}  // namespace mollify
