// A public reference made of public records.
#pragma once

#include <cstdint>
#include <vector>

#include "records/empirical.h"

namespace mollify {

/// The masses (count_i + 1) / (n + k) of k outcomes after n **public** records: Laplace's rule.
///
/// A band needs a positive mass on every outcome, or the outcome could never be released; one
/// record's worth on each does that and vanishes as public records accumulate. O(k).
[[nodiscard]] std::vector<double> smoothed_histogram(const Empirical& public_records,
                                                     std::size_t outcome_count);

}  // namespace mollify
