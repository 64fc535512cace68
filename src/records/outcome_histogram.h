// How often each outcome occurs: all that a mechanism of a whole table looks at.
#pragma once

#include <cstdint>
#include <span>

#include "records/tally.h"

namespace mollify {

/// Distinct outcomes (`keys`), ascending, and as many counts, each at least 1. Private.
using OutcomeHistogram = Tally<std::uint32_t>::Counts;

/// Those of a list of records, in any order. O(n).
[[nodiscard]] OutcomeHistogram counts_of(std::span<const std::uint32_t> records);

/// Those of two lists together. O(distinct outcomes).
[[nodiscard]] OutcomeHistogram merged(const OutcomeHistogram& left, const OutcomeHistogram& right);

/// The number of records.
[[nodiscard]] std::uint64_t record_count(const OutcomeHistogram& histogram);

}  // namespace mollify
