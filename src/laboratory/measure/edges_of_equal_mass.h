// Quantiles of a piecewise-constant density.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mollify::detail {

/// `cells` + 1 edges with equal masses between them, of the density that has masses[j], uniformly,
/// between edges[j] and edges[j + 1]. The ends are those of the edges; the sum must be positive.
inline std::vector<double> edges_of_equal_mass(std::span<const double> edges,
                                               std::span<const double> masses, std::size_t cells) {
  double whole = 0;
  for (const double mass : masses) whole += mass;
  std::vector<double> found{edges.front()};
  std::size_t bin = 0;
  double before = 0;  // the mass of the bins before this one
  for (std::size_t j = 1; j < cells; ++j) {
    const double wanted = whole * static_cast<double>(j) / static_cast<double>(cells);
    while (bin + 1 < masses.size() && before + masses[bin] < wanted) before += masses[bin++];
    const double share = (wanted - before) / masses[bin];
    found.push_back(edges[bin] + share * (edges[bin + 1] - edges[bin]));
  }
  found.push_back(edges.back());
  return found;
}

}  // namespace mollify::detail
