#include "central/whitening.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"
#include "not_finite.h"
#include "records/numeric_table.h"
#include "refusal.h"
#include "space/seeded_random.h"

namespace mollify {
namespace {

using test::kInfinity;
using test::kNan;

std::string whitening_refusal(std::size_t dimension, const std::vector<double>& covariance,
                              const std::vector<double>& origin = {}) {
  return test::refusal_of([&] { (void)Whitening::from_covariance(dimension, covariance, origin); });
}

TEST(Whitening, MakesTheCovarianceTheIdentity) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::size_t d = 1 + seed % 8;
    SeededRandom random(seed);
    const auto uniform = [&] { return static_cast<double>(random.word() >> 11) * 0x1p-52 - 1; };
    // Sigma = U (G G^T + I) U with units of very different sizes.
    std::vector<double> factor(d * d), units(d), covariance(d * d), origin(d);
    for (double& value : factor) value = uniform();
    for (double& value : units) value = std::exp2(20 * uniform());
    for (std::size_t i = 0; i < d; ++i) origin[i] = 100 * units[i] * uniform();
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        double sum = i == j ? 1 : 0;
        for (std::size_t k = 0; k < d; ++k) sum += factor[i * d + k] * factor[j * d + k];
        covariance[i * d + j] = units[i] * units[j] * sum;
      }
    }
    const Whitening whitening = Whitening::from_covariance(d, covariance, origin);
    // As Sigma A^T = A^-1 =: B and B B^T = Sigma, the rows of c0 + U^-1 Sigma become those of U^-1
    // B.
    std::vector<double> rows(d * d), whitened(d * d), back(d * d);
    for (std::size_t i = 0; i < d * d; ++i) rows[i] = origin[i % d] + covariance[i] / units[i / d];
    whitening.apply(rows, whitened);
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < d; ++k) sum += whitened[i * d + k] * whitened[j * d + k];
        ASSERT_NEAR(sum, covariance[i * d + j] / (units[i] * units[j]), 1e-10) << seed;
      }
    }
    whitening.undo(whitened, back);
    for (std::size_t i = 0; i < d * d; ++i) {
      ASSERT_NEAR(back[i], rows[i], 1e-11 * units[i % d]) << seed;
    }
  }
}

TEST(Whitening, OfADiagonalDividesByStandardDeviations) {
  const Whitening whitening =
      Whitening::from_covariance(2, std::vector<double>{4, 0, 0, 1e-8}, std::vector<double>{1, 2});
  std::vector<double> whitened(4);
  whitening.apply(std::vector<double>{5, 2, 1, 2.0003}, whitened);
  EXPECT_THAT(whitened, testing::Pointwise(testing::DoubleNear(1e-9), {2., 0., 0., 3.}));
  const std::vector<WhitenedRange> ranges =
      whitening.ranges_of_box(std::vector<double>{-1, 2}, std::vector<double>{3, 2.001});
  EXPECT_NEAR(ranges[0].low, -1, 1e-12);
  EXPECT_NEAR(ranges[0].high, 1, 1e-12);
  EXPECT_NEAR(ranges[1].low, 0, 1e-9);
  EXPECT_NEAR(ranges[1].high, 10, 1e-9);
}

TEST(Whitening, IdentityChangesNothing) {
  const Whitening whitening = Whitening::identity(3);
  const std::vector<double> rows = {1, -2, 3, 4, 5e300, 6};
  std::vector<double> whitened(6), back(6);
  whitening.apply(rows, whitened);
  EXPECT_EQ(whitened, rows);
  whitening.undo(whitened, back);
  EXPECT_EQ(back, rows);
}

/// Privacy needs that replacing a row changes no other: not by a bit.
TEST(Whitening, KeepsRowsApart) {
  const std::size_t d = 5;
  std::vector<double> covariance(d * d, .3);
  for (std::size_t i = 0; i < d; ++i) covariance[i * d + i] = 1 + static_cast<double>(i);
  const Whitening whitening = Whitening::from_covariance(d, covariance);
  SeededRandom random(1);
  std::vector<double> rows(256 * d);
  for (double& value : rows) value = static_cast<double>(random.word() >> 11) * 0x1p-50;
  std::vector<double> before(rows.size()), after(rows.size());
  whitening.apply(rows, before);
  for (const double bad : {kNan, kInfinity, -kInfinity, 1e308, 0.}) {
    for (const std::size_t row : {0U, 1U, 100U, 255U}) {
      std::vector<double> changed = rows;
      std::fill_n(changed.begin() + static_cast<std::ptrdiff_t>(row * d), d, bad);
      whitening.apply(changed, after);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i / d != row) {
          ASSERT_EQ(before[i], after[i]) << "row " << row << ", number " << i;
        }
      }
    }
  }
}

TEST(Whitening, RefusesWhatIsNoCovariance) {
  EXPECT_EQ(whitening_refusal(2, {1, 1.2, 1.2, 1}),
            "covariance must be positive definite, but its least eigenvalue is -0.2");
  EXPECT_EQ(whitening_refusal(2, {1, .3, .4, 1}),
            "covariance must be symmetric, but its entry (1, 2) is 0.3 and its entry (2, 1) is "
            "0.4");
  EXPECT_EQ(whitening_refusal(2, {1, 0, 0, 0}),
            "covariance must be positive definite, but its entry (2, 2) is 0");
  EXPECT_EQ(whitening_refusal(2, {1, kNan, 0, 1}),
            "covariance must be finite, but its entry (1, 2) is nan");
  EXPECT_THAT(whitening_refusal(2, {1, 1, 1, 1 + 1e-12}),
              testing::HasSubstr("covariance must not be nearly singular"));
  EXPECT_EQ(whitening_refusal(2, {1, 0, 1}), "covariance must have 4 numbers, but has 3");
  EXPECT_EQ(whitening_refusal(2, {1, 0, 0, 1}, {1}), "the origin must have 2 numbers, but has 1");
  EXPECT_EQ(whitening_refusal(2, {1, 0, 0, 1}, {1, kInfinity}),
            "the origin must be finite, but has a inf");
  EXPECT_EQ(whitening_refusal(0, {}), "the number of dimensions must be from 1 to 1024, but is 0");
  EXPECT_EQ(whitening_refusal(2, {1e-12, 0, 0, 1e12}), "accepted");
}

TEST(MemoryTable, VisitsWholeRowsInOrderAsOftenAsAsked) {
  std::vector<double> rows(3 * 1000);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<double>(i);
  const MemoryTable table(3, rows);
  EXPECT_EQ(table.record_count(), 1000U);
  for (int pass = 0; pass < 2; ++pass) {
    std::vector<double> seen;
    table.visit([&](std::span<const double> block) {
      EXPECT_EQ(block.size() % 3, 0U);
      seen.insert(seen.end(), block.begin(), block.end());
    });
    EXPECT_EQ(seen, rows);
  }
  EXPECT_THROW(MemoryTable(3, std::vector<double>(4)), InvalidInput);
  EXPECT_THROW(MemoryTable(0, {}), InvalidInput);
}

}  // namespace
}  // namespace mollify
