// A band's promises, and bands with outcomes that can never occur.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/band.h"
#include "core/invalid_input.h"
#include "kernel/search.h"

namespace mollify::test {

/// Everything that Band promises, in integers.
inline ::testing::AssertionResult keeps_promises(const Band& band) {
  uint128 lower_sum = 0;
  uint128 upper_sum = 0;
  for (std::size_t i = 0; i < band.outcome_count(); ++i) {
    const std::uint64_t lower = band.lower(i);
    const std::uint64_t upper = band.upper(i);
    if (lower > upper || upper > band.total()) {
      return ::testing::AssertionFailure() << "bounds of outcome " << i << " are out of order";
    }
    if (!band.bound().allows(upper, lower)) {
      return ::testing::AssertionFailure() << "upper > Ebar lower at outcome " << i;
    }
    // The upper bound wastes nothing either: one part more would be too many.
    if (upper < band.total() && lower > 0 && band.bound().allows(upper + 1, lower)) {
      return ::testing::AssertionFailure() << "upper is needlessly low at outcome " << i;
    }
    if (band.lower_before(i) != static_cast<std::uint64_t>(lower_sum)) {
      return ::testing::AssertionFailure() << "lower_before is wrong at outcome " << i;
    }
    if (lower > 0 && (band.outcome_at(band.lower_before(i)) != i ||
                      band.outcome_at(band.lower_before(i) + lower / 2) != i ||
                      band.outcome_at(band.lower_before(i) + lower - 1) != i)) {
      return ::testing::AssertionFailure() << "outcome_at does not invert lower_before at " << i;
    }
    lower_sum += lower;
    upper_sum += upper;
  }
  if (band.lower_before(band.outcome_count()) != static_cast<std::uint64_t>(lower_sum)) {
    return ::testing::AssertionFailure() << "lower_before(k) is not the sum";
  }
  if (lower_sum > band.total() || upper_sum < band.total()) {
    return ::testing::AssertionFailure() << "no table fits";
  }
  return ::testing::AssertionSuccess();
}

/// The band of masses of which some may be zero: these outcomes have the lower bound 0, and the
/// others those that they would have without them.
inline Band band_with_zeros(std::span<const double> masses, double floor, double epsilon,
                            std::uint64_t total = Band::kGreatestTotal) {
  std::vector<double> positive;
  for (const double mass : masses) {
    if (mass != 0) positive.push_back(mass);
  }
  const Band alone =
      make_band({.reference = positive, .floor = floor, .epsilon = epsilon, .total = total});
  std::vector<std::uint64_t> lowers;
  std::size_t next = 0;
  for (const double mass : masses) lowers.push_back(mass != 0 ? alone.lower(next++) : 0);
  return Band::make(std::move(lowers), ExpBound(epsilon), total);
}

inline std::optional<Band> band_if_any(const std::vector<double>& reference, double floor,
                                       double epsilon, std::uint64_t total) {
  const BandSpec same = {
      .outcome_count = reference.size(), .floor = floor, .epsilon = epsilon, .total = total};
  const bool is_uniform = reference == std::vector<double>(reference.size(), 1);
  try {
    return is_uniform ? make_band(same) : band_with_zeros(reference, floor, epsilon, total);
  } catch (const InvalidInput&) {
    return std::nullopt;
  }
}

/// All bands of at most four outcomes with this many parts.
inline std::vector<Band> small_bands(std::uint64_t total, double epsilon) {
  const std::vector<std::vector<double>> references = {{1},          {1, 1},       {1, 3},
                                                       {1, 1, 1},    {1, 2, 4},    {0, 1, 2},
                                                       {1, 1, 1, 1}, {8, 4, 2, 1}, {3, 0, 1, 1}};
  std::vector<Band> bands;
  for (const std::vector<double>& reference : references) {
    const double k = static_cast<double>(reference.size());
    for (const double floor : {k / (std::expm1(epsilon) + k), std::exp(-epsilon / 2), 0.5}) {
      std::optional<Band> band = band_if_any(reference, floor, epsilon, total);
      if (band) bands.push_back(std::move(*band));
    }
  }
  return bands;
}

}  // namespace mollify::test
