// mollify tune: where the band should lie, from public examples.
#include <algorithm>

#include <fmt/format.h>

#include "command.h"
#include "mechanism_options.h"
#include "mollify/io/public_records.h"
#include "mollify/kernel/invalid_input.h"
#include "mollify/local/band_sampler.h"
#include "mollify/local/band_tuning.h"
#include "mollify/release/unit_estimates.h"
#include "progress.h"
#include "report.h"
#include "space_options.h"

namespace mollify::cli {
namespace {

struct TuneOptions {
  std::optional<std::string> public_units, unit, domain, data, reference;
  std::optional<double> epsilon, c1, c2;
  SpaceOptions space;
  bool json = false;
};

/// The release that would be made of the examples, up to where its band lies.
LocalReleaseRequest request_for(const TuneOptions& options) {
  LocalReleaseRequest request;
  request.data = needed(options.public_units, "--public-units");
  request.domain = needed(options.domain, "--domain");
  request.unit = needed(options.unit, "--unit");
  request.model = "local";
  request.epsilon = needed(options.epsilon, "--epsilon");
  request.reference = options.reference;
  request.band = BandChoice{.kind = BandChoice::Kind::kRelative};
  request.space = options.space.request();
  request.scorer = options.space.chosen_scorer();
  if (options.data && same_file_or_content(request.data, *options.data)) {
    throw InvalidInput(
        fmt::format("the example units must be public, but {} is the private file "
                    "itself",
                    request.data));
  }
  return request;
}

BandTuning tuned(const LocalRelease& release, const TuneOptions& options,
                 std::span<const BandChoice> choices) {
  const Band& band = dynamic_cast<const BandSampler&>(release.sampler()).band();
  const std::vector<double> reference(band.lowers().begin(), band.lowers().end());
  BandTuning tuning(band.outcome_count(), reference, *options.epsilon, {options.c1, options.c2},
                    choices);
  const UnitEstimates units(release);
  std::vector<float> masses(band.outcome_count());
  Progress progress("units", units.size());
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    units.masses(unit, masses);
    tuning.add(masses);
    progress.reached(unit + 1);
  }
  if (tuning.examples() == 0) {
    throw InvalidInput(fmt::format("{} must hold records of at least one unit, but holds none",
                                   *options.public_units));
  }
  return tuning;
}

void print_text(const BandTuning& tuning, const std::vector<BandTrial>& trials,
                const BandTrial& best, const Certificate& certificate, double epsilon) {
  fmt::print("{} public units, {}, epsilon {:g} a draw\n\n", tuning.examples(),
             space_text(certificate), epsilon);
  fmt::print("{:<20} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "--band", "b", "mean KL",
             "worst KL", "mean TV", "worst TV", "mean H2", "bound KL");
  for (const BandTrial& trial : trials) {
    const std::string bound =
        trial.worst_case ? fmt::format("{:.5g}", trial.worst_case->kl) : std::string("-");
    fmt::print("{:<20} {:>8.5f} {:>9.5f} {:>9.5f} {:>9.5f} {:>9.5f} {:>9.5f} {:>9}{}\n",
               fmt::format("{:.20}", to_text(trial.choice)), trial.floor, trial.mean.kl,
               trial.worst.kl, trial.mean.tv, trial.worst.tv, trial.mean.hellinger2, bound,
               &trial == &best ? "  <- least mean KL" : "");
  }
  fmt::print(
      "\nmean and worst: of a unit's estimate from its law, among these units. bound: over "
      "everything\nbetween c1 and c2 times the reference, whatever the units ({}).\n",
      trials.front().worst_case ? "declared" : "needs --c2");
}

int run(const TuneOptions& options) {
  const LocalRelease release(request_for(options));
  const double epsilon = *options.epsilon;
  const std::vector<BandChoice> choices = usual_band_choices(epsilon, {options.c1, options.c2});
  const BandTuning tuning = tuned(release, options, choices);
  std::vector<BandTrial> trials = tuning.trials();
  std::sort(trials.begin(), trials.end(),
            [](const BandTrial& a, const BandTrial& b) { return a.floor < b.floor; });
  const BandTrial& best = *std::min_element(
      trials.begin(), trials.end(),
      [](const BandTrial& a, const BandTrial& b) { return a.mean.kl < b.mean.kl; });
  if (!options.json) {
    print_text(tuning, trials, best, release.certificate(), epsilon);
    return kSuccess;
  }
  Json bands = Json::array();
  for (const BandTrial& trial : trials) {
    bands.push_back(
        {{"band", to_text(trial.choice)},
         {"floor", trial.floor},
         {"mean", divergence_json(trial.mean)},
         {"worst", divergence_json(trial.worst)},
         {"worst_case", trial.worst_case ? divergence_json(*trial.worst_case) : Json(nullptr)}});
  }
  print_json({{"units", tuning.examples()},
              {"space", name_of(release.space().kind())},
              {"outcomes", release.space().size()},
              {"epsilon", epsilon},
              {"best", to_text(best.choice)},
              {"bands", bands}});
  return kSuccess;
}

}  // namespace

void add_tune(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "tune",
      "Choose where the band lies, from public example units\n\n"
      "The minimax band is best in the worst case; units like the examples may be served better "
      "by\n"
      "another. Prints the mean and the worst divergence among the examples for each --band, and\n"
      "marks the least mean. Nothing private is read.");
  const auto options = std::make_shared<TuneOptions>();
  command.add_option("--public-units", options->public_units, "public CSV of example units")
      ->type_name("FILE");
  command.add_option("--unit", options->unit, "column that names the unit")->type_name("COLUMN");
  command.add_option("--domain", options->domain, "the public domain, YAML")->type_name("FILE");
  command
      .add_option("--data", options->data,
                  "the private file, only to refuse it as the examples; it is not used")
      ->type_name("FILE");
  add_number(command, "--epsilon", options->epsilon, "privacy budget of one draw, from 1e-06");
  add_number(command, "--c1", options->c1, "least density of P against the reference");
  add_number(command, "--c2", options->c2,
             "greatest density of P against the reference; adds the minimax band");
  command.add_option("--reference", options->reference, "public CSV of records in the domain")
      ->type_name("FILE");
  options->space.add_to(command);
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
