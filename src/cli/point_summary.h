// Means, deviations, quantiles and correlations of a table of numbers. NOT PRIVATE.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "release/json_syntax.h"
#include "space/real_columns.h"

namespace mollify::cli {

/// Of points, in the coordinates of their columns.
struct PointSummary {
  std::vector<double> means, deviations, low, middle, high;
  std::vector<double> correlations;  ///< of each pair of columns
};

/// Requires a row at least; rows lie end to end.
[[nodiscard]] PointSummary summary_of_points(std::span<const double> points, std::size_t dimension);

/// "ln year1" for a column that is taken in logarithms.
[[nodiscard]] std::string coordinate_name(const RealColumns& columns, std::size_t column);

/// A table of two of them, the second under the name `other`.
void print_point_summaries(const RealColumns& columns, const PointSummary& truth,
                           const PointSummary& summary, const char* other);
[[nodiscard]] Json point_summary_json(const PointSummary& summary);

}  // namespace mollify::cli
