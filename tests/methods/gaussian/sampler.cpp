#include "methods/gaussian/sampler.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chi_square.h"
#include "core/invalid_input.h"
#include "domain/candidates.h"
#include "methods/gaussian/small_gaussian_design.h"
#include "not_finite.h"
#include "records/private_table.h"
#include "refusal.h"
#include "sanitized.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Gaussian parts.

namespace {

using Parts = std::vector<std::vector<double>>;

/// Adds up a pass over parts, each computed twice: a part is the same each time.
std::vector<std::int64_t> added_up(const GaussianSampler& sampler, const ReleaseKey& key,
                                   const Parts& parts, const GaussianPass& pass) {
  std::vector<std::int64_t> all;
  for (std::size_t number = 0; number < parts.size(); ++number) {
    GaussianPart part(sampler, pass, key, number);
    GaussianPart again(sampler, pass, key, number);
    part.add(parts[number]);
    const std::size_t d = sampler.design().request.dimension;
    for (std::size_t i = 0; i < parts[number].size(); i += d) {
      again.add(std::span(parts[number]).subspan(i, d));
    }
    const std::vector<std::int64_t> sums = part.take();
    EXPECT_EQ(sums, again.take());
    EXPECT_EQ(part.begin(), again.begin());
    if (all.size() < part.begin() + sums.size()) all.resize(part.begin() + sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      std::int64_t& sum = all[part.begin() + i];
      sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) +
                                      static_cast<std::uint64_t>(sums[i]));
    }
  }
  return all;
}

std::vector<double> drawn(const GaussianSampler& sampler, const Parts& parts,
                          SecureRandom& random) {
  const ReleaseKey key;
  return draw_from_parts(
      sampler, key, [&](const GaussianPass& pass) { return added_up(sampler, key, parts, pass); },
      random);
}

/// With one row a run and hardly any noise an output is a row's number. Each pair of the five rows
/// is as likely as any other, however they lie: 40 000 draws a table, chi-square, false alarm 1e-6.
TEST(GaussianParts, EachRowHasEachRoleAlike) {
  const GaussianDesign design = test::design_of({.plus = 1,
                                                 .radius = 1U << 20U,
                                                 .notion = Privacy::Notion::kConcentrated,
                                                 .noise = {1, 1024},
                                                 .outputs = 2,
                                                 .records = 5});
  const GaussianSampler sampler(design, Whitening::identity(1));
  SecureRandom random;
  const std::vector<double> alike(20, 1. / 20);
  for (const Parts& parts :
       {Parts{{0, 1, 2, 3, 4}}, Parts{{0, 1}, {}, {2, 3, 4}}, Parts{{4}, {3}, {2}, {1}, {0}},
        Parts{{1, 2}, {3, 4}}}) {  // of the last a row is nowhere, which is 0
    std::vector<std::uint64_t> seen(20);
    for (std::size_t i = 0; i < test::whole_or_sanitized<std::size_t>(10'000, 2'000); ++i) {
      const std::vector<double> outputs = drawn(sampler, parts, random);
      const auto first = static_cast<std::size_t>(std::lround(outputs[0]));
      const auto second = static_cast<std::size_t>(std::lround(outputs[1]));
      ASSERT_TRUE(first < 5 && second < 5 && first != second);
      ++seen[first * 4 + second - (second > first ? 1 : 0)];
    }
    EXPECT_TRUE(test::follows(alike, seen));
  }
}

/// A release with a coarse centre, whose rows come from all parts: an output is within 1/20 of the
/// Gaussian around 20, so that 15 of 40 are off by 6 with probability below 1e-6.
void expect_centre_of_all_parts(const GaussianDesign& design) {
  ASSERT_LE(design.total_variation_up(), 0.05);
  const GaussianSampler sampler(design, Whitening::identity(3));
  SecureRandom random;
  Parts parts(3);
  for (std::size_t i = 0; i < design.request.records; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      // Twelve uniform numbers are about a normal one.
      double sum = 14;
      for (int k = 0; k < 12; ++k) sum += static_cast<double>(random.below(1 << 20)) * 0x1p-20;
      parts[i < 100 ? 0 : 1 + i % 2].push_back(sum);
    }
  }
  int near = 0;
  for (int i = 0; i < 10; ++i) {
    const std::vector<double> outputs = drawn(sampler, parts, random);
    for (std::size_t run = 0; run < 4; ++run) {
      near += std::hypot(outputs[3 * run] - 20, outputs[3 * run + 1] - 20,
                         outputs[3 * run + 2] - 20) < 6
                  ? 1
                  : 0;
    }
  }
  std::printf("%d of 40 outputs near\n", near);
  EXPECT_GE(near, 26);
}

TEST(GaussianParts, FindsTheCentreOfAllParts) {
  GaussianRequest request{.records = 6000,
                          .dimension = 3,
                          .outputs = 4,
                          .budget = Privacy::concentrated(1),
                          .ranges = {{-50, 50}}};
  expect_centre_of_all_parts(design_gaussian(request));
  request.records = 40'000;
  request.budget = Privacy::approximate(20, 1e-3);
  request.covariance_bound = 2;
  const GaussianDesign tested = design_gaussian(request);
  ASSERT_GT(tested.threshold, 0U);
  expect_centre_of_all_parts(tested);
}

/// Whatever parts hold, and if they change between passes, finite points come out.
TEST(GaussianParts, IsTotal) {
  const GaussianDesign design = design_gaussian({.records = 3000,
                                                 .dimension = 2,
                                                 .outputs = 2,
                                                 .budget = Privacy::concentrated(1),
                                                 .ranges = {{-9, 9}}});
  const GaussianSampler sampler(design, Whitening::identity(2));
  SecureRandom random;
  const std::vector<double> hostile = {test::kNan, test::kInfinity, -test::kInfinity, 1e308};
  std::vector<Parts> histories = {{}, {{1, 2}}, {hostile, {}, hostile}};
  histories.push_back({std::vector<double>(9000, 1e308), std::vector<double>(2, 5)});
  for (const Parts& counted : histories) {
    for (const Parts& later : histories) {
      const ReleaseKey key;
      const auto ask = [&](const GaussianPass& pass) {
        const bool is_first = pass.kind == GaussianPass::Kind::kRows;
        return added_up(sampler, key, is_first ? counted : later, pass);
      };
      const std::vector<double> outputs = draw_from_parts(sampler, key, ask, random);
      ASSERT_EQ(outputs.size(), 4U);
      for (const double x : outputs) EXPECT_TRUE(std::isfinite(x)) << x;
    }
  }
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Whitening.

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
  const std::vector<RealRange> ranges =
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
