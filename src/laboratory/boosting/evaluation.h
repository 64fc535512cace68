// Points at which boosting is measured.
#pragma once

#include <cstddef>
#include <vector>

#include "boosting/boosted_density.h"
#include "density/points.h"
#include "laboratory/boosting/diagnostics.h"
#include "laboratory/boosting/fit.h"
#include "laboratory/measure/grid.h"
#include "laboratory/measure/measure.h"

namespace mollify {

/// Two sets of points over which expectations under P and under Q0 are taken. NOT PRIVATE.
///
/// On a grid both are the cells' middles, weighted by exact masses; otherwise they are samples that
/// no classifier learned from, without weights.
struct Evaluation {
  Points p;
  std::vector<double> masses_p;  ///< of each point of p; empty: all alike
  Points reference;
  std::vector<double> masses_reference;  ///< of each point of reference; empty: all alike

  [[nodiscard]] bool is_exact() const noexcept { return !masses_p.empty(); }
};

/// The cells of a grid: exact but for their width. Throws InvalidInput if the dimensions differ.
[[nodiscard]] Evaluation evaluation_on_grid(const Measure& p, const Measure& reference,
                                            const Grid& grid);

/// The moments of the last classifier of `after` and what follows from them, `before` being the
/// density without it. Throws InvalidInput as classifier_moments does.
[[nodiscard]] IterationDiagnostics diagnose(const BoostedDensity& before,
                                            const BoostedDensity& after,
                                            const Evaluation& evaluation);

/// Delta = E_P log dQ_T/dQ0 = KL(P, Q0) - KL(P, Q_T) in nats, by which the negative log-likelihood
/// falls from Q0 to Q_T; the standard error is that of the mean and of log Z, on a grid 0. Throws
/// InvalidInput as log_density_ratio does.
[[nodiscard]] Estimate boosting_gain(const BoostedDensity& density, const Evaluation& evaluation);

}  // namespace mollify
