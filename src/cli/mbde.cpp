// mollify mbde: what boosting makes of private data, step by step. NOT PRIVATE.
#include "mollify/boosting/mbde.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "boosted_draws.h"
#include "boosting_problem.h"
#include "command.h"
#include "learner_options.h"
#include "mollify/boosting/diagnostics.h"
#include "mollify/boosting/grid_law.h"
#include "mollify/boosting/log_normaliser.h"
#include "mollify/boosting/resample.h"
#include "mollify/divergence/mode_coverage.h"
#include "mollify/divergence/negative_log_likelihood.h"
#include "mollify/io/boosted_model_json.h"
#include "mollify/kernel/invalid_input.h"
#include "mollify/space/field_text.h"
#include "output_files.h"
#include "progress.h"

namespace mollify::cli {
namespace {

constexpr std::uint64_t kMostDraws = 1'000'000;

struct MbdeOptions {
  std::optional<std::string> data, domain, density, reference, classifier, sampler, out;
  std::optional<double> epsilon;
  std::optional<std::uint64_t> iterations, outputs, samples, seed, draws;
  std::vector<std::string> regions;
  LearnerOptions learner;
  bool json = false;
};

/// One iteration as it is reported.
struct Step {
  IterationDiagnostics diagnostics;
  double cross_entropy = 0;
};

/// How well a law finds P, where densities are known; errors are 0 on grids.
struct Fit {
  Estimate nll;
  Estimate coverage;
};

struct Run {
  BoostedDensity density;
  std::vector<Step> steps{};
  RunDiagnostics all{};
  Estimate gain{};
  LogRatioRange range{};
  std::vector<RegionDiagnostics> regions{};
  std::optional<Fit> of_reference{}, of_boosted{};
  std::vector<double> draws{};  ///< coordinates end to end
};

MbdeSpec spec_of(const MbdeOptions& options) {
  MbdeSpec spec;
  spec.boosting.epsilon = needed(options.epsilon, "--epsilon");
  spec.boosting.outputs = static_cast<std::size_t>(options.outputs.value_or(1));
  if (options.classifier) {
    const std::optional<Bounding> bounding = bounding_named(*options.classifier);
    if (!bounding) {
      throw InvalidInput(fmt::format("classifier must be probability, logit or sign, but is \"{}\"",
                                     *options.classifier));
    }
    spec.boosting.bounding = *bounding;
  }
  spec.iterations = static_cast<std::size_t>(options.iterations.value_or(spec.iterations));
  spec.sample_size = static_cast<std::size_t>(options.samples.value_or(spec.sample_size));
  spec.seed = options.seed.value_or(0);
  return spec;
}

BoostingProblem problem_of(const MbdeOptions& options, const MbdeSpec& spec) {
  if (options.density) {
    if (options.data || options.domain) {
      throw InvalidInput("--density is instead of --data and --domain, but both are given");
    }
    return problem_of_density(*options.density, options.reference, spec.sample_size, spec.seed);
  }
  if (!options.data) throw InvalidInput("--data or --density is needed, but neither is given");
  if (!options.regions.empty()) {
    throw InvalidInput("--region needs --density, but --data is given");
  }
  return problem_of_records(*options.data, needed(options.domain, "--domain"), options.reference);
}

std::string chosen_sampler(const MbdeOptions& options) {
  if (options.draws && !options.density) {
    throw InvalidInput(
        "--draws needs --density, but --data is given; mollify sample --score mbde releases");
  }
  if (options.draws && *options.draws > kMostDraws) {
    throw InvalidInput(
        fmt::format("--draws must be at most {}, but is {}", kMostDraws, *options.draws));
  }
  if (options.sampler && !options.draws) {
    throw InvalidInput("--sampler needs --draws, but it is not given");
  }
  const std::string sampler = options.sampler.value_or("rejection");
  require_boosted_sampler(sampler);
  return sampler;
}

/// "low:high" for each axis, with commas between them.
Box region_of(const std::string& text, std::size_t dimension) {
  Box box;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t colon = std::min(part.find(':'), part.size());
    const auto low = read_number(std::string_view(part).substr(0, colon));
    const auto high = read_number(std::string_view(part).substr(std::min(colon + 1, part.size())));
    if (!low || !high || !(*low < *high)) break;
    box.push_back({*low, *high});
    begin = end + 1;
  }
  if (box.size() != dimension) {
    throw InvalidInput(fmt::format(
        "region must be low:high for each of {} axes with commas between them, but is \"{}\"",
        dimension, text));
  }
  return box;
}

std::vector<Box> regions_of(const MbdeOptions& options, const BoostingProblem& problem) {
  std::vector<Box> boxes;
  for (const std::string& text : options.regions) {
    if (!problem.grid) {
      throw InvalidInput("--region needs a density of one or two dimensions, but it has more");
    }
    boxes.push_back(region_of(text, problem.truth->dimension()));
  }
  return boxes;
}

std::vector<double> log_densities(const Measure& measure, const Features& points) {
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

void measure_on_grid(const BoostingProblem& problem, std::span<const Box> regions, Run& run) {
  const std::vector<double>& p = problem.evaluation.masses_p;
  const GridLaw law = law_on_grid(run.density, *problem.reference, *problem.grid);
  const std::vector<double> volumes = cell_volumes(*problem.grid);
  const auto fit = [&](std::span<const double> masses) {
    return Fit{{negative_log_likelihood(p, masses, volumes), 0},
               {mode_coverage(p, masses, volumes), 0}};
  };
  run.of_reference = fit(law.reference);
  run.of_boosted = fit(law.boosted);
  for (const Box& box : regions) {
    run.regions.push_back(
        diagnose_region(p, law.reference, law.boosted, cells_inside(*problem.grid, box), run.all));
  }
}

void measure_on_samples(const BoostingProblem& problem, const MbdeSpec& spec, Run& run) {
  const Evaluation& evaluation = problem.evaluation;
  // Q_T's own samples are the reference's, each taken as often as Q_T has it.
  std::vector<double> weights(evaluation.reference.size());
  run.density.log_ratio(evaluation.reference, weights);
  for (double& weight : weights) weight = std::exp(weight);
  SeededRandom random(spec.seed);
  const Features of_q = resampled(evaluation.reference, weights, weights.size(), random);
  const auto boosted_logs = [&](const Features& points) {
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
  run.of_reference = {negative_log_likelihood(reference_at_p),
                      mode_coverage_of_samples(reference_at_p, reference_at_q)};
  run.of_boosted = {negative_log_likelihood(boosted_at_p),
                    mode_coverage_of_samples(boosted_at_p, boosted_logs(of_q))};
}

Run run_boosting(const BoostingProblem& problem, const MbdeSpec& spec, const WeakLearner& learner,
                 const std::vector<Box>& regions) {
  std::vector<Step> steps;
  double cross_entropy = 0;
  std::optional<Progress> progress;
  MbdeObserver observer;
  observer.training = [&](std::size_t t, std::size_t epoch, std::size_t epochs, double loss) {
    if (!progress) progress.emplace("epochs", spec.iterations * epochs);
    cross_entropy = loss;
    progress->reached((t - 1) * epochs + epoch, fmt::format("cross-entropy {:.4f}", loss));
  };
  observer.iteration = [&](const MbdeIteration& iteration) {
    steps.push_back({diagnose(iteration, problem.evaluation), cross_entropy});
  };
  BoostedDensity density = boost(problem.p, problem.pool, learner, spec, observer);
  if (progress) progress->finish();
  density = density.normalised(
      problem.grid
          ? log_normaliser_by_cubature(density, *problem.reference, problem.grid->cell_count())
          : log_normaliser_by_sampling(density, problem.evaluation.reference));
  Run run{.density = density, .steps = std::move(steps)};
  std::vector<IterationDiagnostics> iterations;
  for (const Step& step : run.steps) iterations.push_back(step.diagnostics);
  run.all = diagnose(iterations, spec.boosting);
  run.gain = boosting_gain(density, problem.evaluation);
  run.range = log_ratio_range(density, problem.evaluation.reference);
  if (problem.grid) {
    measure_on_grid(problem, regions, run);
  } else if (problem.reference) {
    measure_on_samples(problem, spec, run);
  }
  return run;
}

Json optional_number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

Json json_of(const Run& run, const BoostingProblem& problem, const MbdeSpec& spec) {
  Json iterations = Json::array();
  for (std::size_t t = 0; t < run.steps.size(); ++t) {
    const IterationDiagnostics& d = run.steps[t].diagnostics;
    iterations.push_back({{"t", t + 1},
                          {"theta", d.theta},
                          {"cross_entropy", number(run.steps[t].cross_entropy)},
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
                       {"papers_claim", optional_number(region.claimed)},
                       {"papers_claim_fails", region.claim_fails()}});
  }
  Json draws = Json::array();
  for (std::size_t i = 0; i < run.draws.size(); i += run.density.dimension()) {
    draws.push_back(std::span(run.draws).subspan(i, run.density.dimension()));
  }
  const LogNormaliser& normaliser = *run.density.log_normaliser();
  const auto fit_json = [](const std::optional<Fit>& fit) -> Json {
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
      {"log_normaliser", {{"value", normaliser.value}, {"error", normaliser.error}}},
      {"fit", {{"reference", fit_json(run.of_reference)}, {"boosted", fit_json(run.of_boosted)}}},
      {"regions", regions},
      {"draws", draws}};
}

std::string claim_text(const std::optional<double>& claimed, bool fails) {
  if (!claimed) return "none";
  return fmt::format("{:.4f}{}", *claimed, fails ? " (fails)" : "");
}

void print_text(const Run& run, const BoostingProblem& problem, const MbdeSpec& spec) {
  fmt::print("{}\n", kNotPrivate);
  fmt::print("P: {}; Q0: {}; epsilon = {:g} for {} output{}\n", problem.p_text,
             problem.reference_text, spec.boosting.epsilon, spec.boosting.outputs,
             spec.boosting.outputs == 1 ? "" : "s");
  fmt::print("{:>2} {:>7} {:>7} {:>8} {:>8} {:>7} {:>9} {:>11} {:>15} {:>14}\n", "t", "theta", "c*",
             "gamma_P", "gamma_Q", "regime", "KL drop", "guaranteed", "papers' claim",
             "cross-entropy");
  for (std::size_t t = 0; t < run.steps.size(); ++t) {
    const IterationDiagnostics& d = run.steps[t].diagnostics;
    fmt::print(
        "{:>2} {:>7.4f} {:>7.4f} {:>8.4f} {:>8.4f} {:>7} {:>9.4f} {:>11.4f} {:>15} {:>14.4f}\n",
        t + 1, d.theta, d.c_star, d.gamma_p, d.gamma_q, name_of(d.regime), d.drop, d.guaranteed,
        claim_text(d.claimed, d.claim_fails()), run.steps[t].cross_entropy);
  }
  const std::string error =
      problem.evaluation.is_exact() ? "" : fmt::format(" +- {:.4f}", run.gain.standard_error);
  fmt::print(
      "KL(P, Q0) - KL(P, Q_T) = {:.4f}{}: guaranteed {:.4f}, at most {:.4f}, papers' claim {}\n",
      run.gain.value, error, run.all.guaranteed, run.all.limit,
      claim_text(run.all.claimed, run.all.claim_fails()));
  fmt::print("log Q_T/Q0 lies between {:.4f} and {:.4f}, and can never leave +-{:.4f}\n",
             run.range.least, run.range.greatest, run.range.limit);
  const auto print_fit = [&](const char* law, const Fit& fit) {
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
        "region: {:.4f} of P, {:.4f} of Q0, {:.4f} of Q_T; guaranteed {:.4f}, papers' claim "
        "{}\n",
        region.mass_p, region.mass_reference, region.mass_q, region.guaranteed,
        claim_text(region.claimed, region.claim_fails()));
  }
}

void print_draws(const Run& run, const std::string& sampler) {
  fmt::print("drawn by {} from a seed, NOT PRIVATE:\n", sampler);
  for (std::size_t i = 0; i < run.draws.size(); i += run.density.dimension()) {
    fmt::print("{}\n", fmt::join(std::span(run.draws).subspan(i, run.density.dimension()), ","));
  }
}

int run(const MbdeOptions& options) {
  const MbdeSpec spec = spec_of(options);
  const std::unique_ptr<WeakLearner> learner = options.learner.make();
  for (const auto& [flag, input] :
       {std::pair{"--data", options.data}, std::pair{"--domain", options.domain},
        std::pair{"--density", options.density}, std::pair{"--reference", options.reference}}) {
    refuse_overwriting("--out", options.out, flag, input);
  }
  if (options.out) require_writable(*options.out);
  const std::string sampler = chosen_sampler(options);
  const BoostingProblem problem = problem_of(options, spec);
  const std::vector<Box> regions = regions_of(options, problem);
  Run run = run_boosting(problem, spec, *learner, regions);
  if (options.draws) {
    run.draws = boosted_draws(sampler, run.density, problem.reference, *options.draws, spec.seed);
  }
  if (options.out) write_files({{*options.out, boosted_model_json(run.density)}});
  if (options.json) {
    Json json = json_of(run, problem, spec);
    json["out"] = options.out ? Json(*options.out) : Json(nullptr);
    print_json(json);
    return kSuccess;
  }
  print_text(run, problem, spec);
  if (options.draws) print_draws(run, sampler);
  if (options.out) fmt::print("the model, which is private data, is in {}\n", *options.out);
  return kSuccess;
}

}  // namespace

void add_mbde(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "mbde",
      "See what boosted densities make of private data. NOT PRIVATE\n\n"
      "Learns Q_T from samples of P (--data with --domain, or --density) and shows for each\n"
      "iteration what was gained, what is guaranteed, and where the papers' claims fail. To "
      "release\n"
      "records by it: mollify sample --score mbde.");
  const auto options = std::make_shared<MbdeOptions>();
  command.add_option("--data", options->data, "the private CSV file")->type_name("FILE");
  command.add_option("--domain", options->domain, "its public domain, YAML")->type_name("FILE");
  command
      .add_option("--density", options->density,
                  "P itself as JSON, instead of data: samples of it "
                  "are learned from")
      ->type_name("FILE");
  command
      .add_option("--reference", options->reference,
                  "Q0: with --data a public CSV (default: uniform on the domain), with --density "
                  "JSON (default: the standard Gaussian)")
      ->type_name("FILE");
  add_number(command, "--epsilon", options->epsilon, "privacy parameter of all outputs together");
  add_whole_number(command, "--iterations", options->iterations, "T (default: 3)");
  add_whole_number(command, "--outputs", options->outputs,
                   "points to be sampled, for which classifiers are shrunk (default: 1)");
  command
      .add_option("--classifier", options->classifier,
                  "probability, logit or sign: how a logit becomes a number between -log 2 and "
                  "log 2 (default: probability)")
      ->type_name("NAME");
  add_whole_number(command, "--samples", options->samples,
                   "of P and of Q in each iteration (default: 10000)");
  add_whole_number(command, "--seed", options->seed, "of sampling and learning (default: 0)");
  command
      .add_option("--region", options->regions,
                  "low:high for each axis, with commas: how much mass of it is captured")
      ->type_name("BOX");
  add_whole_number(command, "--draws", options->draws,
                   "points of Q_T to show, drawn by the seed: NOT PRIVATE");
  command
      .add_option("--sampler", options->sampler,
                  "rejection, candidates or metropolis-hastings, which keeps no epsilon (default: "
                  "rejection)")
      ->type_name("NAME");
  options->learner.add_to(command);
  command.add_option("--out", options->out, "where the model goes; it is private data")
      ->type_name("FILE");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
