#include "marginals/second_measurement.h"

#include <algorithm>
#include <vector>

#include "marginals/private_bins.h"

namespace mollify {

std::uint32_t second_column_parts(const MarginalDesign& design, double total_weight) {
  const std::vector<MarginalColumn>& columns = design.request.columns;
  if (columns.size() < 2 || design.request.copula) return 0;
  double cells = 0;
  for (const MarginalColumn& column : columns) cells += counted_cells(column);
  cells /= static_cast<double>(columns.size());
  const double deviation =
      design.column_deviation * static_cast<double>(design.request.unit.weight);
  // Noise adds some 0.8 deviations a cell to a sum of distances, of which total variation is half.
  const double noise = 0.4 * deviation * cells / total_weight;
  // Also of weights that are no numbers.
  const double times = std::min(kMostSecondMeasurement, 40 * noise);
  return times < 0.1 ? 0 : static_cast<std::uint32_t>(times * design.column_parts);
}

}  // namespace mollify
