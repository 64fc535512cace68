#include "cli/boosting.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/names.h"
#include "base/progress.h"
#include "cli/main.h"
#include "cli/options.h"
#include "cli/output.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "core/random.h"
#include "core/table.h"
#include "domain/candidates.h"
#include "formats/csv.h"
#include "formats/domain_yaml.h"
#include "formats/public_files.h"
#include "formats/text_files.h"
#include "kernel/search.h"
#include "laboratory/boosting/chains.h"
#include "laboratory/boosting/diagnostics.h"
#include "laboratory/boosting/likelihood.h"
#include "laboratory/measure/measure.h"
#include "methods/local/mechanism.h"
#include "methods/local/release.h"
#include "records/private_table.h"
#include "scores/boosting.h"
#include "scores/records.h"
#include "scores/references.h"

namespace mollify::cli {

// -----------------------------------------------------------------------------------------------
// What boosting starts from.

namespace {

constexpr std::size_t kPoolSize = 65'536;
constexpr std::size_t kGridCells = std::size_t{1} << 17U;
constexpr std::size_t kMostGridDimensions = 2;
/// What a grid may miss of P, and the fewest cells that P may be spread over on it; else samples
/// tell more.
constexpr double kMostMassOutside = 1e-6;
constexpr double kLeastCells = 100;

/// One record in five is for evaluation.
constexpr std::size_t kHeldOut = 5;
/// Of fewer none is kept.
constexpr std::size_t kLeastRecords = 50;

/// The records of the two parts, from digits end to end.
struct SplitRecords {
  std::vector<std::uint32_t> learned;
  std::vector<std::uint32_t> held_out;
};

SplitRecords split(std::span<const std::uint32_t> digits, std::size_t columns, std::size_t one_in) {
  SplitRecords parts;
  for (std::size_t i = 0; i * columns < digits.size(); ++i) {
    const auto record = digits.subspan(i * columns, columns);
    auto& part = i % one_in == one_in - 1 ? parts.held_out : parts.learned;
    part.insert(part.end(), record.begin(), record.end());
  }
  return parts;
}

/// Equal cells over the reference's central box, cut once more at the regions' ends.
Grid grid_for(const Measure& reference, std::span<const Box> regions) {
  const Grid even = equal_width_grid(reference, kGridCells);
  std::vector<std::vector<double>> edges;
  for (std::size_t axis = 0; axis < even.dimension(); ++axis) {
    std::vector<double> of_axis(even.edges(axis).begin(), even.edges(axis).end());
    const Interval whole{of_axis.front(), of_axis.back()};
    for (const Box& region : regions) {
      for (const double end : {region[axis].low, region[axis].high}) {
        if (whole.low < end && end < whole.high) of_axis.push_back(end);
      }
    }
    std::sort(of_axis.begin(), of_axis.end());
    of_axis.erase(std::unique(of_axis.begin(), of_axis.end()), of_axis.end());
    edges.push_back(std::move(of_axis));
  }
  return Grid(std::move(edges));
}

/// Over how many cells the masses are spread: exp of their entropy.
double effective_cells(std::span<const double> masses) {
  double entropy = 0;
  for (const double mass : masses) {
    if (mass > 0) entropy -= mass * std::log(mass);
  }
  return std::exp(entropy);
}

}  // namespace

BoostingProblem problem_of_density(const std::string& density,
                                   const std::optional<std::string>& reference,
                                   std::uint64_t samples, std::uint64_t seed,
                                   const std::vector<std::string>& regions) {
  const auto truth = measure_from_json(read_text_file(density), density);
  const std::size_t dimension = truth->dimension();
  const std::shared_ptr<const Measure> q0 =
      reference
          ? measure_from_json(read_text_file(*reference), *reference)
          : std::make_shared<GaussianMixture>(single_gaussian(std::vector<double>(dimension), 1));
  if (q0->dimension() != dimension) {
    throw InvalidInput(
        fmt::format("the reference must have the density's {} dimensions, but has {}", dimension,
                    q0->dimension()));
  }
  SeededRandom random(seed);
  const auto count = static_cast<std::size_t>(samples);
  BoostingProblem problem{.p = measure_sample(*truth, count, random),
                          .pool = measure_sample(*q0, std::max(kPoolSize, 4 * count), random),
                          .evaluation = {Points(dimension, 0), {}, Points(dimension, 0), {}},
                          .p_text = density,
                          .reference_text = reference.value_or("the standard Gaussian"),
                          .truth = truth,
                          .reference = q0};
  for (const std::string& text : regions)
    problem.regions.push_back(box_from("region", text, dimension));
  if (dimension <= kMostGridDimensions &&
      truth->box_mass(q0->central_box()) > 1 - kMostMassOutside) {
    Grid grid = grid_for(*q0, problem.regions);
    Evaluation evaluation = evaluation_on_grid(*truth, *q0, grid);
    if (effective_cells(evaluation.masses_p) > kLeastCells) {
      problem.grid = std::move(grid);
      problem.evaluation = std::move(evaluation);
      return problem;
    }
  }
  if (!regions.empty()) {
    throw InvalidInput(
        "--region needs a density of one or two dimensions, on the reference's central box and not "
        "narrower than its cells, but this one is not so");
  }
  problem.evaluation.p = measure_sample(*truth, count, random);
  problem.evaluation.reference = measure_sample(*q0, kPoolSize, random);
  return problem;
}

BoostingProblem problem_of_records(const std::string& data, const std::string& domain_file,
                                   const std::optional<std::string>& reference) {
  const Domain domain = read_domain(domain_file);
  if (reference && same_file_or_content(*reference, data)) {
    throw InvalidInput(
        fmt::format("the reference must be public, but {} is the private file itself", *reference));
  }
  const RecordLayout layout(domain);
  const FeatureEncoding encoding(layout.columns());
  const auto features = [&](std::span<const std::uint32_t> digits) {
    return encoding.features(layout.points(digits));
  };
  // Even and odd candidates: to learn from, and to evaluate with.
  const Candidates list = reference
                              ? ReferenceCandidates(domain, read_public_digits(*reference, domain))
                                    .seeded(2 * kPoolSize)
                              : Candidates::seeded(domain, 2 * kPoolSize);
  const SplitRecords of_reference = split(list.digits(), layout.digits(), 2);
  SecureRandom random;
  const std::vector<std::uint32_t> records =
      read_table_digits(CsvSource(data), domain, kMostScoredRows, random);
  if (records.empty()) {
    throw InvalidInput(fmt::format("{} must hold records to learn from, but holds none", data));
  }
  const bool are_few = records.size() / layout.digits() < kLeastRecords;
  const SplitRecords of_p =
      are_few ? SplitRecords{records, records} : split(records, layout.digits(), kHeldOut);
  return {.p = features(of_p.learned),
          .pool = features(of_reference.learned),
          .evaluation = {features(of_p.held_out), {}, features(of_reference.held_out), {}},
          .p_text = data + (are_few ? " (measured on the few records that are learned from)" : ""),
          .reference_text = reference.value_or("uniform on the domain")};
}

// -----------------------------------------------------------------------------------------------
// A run of boosting, all that is measured of it, and how it is told.

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

// -----------------------------------------------------------------------------------------------
// Points of a boosted density, drawn in the three ways that there are.

namespace {

constexpr const char* kRejection = "rejection";
constexpr const char* kCandidates = "candidates";
constexpr const char* kWalk = "metropolis-hastings";
constexpr std::size_t kListSize = 65'536;

void draw_by_rejection(const BoostedDensity& density,
                       const std::shared_ptr<const Measure>& reference, double epsilon,
                       SeededRandom& random, std::span<double> points) {
  const RejectionSampler sampler(reference, epsilon);
  const std::size_t dimension = reference->dimension();
  for (std::size_t i = 0; i < points.size(); i += dimension) {
    sampler.simulate(density, random, points.subspan(i, dimension));
  }
}

void draw_from_candidates(const BoostedDensity& density, const Measure& reference, double epsilon,
                          SeededRandom& random, std::span<double> points) {
  const Points list = measure_sample(reference, kListSize, random);
  std::vector<float> scores(list.size());
  density.log_ratio(list, scores);
  for (float& score : scores) score = std::exp(score);
  const Band band = make_band({.outcome_count = kListSize,
                               .reference = {},
                               .floor = relative_floor(epsilon),
                               .epsilon = epsilon});
  const Table table = projected(band, scores);
  const std::size_t dimension = reference.dimension();
  for (std::size_t i = 0; i < points.size(); i += dimension) {
    const std::size_t chosen = table.outcome_at(random.below(band.total()));
    for (std::size_t axis = 0; axis < dimension; ++axis) {
      points[i + axis] = static_cast<double>(list.values(axis)[chosen]);
    }
  }
}

}  // namespace

void require_boosted_sampler(const std::string& sampler) {
  if (sampler == kRejection || sampler == kCandidates || sampler == kWalk) return;
  refuse_name("sampler", sampler, std::vector<std::string>{kRejection, kCandidates, kWalk});
}

void require_drawable(const std::string& sampler, const BoostingSpec& spec) {
  const double epsilon = spec.epsilon / static_cast<double>(std::max<std::size_t>(spec.outputs, 1));
  if (sampler == kRejection) {
    // K depends on epsilon alone, so any reference serves to ask.
    static_cast<void>(
        RejectionSampler(std::make_shared<GaussianMixture>(single_gaussian({0}, 1)), epsilon));
  }
}

std::vector<double> boosted_draws(const std::string& sampler, const BoostedDensity& density,
                                  const std::shared_ptr<const Measure>& reference,
                                  std::uint64_t count, std::uint64_t seed) {
  std::vector<double> points(static_cast<std::size_t>(count) * reference->dimension());
  SeededRandom random(seed);
  const double epsilon = density.spec().epsilon / static_cast<double>(density.spec().outputs);
  if (sampler == kRejection) {
    draw_by_rejection(density, reference, epsilon, random, points);
  } else if (sampler == kCandidates) {
    draw_from_candidates(density, *reference, epsilon, random, points);
  } else {
    simulate_metropolis_hastings(density, *reference, {}, random, points);
  }
  return points;
}

// -----------------------------------------------------------------------------------------------
// mollify mbde.

namespace {

constexpr std::uint64_t kMostDraws = 1'000'000;
constexpr std::uint64_t kMostSamples = 10'000'000;
constexpr std::uint64_t kMostIterations = 1000;
constexpr double kGreatestEpsilon = 500;

struct MbdeOptions {
  std::optional<std::string> data, domain, density, reference, classifier, sampler, model, out;
  std::optional<double> epsilon;
  std::optional<std::uint64_t> iterations, outputs, samples, seed, draws;
  std::vector<std::string> regions;
  LearnerOptions learner;
  bool json = false;
  bool overwrite = false;
};

/// The model that was saved, instead of learning one; nothing that a model settles may be given.
std::optional<BoostedDensity> loaded_model(const MbdeOptions& options) {
  if (!options.model) return std::nullopt;
  for (const auto& [flag, given] : {std::pair{"--epsilon", options.epsilon.has_value()},
                                    std::pair{"--iterations", options.iterations.has_value()},
                                    std::pair{"--outputs", options.outputs.has_value()},
                                    std::pair{"--classifier", options.classifier.has_value()},
                                    std::pair{"--learner", options.learner.is_given()}}) {
    if (given) {
      throw InvalidInput(fmt::format("{} says what to learn, but --model has been learned", flag));
    }
  }
  return boosted_model_from_json(read_text_file(*options.model), *options.model);
}

/// Above, likelihoods leave the range of doubles.
void require_range(double epsilon) {
  if (epsilon > kGreatestEpsilon) {
    throw InvalidInput(
        fmt::format("epsilon must be at most {}, but is {:g}", kGreatestEpsilon, epsilon));
  }
}

void refuse_above(const std::optional<std::uint64_t>& given, std::uint64_t most, const char* flag) {
  if (given && *given > most) {
    throw InvalidInput(fmt::format("{} must be at most {}, but is {}", flag, most, *given));
  }
}

MbdeSpec spec_of(const MbdeOptions& options, const std::optional<BoostedDensity>& model) {
  refuse_above(options.samples, kMostSamples, "--samples");
  refuse_above(options.iterations, kMostIterations, "--iterations");
  MbdeSpec spec;
  spec.sample_size = static_cast<std::size_t>(options.samples.value_or(spec.sample_size));
  spec.seed = options.seed.value_or(0);
  if (model) {
    spec.boosting = model->spec();
    spec.iterations = model->iterations();
    require_range(spec.boosting.epsilon);
    return spec;
  }
  spec.boosting.epsilon = needed(options.epsilon, "--epsilon");
  require_range(spec.boosting.epsilon);
  spec.boosting.outputs = static_cast<std::size_t>(options.outputs.value_or(1));
  if (options.classifier) {
    spec.boosting.bounding = known_value<Bounding>("classifier", *options.classifier);
  }
  spec.iterations = static_cast<std::size_t>(options.iterations.value_or(spec.iterations));
  return spec;
}

BoostingProblem problem_of(const MbdeOptions& options, const MbdeSpec& spec) {
  if (options.density) {
    if (options.data || options.domain) {
      throw InvalidInput("--density is instead of --data and --domain, but both are given");
    }
    return problem_of_density(*options.density, options.reference, spec.sample_size, spec.seed,
                              options.regions);
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
  refuse_above(options.draws, kMostDraws, "--draws");
  if (options.sampler && !options.draws) {
    throw InvalidInput("--sampler needs --draws, but it is not given");
  }
  std::string sampler = options.sampler.value_or("rejection");
  require_boosted_sampler(sampler);
  return sampler;
}

int run(const MbdeOptions& options) {
  const std::optional<BoostedDensity> model = loaded_model(options);
  const MbdeSpec spec = spec_of(options, model);
  const std::unique_ptr<WeakLearner> learner = options.learner.make();
  for (const auto& [flag, input] :
       {std::pair{"--data", options.data}, std::pair{"--domain", options.domain},
        std::pair{"--density", options.density}, std::pair{"--reference", options.reference},
        std::pair{"--model", options.model}}) {
    refuse_overwriting("--out", options.out, flag, input);
  }
  require_new("--out", options.out, options.overwrite);
  const std::string sampler = chosen_sampler(options);
  const BoostingProblem problem = problem_of(options, spec);
  if (options.draws) require_drawable(sampler, spec.boosting);
  BoostingRun run =
      model ? measure_boosting(problem, spec.seed, *model) : run_boosting(problem, spec, *learner);
  if (options.draws) {
    run.draws = boosted_draws(sampler, run.density, problem.reference, *options.draws, spec.seed);
  }
  if (options.out) write_files({{*options.out, boosted_model_json(run.density), true}});
  if (options.json) {
    Json json = boosting_json(run, problem, spec);
    json["out"] = options.out ? Json(*options.out) : Json(nullptr);
    print_json(json);
    return kSuccess;
  }
  print_boosting(run, problem, spec);
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
  add_text(command, "--data", options->data, "FILE", "the private CSV file");
  add_text(command, "--domain", options->domain, "FILE", "its public domain, YAML");
  add_text(command, "--density", options->density, "FILE",
           "P itself as JSON, instead of data: samples of it "
           "are learned from");
  add_text(command, "--reference", options->reference, "FILE",
           "Q0: with --data a public CSV (default: uniform on the domain), with --density "
           "JSON (default: the standard Gaussian)");
  add_number(command, "--epsilon", options->epsilon, "privacy parameter of all outputs together");
  add_whole_number(command, "--iterations", options->iterations, "T (default: 3)");
  add_whole_number(command, "--outputs", options->outputs,
                   "points to be sampled, for which classifiers are shrunk (default: 1)");
  add_text(
      command, "--classifier", options->classifier, "NAME",
      "probability, logit or sign: how a logit becomes a number between -log 2 and "
      "log 2; or sigmoid, between 0 and 1, as in Park et al. 2024, Figure 4, which leaves half "
      "of epsilon unspent (default: probability)");
  add_whole_number(command, "--samples", options->samples,
                   "samples of P and of Q in each iteration (default: 10000)");
  add_whole_number(command, "--seed", options->seed, "seed of sampling and learning (default: 0)");
  command
      .add_option("--region", options->regions,
                  "low:high for each axis, with commas: how much mass of it is captured")
      ->type_name("BOX");
  add_whole_number(command, "--draws", options->draws,
                   "points of Q_T to show, drawn by the seed: NOT PRIVATE");
  add_text(command, "--sampler", options->sampler, "NAME",
           "rejection, candidates or metropolis-hastings, which keeps no epsilon (default: "
           "rejection)");
  options->learner.add_to(command);
  add_text(command, "--model", options->model, "FILE",
           "a model saved by --out, to measure instead of learning one");
  add_out(command, options->out, options->overwrite, "where the model goes; it is private data");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
