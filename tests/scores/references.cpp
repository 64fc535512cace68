#include "scores/references.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chi_square.h"
#include "columns.h"
#include "core/invalid_input.h"
#include "methods/divergence/f_divergence.h"
#include "scores/mixed_rows.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Multiscale histogram.

namespace {

Domain grid(std::uint64_t cells, int columns) {
  std::vector<Column> made;
  for (int i = 0; i < columns; ++i) {
    made.push_back(test::without_nulls("x" + std::to_string(i), NumberCells::make(0, 1, cells)));
  }
  return Domain::make(std::move(made));
}

Empirical records(const std::vector<std::uint32_t>& outcomes) {
  Tally<std::uint32_t> tally;
  for (const std::uint32_t outcome : outcomes) tally.add(outcome);
  return Empirical(tally.take());
}

TEST(MultiscaleHistogram, IsUniformWithoutRecords) {
  EXPECT_EQ(multiscale_histogram(records({}), grid(4, 1)), std::vector<double>(4, 0.25));
}

// One record allows R = 2: histograms of 1, 2 and 4 parts of one cell, two and four.
TEST(MultiscaleHistogram, IsTheMeanOfItsHistograms) {
  const std::vector<double> masses = multiscale_histogram(records({5}), grid(8, 1));
  const double third = 1.0 / 3;
  const std::vector<double> expected = {
      third / 8,
      third / 8,
      third / 8,
      third / 8,
      third / 8 + third / 4 + third / 2,
      third / 8 + third / 4 + third / 2,
      third / 8 + third / 4,
      third / 8 + third / 4,
  };
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(masses[i], expected[i], 1e-15) << i;
}

TEST(MultiscaleHistogram, SumsToOneAndIsPositive) {
  for (const int columns : {1, 2, 3}) {
    for (const std::uint64_t cells : {1U, 7U, 40U}) {
      const Domain domain = grid(cells, columns);
      for (const std::uint32_t repeated : {1U, 50U, 5000U}) {
        std::vector<std::uint32_t> outcomes(repeated, domain.size() / 3);
        outcomes.push_back(domain.size() - 1);
        const std::vector<double> masses = multiscale_histogram(records(outcomes), domain);
        CompensatedSum sum;
        for (const double mass : masses) {
          ASSERT_GT(mass, 0.05 / domain.size());
          sum += mass;
        }
        EXPECT_NEAR(sum.value(), 1, 1e-12);
      }
    }
  }
}

TEST(MultiscaleHistogram, FollowsManyRecords) {
  std::vector<std::uint32_t> outcomes;
  for (std::uint32_t i = 0; i < 20'000; ++i) outcomes.push_back(100 + i % 30);
  const std::vector<double> masses = multiscale_histogram(records(outcomes), grid(1000, 1));
  double near = 0;
  for (std::size_t i = 90; i < 140; ++i) near += masses[i];
  EXPECT_GT(near, 0.4);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Reference candidates.

namespace {

Domain mixed() {
  return Domain::make({test::without_nulls("x", NumberCells::make(0, 1)),
                       test::without_nulls("w", Categories::make({"a", "b", "c", "d"}))},
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

// -----------------------------------------------------------------------------------------------
// Smoothed records.

namespace {

using test::clustered_points;
using test::survey_columns;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class Source>
MixedPoints draws(const SmoothedRecords& reference, std::size_t size, Source& random) {
  const std::size_t columns = reference.columns().size();
  MixedPoints points({reference.columns().begin(), reference.columns().end()}, size);
  std::vector<float> point(columns);
  for (std::size_t i = 0; i < size; ++i) {
    reference.draw(random, point);
    for (std::size_t c = 0; c < columns; ++c) points.values(c)[i] = point[c];
  }
  return points;
}

TEST(SmoothedRecords, MeanOfReciprocalDensityIsOne) {
  // The mean over h of 1/h is the uniform law's mass, and 1/h lies in (0, 1/lambda]: Hoeffding's
  // bound for n draws at false-alarm rate 1e-6 is sqrt(ln(2e6) / (2n)) / lambda.
  constexpr std::size_t kDraws = 65536;
  constexpr double kShare = 0.2;
  const SmoothedRecords reference(clustered_points(survey_columns(), 500, 4, 0.08, 21), kShare);
  SeededRandom random(22);
  std::vector<float> densities(kDraws);
  reference.densities(draws(reference, kDraws, random), densities);
  double sum = 0;
  for (const float density : densities) {
    ASSERT_GE(density, 0.2F);
    sum += 1 / static_cast<double>(density);
  }
  const double bound = std::sqrt(std::log(2e6) / (2.0 * kDraws)) / kShare;
  std::printf("mean of 1/h over %zu draws of seed 22: %.4f, within %.4f of 1 at 1e-6\n", kDraws,
              sum / kDraws, bound);
  EXPECT_NEAR(sum / kDraws, 1, bound);
}

/// Draws of one column against its density, integrated over cells.
template <class Source>
void expect_draws_follow_density(MixedColumn column, Source& random) {
  const SmoothedRecords reference(clustered_points({column}, 40, 3, 0.02, 23));
  const bool is_number = column.scale == Scale::kNumber;
  const std::size_t cells = is_number ? 40 : column.levels;
  const std::size_t nodes = is_number ? 64 : 1;  // of the midpoint rule, in each cell
  MixedPoints at({column}, cells * nodes);
  for (std::size_t j = 0; j < at.size(); ++j) {
    at.values(0)[j] = is_number ? (static_cast<float>(j) + 0.5F) / static_cast<float>(at.size())
                                : static_cast<float>(j);
  }
  std::vector<float> densities(at.size());
  reference.densities(at, densities);
  std::vector<double> masses(cells);
  double sum = 0;
  for (std::size_t j = 0; j < at.size(); ++j) {
    masses[j / nodes] += static_cast<double>(densities[j]) / static_cast<double>(at.size());
    sum += static_cast<double>(densities[j]) / static_cast<double>(at.size());
  }
  EXPECT_NEAR(sum, 1, 1e-4);
  std::vector<std::uint64_t> seen(cells);
  const MixedPoints drawn = draws(reference, 50000, random);
  for (const float x : drawn.values(0)) {
    const float position = is_number ? x * static_cast<float>(cells) : x;
    ++seen.at(std::min(static_cast<std::size_t>(position), cells - 1));
  }
  EXPECT_TRUE(test::follows(masses, seen));
}

TEST(SmoothedRecords, DrawsFollowTheDensityInEachScale) {
  for (const MixedColumn column : {MixedColumn{Scale::kNumber, 0}, MixedColumn{Scale::kCategory, 7},
                                   MixedColumn{Scale::kOrdered, 15}}) {
    SeededRandom seeded(24);
    expect_draws_follow_density(column, seeded);
    SecureRandom secure;
    expect_draws_follow_density(column, secure);
  }
}

TEST(SmoothedRecords, WithoutRecordsIsUniform) {
  const SmoothedRecords reference(MixedPoints(survey_columns(), 0));
  SeededRandom random(25);
  std::vector<float> densities(1000);
  reference.densities(draws(reference, 1000, random), densities);
  EXPECT_THAT(densities, Each(1.0F));
}

TEST(SmoothedRecords, SameSeedSameDraws) {
  const SmoothedRecords reference(clustered_points(survey_columns(), 50, 4, 0.1, 26));
  SeededRandom first(27), second(27);
  const MixedPoints a = draws(reference, 100, first);
  const MixedPoints b = draws(reference, 100, second);
  for (std::size_t c = 0; c < a.columns().size(); ++c) {
    EXPECT_TRUE(std::ranges::equal(a.values(c), b.values(c)));
    for (const float x : a.values(c)) {
      EXPECT_GE(x, 0);
      EXPECT_LE(x, a.columns()[c].scale == Scale::kNumber
                       ? 1
                       : static_cast<float>(a.columns()[c].levels - 1));
    }
  }
}

TEST(SmoothedRecords, RefuseWhatCannotBe) {
  const MixedPoints records(survey_columns(), 3);
  const auto message = [](const char* text) {
    return ThrowsMessage<InvalidInput>(HasSubstr(text));
  };
  EXPECT_THAT([&] { SmoothedRecords(records, 0.0); },
              message("the uniform share must be above 0 and at most 1, but is 0"));
  EXPECT_THAT([&] { SmoothedRecords(records, std::nan("")); }, message("but is nan"));
  EXPECT_THAT([&] { SmoothedRecords(records, Bandwidths{{0.1F}}); },
              message("a bandwidth for each of 8 columns, but there are 1"));
  const SmoothedRecords reference(records);
  std::vector<float> short_point(7), densities(3);
  SeededRandom random(28);
  EXPECT_THAT([&] { (void)reference.draw(random, short_point); },
              message("a point must have 8 columns, but there is room for 7"));
  EXPECT_THAT(
      [&] {
        (void)reference.densities(MixedPoints({{Scale::kNumber, 0}}, 3), densities);
      },
      message("points must have the 8 columns of the records, but have 1 others"));
}

}  // namespace

}  // namespace mollify
