#include "boosting_run.h"

#include <cmath>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "boosting/bounding.h"
#include "boosting/resample.h"
#include "kernel/core/invalid_input.h"
#include "laboratory/boosting/evaluation.h"
#include "laboratory/boosting/fit.h"
#include "laboratory/boosting/grid_law.h"
#include "laboratory/boosting/log_normaliser.h"
#include "progress.h"
#include "space/seeded_random.h"

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

Json optional_number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

std::string claim_text(const std::optional<double>& claimed, bool fails) {
  if (!claimed) return "none";
  return fmt::format("{:.4f}{}", *claimed, fails ? " (fails)" : "");
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

Json boosting_json(const BoostingRun& run, const BoostingProblem& problem, const MbdeSpec& spec) {
  Json iterations = Json::array();
  for (std::size_t t = 0; t < run.steps.size(); ++t) {
    const IterationDiagnostics& d = run.steps[t].diagnostics;
    iterations.push_back({{"t", t + 1},
                          {"theta", d.theta},
                          {"cross_entropy", optional_number(run.steps[t].cross_entropy)},
                          {"c_star", d.c_star},
                          {"gamma_p", d.gamma_p},
                          {"gamma_q", d.gamma_q},
                          {"regime", name_of(d.regime)},
                          {"kl_drop", d.drop},
                          {"guaranteed", d.guaranteed},
                          {"papers_claim", optional_number(d.claimed)},
                          {"papers_claim_fails", d.claim_fails()}});
  }
  Json regions = Json::array();
  for (const RegionDiagnostics& region : run.regions) {
    regions.push_back({{"p", region.mass_p},
                       {"reference", region.mass_reference},
                       {"q", region.mass_q},
                       {"guaranteed", region.guaranteed},
                       {"guaranteed_by_gammas", optional_number(region.guaranteed_by_gammas)},
                       {"theorem_7", optional_number(region.claimed)}});
  }
  Json draws = Json::array();
  for (std::size_t i = 0; i < run.draws.size(); i += run.density.dimension()) {
    draws.push_back(std::span(run.draws).subspan(i, run.density.dimension()));
  }
  const LogNormaliser& normaliser = *run.density.log_normaliser();
  const auto fit_json = [](const std::optional<BoostingFit>& fit) -> Json {
    if (!fit) return nullptr;
    return {{"nll", number(fit->nll.value)},
            {"nll_error", fit->nll.standard_error},
            {"coverage", fit->coverage.value},
            {"coverage_error", fit->coverage.standard_error}};
  };
  return {
      {"notice", kNotPrivate},
      {"p", problem.p_text},
      {"reference", problem.reference_text},
      {"epsilon", spec.boosting.epsilon},
      {"outputs", spec.boosting.outputs},
      {"classifier", name_of(spec.boosting.bounding)},
      {"samples", spec.sample_size},
      {"seed", spec.seed},
      {"exact", problem.evaluation.is_exact()},
      {"iterations", iterations},
      {"delta",
       {{"value", run.gain.value},
        {"error", run.gain.standard_error},
        {"guaranteed", run.all.guaranteed},
        {"limit", run.all.limit},
        {"papers_claim", optional_number(run.all.claimed)},
        {"papers_claim_fails", run.all.claim_fails()}}},
      {"log_ratio",
       {{"least", run.range.least},
        {"greatest", run.range.greatest},
        {"limit", run.range.limit},
        {"within", run.range.within()}}},
      {"epsilon_unspent",
       spec.boosting.bounding == Bounding::kSigmoid ? spec.boosting.epsilon / 2 : 0},
      {"log_normaliser", {{"value", normaliser.value}, {"error", normaliser.error}}},
      {"fit", {{"reference", fit_json(run.of_reference)}, {"boosted", fit_json(run.of_boosted)}}},
      {"regions", regions},
      {"draws", draws}};
}

void print_boosting(const BoostingRun& run, const BoostingProblem& problem, const MbdeSpec& spec) {
  fmt::print("{}\n", kNotPrivate);
  fmt::print("P: {}; Q0: {}; epsilon {:g} for {} output{}\n", problem.p_text,
             problem.reference_text, spec.boosting.epsilon, spec.boosting.outputs,
             spec.boosting.outputs == 1 ? "" : "s");
  fmt::print("{:>2} {:>7} {:>7} {:>8} {:>8} {:>7} {:>9} {:>11} {:>15} {:>14}\n", "t", "theta", "c*",
             "gamma_P", "gamma_Q", "regime", "KL drop", "guaranteed", "papers' claim",
             "cross-entropy");
  for (std::size_t t = 0; t < run.steps.size(); ++t) {
    const IterationDiagnostics& d = run.steps[t].diagnostics;
    fmt::print("{:>2} {:>7.4f} {:>7.4f} {:>8.4f} {:>8.4f} {:>7} {:>9.4f} {:>11.4f} {:>15} {:>14}\n",
               t + 1, d.theta, d.c_star, d.gamma_p, d.gamma_q, name_of(d.regime), d.drop,
               d.guaranteed, claim_text(d.claimed, d.claim_fails()),
               run.steps[t].cross_entropy ? fmt::format("{:.4f}", *run.steps[t].cross_entropy)
                                          : "not known");
  }
  const std::string error =
      problem.evaluation.is_exact() ? "" : fmt::format(" +- {:.4f}", run.gain.standard_error);
  fmt::print(
      "KL(P, Q0) - KL(P, Q_T) = {:.4f}{}: guaranteed {:.4f}, at most {:.4f}, papers' claim {}\n",
      run.gain.value, error, run.all.guaranteed, run.all.limit,
      claim_text(run.all.claimed, run.all.claim_fails()));
  fmt::print("log Q_T/Q0 lies between {:.4f} and {:.4f}, and can never leave +-{:.4f}\n",
             run.range.least, run.range.greatest, run.range.limit);
  if (spec.boosting.bounding == Bounding::kSigmoid) {
    fmt::print("half of epsilon is unspent: sigmoids are not negative, nor is log Z then\n");
  }
  const auto print_fit = [&](const char* law, const BoostingFit& fit) {
    const auto text = [&](const Estimate& estimate) {
      return problem.evaluation.is_exact()
                 ? fmt::format("{:.4f}", estimate.value)
                 : fmt::format("{:.4f} +- {:.4f}", estimate.value, estimate.standard_error);
    };
    fmt::print("{}: negative log-likelihood {}, mode coverage {}\n", law, text(fit.nll),
               text(fit.coverage));
  };
  if (run.of_reference) print_fit("Q0 ", *run.of_reference);
  if (run.of_boosted) print_fit("Q_T", *run.of_boosted);
  for (const RegionDiagnostics& region : run.regions) {
    fmt::print(
        "region: {:.4f} of P, {:.4f} of Q0, {:.4f} of Q_T; guaranteed {:.4f} by the drop, {} by "
        "gamma_P, {} by Theorem 7\n",
        region.mass_p, region.mass_reference, region.mass_q, region.guaranteed,
        claim_text(region.guaranteed_by_gammas, false), claim_text(region.claimed, false));
  }
}

void print_draws(const BoostingRun& run, const std::string& sampler) {
  fmt::print("drawn by {} from a seed, NOT PRIVATE:\n", sampler);
  for (std::size_t i = 0; i < run.draws.size(); i += run.density.dimension()) {
    fmt::print("{}\n", fmt::join(std::span(run.draws).subspan(i, run.density.dimension()), ","));
  }
}

}  // namespace mollify::cli
