// Columns that look as if their logarithms were Gaussian. NOT PRIVATE.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "space/real_columns.h"

namespace mollify::cli {

/// For each column that is not taken in logarithms, whose values are all positive and whose mean is
/// far above its median (skewness above 2), a sentence: "meals looks log-normal (mean 276, median
/// 31): try --log meals". `rows` are whole rows of the columns' coordinates.
[[nodiscard]] std::vector<std::string> log_normal_notes(const RealColumns& columns,
                                                        std::span<const double> rows);

}  // namespace mollify::cli
