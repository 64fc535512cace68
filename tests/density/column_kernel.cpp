#include "density/column_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "not_finite.h"
#include "space/seeded_random.h"

namespace mollify {
namespace {

using test::kNanFloat;

double normal_mass(double low, double high, double mean, double deviation) {
  const double unit = deviation * std::sqrt(2.0);
  return 0.5 * (std::erf((high - mean) / unit) - std::erf((low - mean) / unit));
}

TEST(ColumnKernel, NumbersAreNormalOnTheUnitInterval) {
  for (const double h : {0.01, 0.2, 3.0}) {
    const ColumnKernel kernel({Scale::kNumber, 0}, static_cast<float>(h));
    for (const float origin : {0.0F, 0.125F, 1.0F}) {
      for (const float x : {0.0F, 0.09375F, 0.5F, 1.0F}) {
        const double u = static_cast<double>(x - origin) / kernel.bandwidth();
        const double expected = std::exp(-0.5 * u * u) /
                                (kernel.bandwidth() * std::sqrt(2 * std::acos(-1.0))) /
                                normal_mass(0, 1, static_cast<double>(origin), kernel.bandwidth());
        EXPECT_NEAR(kernel.density(x, origin), expected, 1e-11 * expected) << x << ' ' << origin;
      }
    }
  }
}

TEST(ColumnKernel, LevelsAreTheKernelsOfTheirPapers) {
  const ColumnKernel category({Scale::kCategory, 4}, 0.375F);
  EXPECT_NEAR(category.density(2, 2), 0.625, 1e-14);
  EXPECT_NEAR(category.density(1, 2), 0.125, 1e-14);
  const ColumnKernel ordered({Scale::kOrdered, 4}, 0.5F);
  const double sum = 1 + 0.25 + 0.25 + 0.125;  // around level 1 of 0, 1, 2, 3
  EXPECT_NEAR(ordered.density(1, 1), 1 / sum, 1e-14);
  EXPECT_NEAR(ordered.density(0, 1), 0.25 / sum, 1e-14);
  EXPECT_NEAR(ordered.density(3, 1), 0.125 / sum, 1e-14);
}

TEST(ColumnKernel, LevelsSumToOne) {
  for (const Scale scale : {Scale::kCategory, Scale::kOrdered}) {
    for (const std::uint32_t levels : {1U, 2U, 7U, 300U}) {
      for (const float lambda : {0.0F, 1e-30F, 0.3F, 0.999F, 1.0F, 5.0F, -1.0F, kNanFloat}) {
        const ColumnKernel kernel({scale, levels}, lambda);
        for (const std::uint32_t origin : {0U, levels / 2, levels - 1}) {
          double sum = 0;
          for (std::uint32_t x = 0; x < levels; ++x) {
            sum += kernel.density(static_cast<float>(x), static_cast<float>(origin));
          }
          EXPECT_NEAR(sum, 1, 1e-12) << levels << " levels, lambda " << lambda;
        }
      }
    }
  }
}

TEST(ColumnKernel, AtItsWidestACategoryIsUniform) {
  const ColumnKernel kernel({Scale::kCategory, 3}, 1.0F);
  EXPECT_NEAR(kernel.density(0, 1), 1.0 / 3, 1e-7);
  EXPECT_NEAR(kernel.density(1, 1), 1.0 / 3, 1e-7);
}

/// 20000 draws around an origin follow the kernel; false alarms 1e-6 each.
void expect_draws_follow(const ColumnKernel& kernel, float origin, std::size_t bins) {
  SeededRandom random(2024);
  std::vector<std::uint64_t> seen(bins);
  std::vector<double> expected(bins);
  const bool is_number = kernel.column().scale == Scale::kNumber;
  const auto count = static_cast<double>(bins);
  for (int i = 0; i < 20000; ++i) {
    const float x = kernel.draw(origin, random);
    const double position = static_cast<double>(x) * (is_number ? count : 1);
    ++seen.at(std::min(static_cast<std::size_t>(position), bins - 1));
  }
  for (std::size_t b = 0; b < bins; ++b) {
    const auto bin = static_cast<double>(b);
    const auto mean = static_cast<double>(origin);
    const double h = kernel.bandwidth();
    expected[b] = is_number ? normal_mass(bin / count, (bin + 1) / count, mean, h) /
                                  normal_mass(0, 1, mean, h)
                            : kernel.density(static_cast<float>(b), origin);
  }
  EXPECT_TRUE(test::follows(expected, seen))
      << "seed 2024, bandwidth " << kernel.bandwidth() << ", origin " << origin;
}

TEST(ColumnKernel, DrawsFollowTheDensity) {
  expect_draws_follow({{Scale::kNumber, 0}, 0.1F}, 0.3F, 50);
  expect_draws_follow({{Scale::kNumber, 0}, 0.1F}, 1.0F, 50);
  expect_draws_follow({{Scale::kNumber, 0}, 700.0F}, 0.0F, 50);
  expect_draws_follow({{Scale::kCategory, 6}, 0.4F}, 2, 6);
  expect_draws_follow({{Scale::kCategory, 1}, 0.4F}, 0, 1);
  expect_draws_follow({{Scale::kOrdered, 12}, 0.8F}, 3, 12);
  expect_draws_follow({{Scale::kOrdered, 12}, 1.0F}, 11, 12);
  expect_draws_follow({{Scale::kOrdered, 12}, 0.0F}, 0, 12);
}

}  // namespace
}  // namespace mollify
