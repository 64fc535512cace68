#include "laboratory/boosting/evaluation.h"

#include <cmath>
#include <numeric>

#include "kernel/core/invalid_input.h"
#include "laboratory/boosting/measure_features.h"

namespace mollify {

Evaluation evaluation_on_grid(const Measure& p, const Measure& reference, const Grid& grid) {
  if (p.dimension() != reference.dimension()) {
    throw InvalidInput("the reference must have the density's dimensions, but has others");
  }
  const Points centres = cell_centres(grid);
  Evaluation evaluation{centres, std::vector<double>(grid.cell_count()), centres,
                        std::vector<double>(grid.cell_count())};
  p.cell_masses(grid, evaluation.masses_p);
  reference.cell_masses(grid, evaluation.masses_reference);
  return evaluation;
}

IterationDiagnostics diagnose(const BoostedDensity& before, const BoostedDensity& after,
                              const Evaluation& evaluation) {
  std::vector<double> weights(evaluation.reference.size());
  before.log_ratio(evaluation.reference, weights);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double mass = evaluation.is_exact() ? evaluation.masses_reference[i] : 1.0;
    weights[i] = mass * std::exp(weights[i]);
  }
  IterationDiagnostics found = diagnose(
      classifier_moments(after, evaluation.p, evaluation.masses_p, evaluation.reference, weights),
      after.theta(after.iterations()));
  if (after.spec().outputs > 1) found.claimed.reset();  // the papers shrink no classifier
  return found;
}

Estimate boosting_gain(const BoostedDensity& density, const Evaluation& evaluation) {
  std::vector<double> ratios(evaluation.p.size());
  density.log_density_ratio(evaluation.p, ratios);
  Estimate gain;
  if (evaluation.is_exact()) {
    for (std::size_t i = 0; i < ratios.size(); ++i)
      gain.value += evaluation.masses_p[i] * ratios[i];
    gain.value /= std::accumulate(evaluation.masses_p.begin(), evaluation.masses_p.end(), 0.0);
    return gain;
  }
  const auto count = static_cast<double>(ratios.size());
  if (ratios.empty()) return gain;
  gain.value = std::accumulate(ratios.begin(), ratios.end(), 0.0) / count;
  if (ratios.size() < 2) return gain;
  double squares = 0;
  for (const double ratio : ratios) squares += (ratio - gain.value) * (ratio - gain.value);
  gain.standard_error =
      std::sqrt(squares / (count - 1) / count + std::pow(density.log_normaliser()->error, 2));
  return gain;
}

}  // namespace mollify
