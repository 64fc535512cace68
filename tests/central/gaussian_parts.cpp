#include "central/gaussian_parts.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "central/small_gaussian_design.h"
#include "chi_square.h"
#include "not_finite.h"
#include "sanitized.h"

namespace mollify {
namespace {

using Parts = std::vector<std::vector<double>>;

/// Adds up a pass over parts, each of which is computed twice: a part is the same each time.
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
TEST(GaussianParts, FindsTheCentreOfAllParts) {
  const GaussianDesign design = design_gaussian({.records = 6000,
                                                 .dimension = 3,
                                                 .outputs = 4,
                                                 .budget = Privacy::concentrated(1),
                                                 .ranges = {{-50, 50}}});
  ASSERT_LE(design.total_variation_up(), 0.05);
  const GaussianSampler sampler(design, Whitening::identity(3));
  SecureRandom random;
  Parts parts(3);
  for (std::size_t i = 0; i < 6000; ++i) {
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
}  // namespace mollify
