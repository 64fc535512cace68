#include "scores/kernel_lanes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "every_lanes.h"

namespace mollify::detail {

namespace {

/// Bits rather than values: all instruction sets compute in the same order and fuse nothing.
std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> result;
  for (const float value : values) result.push_back(std::bit_cast<std::uint32_t>(value));
  return result;
}

std::vector<float> uniform(std::size_t size, float low, float high, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> result(size);
  for (float& value : result) value = distribution(random);
  return result;
}

std::vector<float> levels(std::size_t size, std::uint64_t seed) {
  std::vector<float> result = uniform(size, 0, 4, seed);
  for (float& value : result) value = std::floor(value);
  return result;
}

TEST(KernelLanes, BoundRowsAlike) {
  constexpr std::size_t kRows = 104;
  const std::vector<float> numbers = uniform(kRows, 0, 1, 1);
  const std::vector<float> categories = levels(kRows, 2);
  const std::vector<float> weights = uniform(kRows, -5, 5, 3);
  const std::array<BoxColumn, 6> columns = {{{numbers.data(), 0.5F, 0.5F, 9.0F},
                                             {categories.data(), 1, 1, 3.5F},
                                             {categories.data(), 2, 2, 0.7F},
                                             {numbers.data(), 0.25F, 0.75F, 20.0F},
                                             {categories.data(), 1, 2, 2.5F},
                                             {categories.data(), 0, 2, 0.9F}}};
  const BlockBox box{columns.data(), {1, 1, 1}, {1, 1, 1}};
  const auto bound = [&](const KernelLanes& lanes) {
    std::vector<float> exact(kRows), upper(kRows);
    std::vector<std::int32_t> shells(kRows);
    const float top = lanes.bound(box, weights.data(), kRows, exact.data(), upper.data());
    lanes.sort_into_shells(upper.data(), kRows, top, 4, 31, shells.data());
    EXPECT_EQ(top, *std::max_element(upper.begin(), upper.end()));
    exact.insert(exact.end(), upper.begin(), upper.end());
    return std::pair(bits(exact), shells);
  };
  for (const auto& [name, lanes] : test::every_lanes<KernelLanes>()) {
    EXPECT_EQ(bound(KernelLanes::kBaseline), bound(lanes)) << name;
  }
}

TEST(KernelLanes, AddKernelsAlike) {
  constexpr std::size_t kRows = 50, kStride = 8;
  const auto every = test::every_lanes<KernelLanes>();
  for (const std::size_t padded : {8U, 16U, 24U, 32U, 56U, 64U}) {
    std::vector<float> values = uniform(padded, -9, 9, 4);
    const std::vector<float> candidate_levels = levels(2 * padded, 5);
    values.insert(values.end(), candidate_levels.begin(), candidate_levels.end());
    const std::vector<float> by_row = levels(kRows * kStride, 6);
    const std::vector<float> weights = uniform(kRows, -60, 0, 7);
    const std::array<std::uint32_t, 3> slots = {5, 0, 2};
    const std::array<float, 2> slopes = {3.0F, 0.8F};
    const std::array<float, kStride> origins = {0, 0, 0, 0, 0, 2.5F, 0, 0};
    const std::array<float, kStride> factors = {1, 1, 1, 1, 1, 4.25F, 1, 1};
    std::vector<std::uint32_t> chosen;
    for (std::uint32_t i = 0; i < kRows; i += 2) chosen.push_back(i);
    const auto add = [&](const KernelLanes& lanes) {
      std::vector<float> packed(chosen.size() * kStride);
      lanes.pack(by_row.data(), kStride, chosen.data(), chosen.size(), origins.data(),
                 factors.data(), packed.data());
      std::vector<float> scaled(values.size());
      lanes.scale(values.data(), values.size(), 0, 1, scaled.data());
      std::vector<float> sums(padded);
      const Tile tile{{1, 1, 1}, slots.data(), slopes.data(), scaled.data(), padded};
      const float least = lanes.add_kernels(
          tile, {packed.data(), kStride, weights.data(), chosen.size()}, sums.data());
      EXPECT_EQ(least, *std::min_element(sums.begin(), sums.end()));
      EXPECT_GT(least, 0);
      return bits(sums);
    };
    for (const auto& [name, lanes] : every) {
      EXPECT_EQ(add(KernelLanes::kBaseline), add(lanes)) << name << ", " << padded << " candidates";
    }
  }
}

/// The power of two that a row of a given logarithmic weight adds to a candidate equal to it.
float power(const KernelLanes& lanes, float logarithm) {
  std::array<float, 8> sums{};
  const float row = 0;
  const Tile tile{{0, 0, 0}, nullptr, nullptr, sums.data(), 8};
  lanes.add_kernels(tile, {&row, 0, &logarithm, 1}, sums.data());
  return sums[3];
}

TEST(KernelLanes, PowersOfTwoAreRight) {
  double worst = 0;
  for (float x = -124.9F; x <= 1; x += 0.0137F) {
    const double exact = std::exp2(static_cast<double>(x));
    worst = std::max(worst,
                     std::abs(static_cast<double>(power(KernelLanes::kBaseline, x)) / exact - 1));
  }
  EXPECT_LT(worst, 4e-6);
  for (const float x : {-125.0F, -126.5F, -1000.0F, -1e30F}) {
    EXPECT_EQ(power(KernelLanes::kBaseline, x), 0) << x;
  }
}

}  // namespace

}  // namespace mollify::detail
