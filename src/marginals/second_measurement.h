// Whether columns are measured once more.
#pragma once

#include <cstdint>

#include "marginals/marginal_design.h"

namespace mollify {

/// How many times the first measurement's parts a second one takes at most.
inline constexpr double kMostSecondMeasurement = 2.5;

/// Parts of a second measurement of each column, for a table of so much weight as the first one
/// says: in proportion to the total variation that noise of the first puts a column of the mean
/// size at, as many as the first took at 1/40; none where that would be less than a tenth of it, or
/// where nothing but the one column is asked.
[[nodiscard]] std::uint32_t second_column_parts(const MarginalDesign& design, double total_weight);

}  // namespace mollify
