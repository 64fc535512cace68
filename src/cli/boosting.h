// mollify mbde: boosting looked at.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/main.h"
#include "laboratory/boosting/diagnostics.h"
#include "laboratory/boosting/likelihood.h"
#include "laboratory/measure/measure.h"
#include "scores/boosting.h"
#include "scores/points.h"

namespace mollify::cli {

// -----------------------------------------------------------------------------------------------
// What boosting starts from: samples of the private distribution and of a public reference.

struct BoostingProblem {
  Points p;               ///< samples of P to learn from
  Points pool;            ///< samples of Q0 to learn from
  Evaluation evaluation;  ///< of neither
  std::string p_text, reference_text;
  /// On R^d only.
  std::shared_ptr<const Measure> truth{}, reference{};
  /// Whose cells `evaluation` is: in one or two dimensions, where P lies on the reference's central
  /// box and is not narrower than its cells. Edges of the regions are edges of cells.
  std::optional<Grid> grid{};
  std::vector<Box> regions{};
};

/// P is a density, as law reads it; Q0 a measure, by default the standard Gaussian of the same
/// dimension. `samples` of P are drawn, and a pool several times as large. Regions are texts,
/// low:high for each axis with commas between them.
BoostingProblem problem_of_density(const std::string& density,
                                   const std::optional<std::string>& reference,
                                   std::uint64_t samples, std::uint64_t seed,
                                   const std::vector<std::string>& regions);

/// P is the records of a private file, of which every fifth is kept for evaluation, unless there
/// are fewer than 50: then all serve for both, and p_text says so. Throws InvalidInput without any.
/// Q0 is uniform on the domain, or the smoothed records of a public file.
BoostingProblem problem_of_records(const std::string& data, const std::string& domain,
                                   const std::optional<std::string>& reference);

// -----------------------------------------------------------------------------------------------
// A run of boosting, all that is measured of it, and how it is told. NOT PRIVATE.

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

// -----------------------------------------------------------------------------------------------
// Points of a boosted density, drawn in the three ways that there are. NOT PRIVATE.

/// Refuses (InvalidInput) a name that is not rejection, candidates or metropolis-hastings.
void require_boosted_sampler(const std::string& sampler);

/// Refuses (InvalidInput) what that sampler cannot draw, before anything is learned.
void require_drawable(const std::string& sampler, const BoostingSpec& spec);

/// `count` points, coordinates end to end, by the sampler of that name: for analysis, from a seed.
/// Releases of the first two kinds are RejectionSampler::draw and `sample --score mbde`; of the
/// last there is none, because it keeps no promise.
std::vector<double> boosted_draws(const std::string& sampler, const BoostedDensity& density,
                                  const std::shared_ptr<const Measure>& reference,
                                  std::uint64_t count, std::uint64_t seed);

}  // namespace mollify::cli
