// The reference masses of a grid's cells from public records.
#pragma once

#include <vector>

#include "records/empirical.h"
#include "space/domain.h"

namespace mollify {

/// The mean of the histograms that cut every axis into 1, 2, 4, ..., 2^R parts, each spread evenly
/// over the cells of its parts: close to the records where they are many, never zero (the first
/// histogram is uniform), and made of additions, products and quotients alone, so that it is the
/// same on every machine. A grid has too many cells for `smoothed_histogram`.
///
/// `grid` is enumerable, and its d columns are the axes; `public_records` are **public** and lie in
/// it. R is the greatest with 2^(R (d + 2)) <= 4^(d + 2) n for n records, the order of the best
/// histogram's parts [Scott 1992, section 3.4], with finer ones for narrow peaks; parts are never
/// narrower than cells. O(k R) for k cells. The masses sum to one up to rounding.
[[nodiscard]] std::vector<double> multiscale_histogram(const Empirical& public_records,
                                                       const Domain& grid);

}  // namespace mollify
