#include "laboratory/mollifier/laplace_channel.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "kernel/core/exp_bound.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

MatrixChannel laplace_channel(std::size_t cells, double epsilon) {
  constexpr std::size_t kMostCells = 4096;
  if (cells < 1 || cells > kMostCells) {
    throw InvalidInput(fmt::format(
        "a Laplace channel must have from 1 to {} cells, but is given {}", kMostCells, cells));
  }
  // Lengths in cells: the centres are k - 1 apart.
  const double range = cells == 1 ? 1 : static_cast<double>(cells - 1);
  const double rate = ExpBound(epsilon).epsilon() / range;
  std::vector<double> rows;
  rows.reserve(cells * cells);
  for (std::size_t i = 0; i < cells; ++i) {
    for (std::size_t j = 0; j < cells; ++j) {
      const auto apart = static_cast<double>(i < j ? j - i : i - j);
      rows.push_back(apart == 0 ? -2 * std::expm1(-0.5 * rate)
                                : 2 * std::sinh(0.5 * rate) * std::exp(-rate * apart));
    }
  }
  return MatrixChannel::make(rows, cells, epsilon);
}

}  // namespace mollify
