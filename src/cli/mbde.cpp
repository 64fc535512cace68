// mollify mbde: what boosting makes of private data, step by step. NOT PRIVATE.
#include "boosting/mbde.h"

#include <fmt/format.h>

#include "accounting/nearest_name.h"
#include "boosted_draws.h"
#include "boosting_problem.h"
#include "boosting_run.h"
#include "command.h"
#include "io/text_file.h"
#include "kernel/core/invalid_input.h"
#include "laboratory/boosting/boosted_model_json.h"
#include "learner_options.h"
#include "output_files.h"

namespace mollify::cli {
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
