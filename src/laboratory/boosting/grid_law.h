// A boosted density on the cells of a grid.
#pragma once

#include <vector>

#include "boosting/boosted_density.h"
#include "laboratory/measure/grid.h"
#include "laboratory/measure/measure.h"

namespace mollify {

/// Masses of all cells, each summing to one. NOT PRIVATE.
struct GridLaw {
  std::vector<double> reference;  ///< Q0
  std::vector<double> boosted;    ///< Q_T
  double log_normaliser = 0;      ///< log Z with these masses
};

/// Q0's exact cell masses, and Q_T's with the classifiers' values at the cells' middles: what
/// diagnostics and likelihoods on a grid are made of. Throws InvalidInput if the dimensions differ.
[[nodiscard]] GridLaw law_on_grid(const BoostedDensity& density, const Measure& reference,
                                  const Grid& grid);

/// 1 for each cell whose middle lies in the box, 0 for the others. Throws InvalidInput if the
/// dimensions differ.
[[nodiscard]] std::vector<unsigned char> cells_inside(const Grid& grid, const Box& box);

/// The volume of each cell.
[[nodiscard]] std::vector<double> cell_volumes(const Grid& grid);

}  // namespace mollify
