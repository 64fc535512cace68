#include "boosting_run.h"

#include <cmath>
#include <span>

#include <fmt/format.h>

#include "boosting/resample.h"
#include "kernel/core/invalid_input.h"
#include "kernel/core/seeded_random.h"
#include "laboratory/boosting/evaluation.h"
#include "laboratory/boosting/fit.h"
#include "laboratory/boosting/grid_law.h"
#include "laboratory/boosting/log_normaliser.h"
#include "progress.h"

namespace mollify::cli {
namespace {

std::vector<double> log_densities(const Measure& measure, const Points& points) {
  std::vector<double> logs(points.size());
  std::vector<double> point(measure.dimension());
  for (std::size_t i = 0; i < logs.size(); ++i) {
    for (std::size_t axis = 0; axis < point.size(); ++axis) {
      point[axis] = static_cast<double>(points.values(axis)[i]);
    }
    logs[i] = std::log(measure.density(point));
  }
  return logs;
}

void measure_on_grid(const BoostingProblem& problem, BoostingRun& run) {
  const std::vector<double>& p = problem.evaluation.masses_p;
  const GridLaw law = law_on_grid(run.density, *problem.reference, *problem.grid);
  const std::vector<double> volumes = cell_volumes(*problem.grid);
  const auto fit = [&](std::span<const double> masses) {
    return BoostingFit{{negative_log_likelihood(p, masses, volumes), 0},
                       {mode_coverage(p, masses, volumes), 0}};
  };
  run.of_reference = fit(law.reference);
  run.of_boosted = fit(law.boosted);
  for (const Box& box : problem.regions) {
    run.regions.push_back(
        diagnose_region(p, law.reference, law.boosted, cells_inside(*problem.grid, box), run.all));
  }
}

void measure_on_samples(const BoostingProblem& problem, std::uint64_t seed, BoostingRun& run) {
  const Evaluation& evaluation = problem.evaluation;
  // Q_T's own samples are the reference's, each taken as often as Q_T has it.
  std::vector<double> weights(evaluation.reference.size());
  run.density.log_ratio(evaluation.reference, weights);
  for (double& weight : weights) weight = std::exp(weight);
  SeededRandom random(seed);
  const Points of_q = resampled(evaluation.reference, weights, weights.size(), random);
  const auto boosted_logs = [&](const Points& points) {
    std::vector<double> logs = log_densities(*problem.reference, points);
    std::vector<double> ratios(points.size());
    run.density.log_density_ratio(points, ratios);
    for (std::size_t i = 0; i < logs.size(); ++i) logs[i] += ratios[i];
    return logs;
  };
  const std::vector<double> reference_at_p = log_densities(*problem.reference, evaluation.p);
  const std::vector<double> reference_at_q =
      log_densities(*problem.reference, evaluation.reference);
  const std::vector<double> boosted_at_p = boosted_logs(evaluation.p);
  const auto likelihood = [](std::span<const double> logs) {
    Estimate estimate = negative_log_likelihood(logs);
    // Infinite, if P reaches where Q0 does not.
    if (!std::isfinite(estimate.value)) estimate.standard_error = 0;
    return estimate;
  };
  run.of_reference = {likelihood(reference_at_p),
                      mode_coverage_of_samples(reference_at_p, reference_at_q)};
  run.of_boosted = {likelihood(boosted_at_p),
                    mode_coverage_of_samples(boosted_at_p, boosted_logs(of_q))};
}

/// On a grid the sum over its cells, so that drops and likelihoods belong together.
LogNormaliser normaliser_of(const BoostingProblem& problem, const BoostedDensity& boosted) {
  if (!problem.grid) return log_normaliser_by_sampling(boosted, problem.evaluation.reference);
  LogNormaliser normaliser =
      log_normaliser_by_cubature(boosted, *problem.reference, problem.grid->cell_count());
  normaliser.value = law_on_grid(boosted, *problem.reference, *problem.grid).log_normaliser;
  return normaliser;
}

/// What is measured of all iterations together.
BoostingRun measured(const BoostingProblem& problem, std::uint64_t seed,
                     const BoostedDensity& boosted, std::vector<BoostingStep> steps) {
  const BoostedDensity density = boosted.normalised(normaliser_of(problem, boosted));
  BoostingRun run{.density = density, .steps = std::move(steps)};
  std::vector<IterationDiagnostics> iterations;
  for (const BoostingStep& step : run.steps) iterations.push_back(step.diagnostics);
  run.all = diagnose(iterations, density.spec());
  run.gain = boosting_gain(density, problem.evaluation);
  run.range = log_ratio_range(density, problem.evaluation.reference);
  if (problem.grid) {
    measure_on_grid(problem, run);
  } else if (problem.reference) {
    measure_on_samples(problem, seed, run);
  }
  return run;
}

}  // namespace

BoostingRun run_boosting(const BoostingProblem& problem, const MbdeSpec& spec,
                         const WeakLearner& learner) {
  std::vector<BoostingStep> steps;
  double cross_entropy = 0;
  std::optional<Progress> progress;
  MbdeObserver observer;
  observer.training = [&](std::size_t t, std::size_t epoch, std::size_t epochs, double loss) {
    if (!progress) progress.emplace("epochs", spec.iterations * epochs);
    cross_entropy = loss;
    progress->reached((t - 1) * epochs + epoch, fmt::format("cross-entropy {:.4f}", loss));
  };
  observer.iteration = [&](const MbdeIteration& iteration) {
    steps.push_back(
        {diagnose(iteration.before, iteration.after, problem.evaluation), cross_entropy});
  };
  const BoostedDensity density = boost(problem.p, problem.pool, learner, spec, observer);
  if (progress) progress->finish();
  return measured(problem, spec.seed, density, std::move(steps));
}

BoostingRun measure_boosting(const BoostingProblem& problem, std::uint64_t seed,
                             const BoostedDensity& model) {
  if (model.dimension() != problem.p.dimension()) {
    throw InvalidInput(fmt::format("the model must be of points of {} features, but is of {}",
                                   problem.p.dimension(), model.dimension()));
  }
  std::vector<BoostingStep> steps;
  BoostedDensity before(model.spec(), model.dimension());
  for (const auto& classifier : model.classifiers()) {
    const BoostedDensity after = before.boosted(classifier);
    steps.push_back({diagnose(before, after, problem.evaluation), std::nullopt});
    before = after;
  }
  return measured(problem, seed, model, std::move(steps));
}

}  // namespace mollify::cli
