// How often each outcome occurs: all that a mechanism of a whole table looks at.
#pragma once

#include <cstdint>
#include <span>

#include "kernel/core/wide.h"
#include "records/tally.h"

namespace mollify {

/// Distinct outcomes (`keys`), ascending, and as many counts, each from 1 to kGreatestCount.
/// Private.
using OutcomeHistogram = Tally<std::uint32_t>::Counts;

/// Those of a list of records, in any order. O(n).
[[nodiscard]] OutcomeHistogram counts_of(std::span<const std::uint32_t> records);

/// Those of two lists together. O(distinct outcomes).
[[nodiscard]] OutcomeHistogram merged(const OutcomeHistogram& left, const OutcomeHistogram& right);

/// The number of records. No overflow: fewer than 2^32 outcomes have at most 2^53 each.
[[nodiscard]] uint128 record_count(const OutcomeHistogram& histogram);

}  // namespace mollify
