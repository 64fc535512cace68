// A run of boosting, all that is measured of it, and how it is told. NOT PRIVATE.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "boosting/boosted_density.h"
#include "boosting/mbde.h"
#include "boosting/weak_learner.h"
#include "boosting_problem.h"
#include "command.h"
#include "laboratory/boosting/diagnostics.h"
#include "laboratory/boosting/fit.h"

namespace mollify::cli {

/// One iteration as it is reported.
struct BoostingStep {
  IterationDiagnostics diagnostics;
  std::optional<double> cross_entropy{};  ///< of its learning's last epoch
};

/// How well a law finds P, where densities are known; errors are 0 on grids.
struct BoostingFit {
  Estimate nll;
  Estimate coverage;
};

struct BoostingRun {
  BoostedDensity density;
  std::vector<BoostingStep> steps{};
  RunDiagnostics all{};
  Estimate gain{};
  LogRatioRange range{};
  std::vector<RegionDiagnostics> regions{};
  std::optional<BoostingFit> of_reference{}, of_boosted{};
  std::vector<double> draws{};  ///< coordinates end to end
};

/// Boosts, showing progress on a terminal, and measures.
BoostingRun run_boosting(const BoostingProblem& problem, const MbdeSpec& spec,
                         const WeakLearner& learner);

/// Measures a density that was boosted before. Throws InvalidInput if it reads points of another
/// number of features than the problem's.
BoostingRun measure_boosting(const BoostingProblem& problem, std::uint64_t seed,
                             const BoostedDensity& model);

Json boosting_json(const BoostingRun& run, const BoostingProblem& problem, const MbdeSpec& spec);
void print_boosting(const BoostingRun& run, const BoostingProblem& problem, const MbdeSpec& spec);
/// The points that were drawn by the sampler of that name, a line each.
void print_draws(const BoostingRun& run, const std::string& sampler);

}  // namespace mollify::cli
