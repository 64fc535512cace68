// Triples of columns: which are counted, and what their pairs say of them.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "methods/marginals/design.h"
#include "records/pair_counts.h"

namespace mollify {

/// The triples of columns that are counted next to all pairs, so that they can be measured: those
/// of questions, then those with the fewest cells. Tables of many columns have no others, because
/// each row is counted in each triple, and a copula has none. Public: made of the columns' cells
/// and the questions alone. O(columns^3).
[[nodiscard]] std::vector<Triple> counted_triples(const MarginalRequest& request);

/// The table of three columns of these sizes that has greatest entropy among those with these
/// tables of their pairs (0, 1), (0, 2) and (1, 2), row-major, or nearly: by some sweeps of
/// iterative proportional fitting [Deming, Stephan 1940]. What is 0 in a pair stays 0.
[[nodiscard]] std::vector<double> table_of_pairs(const std::array<std::size_t, 3>& sizes,
                                                 std::span<const double> first,
                                                 std::span<const double> second,
                                                 std::span<const double> third);

}  // namespace mollify
