// The law of a sparse table, exactly.
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/table.h"

namespace mollify::test {

struct Probability {
  uint128 numerator;
  uint128 denominator;
};

/// Of outcome i, by the definition in core/table.h.
inline Probability probability(const SparseTable& table, std::size_t i) {
  const Band& band = table.band();
  const auto outcomes = table.outcomes();
  const auto found = std::lower_bound(outcomes.begin(), outcomes.end(), i);
  if (found != outcomes.end() && *found == i) {
    return {table.numerators()[static_cast<std::size_t>(found - outcomes.begin())], band.total()};
  }
  return {uint128{table.numerators().back()} * band.lower(i),
          uint128{band.total()} * std::max<std::uint64_t>(table.unscored_lower(), 1)};
}

}  // namespace mollify::test
