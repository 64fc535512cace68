// What Table's theorem says of its numerators, decided in integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <gtest/gtest.h>

#include "core/band.h"

namespace mollify::test {

/// Whether every numerator lies in its bounds and all of them sum to the band's total.
inline ::testing::AssertionResult keeps_contract(const Band& band,
                                                 std::span<const std::uint64_t> numerators) {
  if (numerators.size() != band.outcome_count()) {
    return ::testing::AssertionFailure() << numerators.size() << " numerators";
  }
  uint128 sum = 0;
  for (std::size_t i = 0; i < numerators.size(); ++i) {
    sum += numerators[i];
    if (numerators[i] >= band.lower(i) && numerators[i] <= band.upper(i)) continue;
    return ::testing::AssertionFailure()
           << "numerator " << i << " is " << numerators[i] << ", outside [" << band.lower(i) << ", "
           << band.upper(i) << "]";
  }
  if (sum == band.total()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "the numerators sum to " << static_cast<double>(sum) << ", "
         << (sum < band.total() ? "below" : "above") << " the total " << band.total();
}

}  // namespace mollify::test
