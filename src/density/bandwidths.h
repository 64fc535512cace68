// How far kernels smooth, column by column.
#pragma once

#include <vector>

#include "density/mixed_points.h"

namespace mollify {

/// One smoothing parameter for each column (see ColumnKernel).
struct Bandwidths {
  std::vector<float> of_column;
};

/// Bandwidths by closed rules, from the rows and one more record spread evenly over the domain,
/// which makes constant columns, one row and none ordinary cases.
///
/// Number: h = sigma n^(-1/(p + 4)) with p number columns [Scott 1992, eq. 6.42]. Category: the
/// lambda that minimises the expected squared error of the column's own histogram, estimated
/// [Fienberg, Holland 1973]: what this kernel does to a histogram is to shrink it to the uniform
/// one. Ordered: the same for Wang and van Ryzin's kernel to first order in lambda, where it
/// shrinks each level to its neighbours' mean. So the margins of discrete columns are kept as well
/// as they can.
///
/// Private if the rows are. Any values are read into range. O(values), and sorting of levels.
[[nodiscard]] Bandwidths rule_of_thumb(const MixedPoints& rows);

}  // namespace mollify
