// mollify tune: where to put the band, told from public units.
#include "analysis/tune.h"

#include <filesystem>

#include <fmt/format.h>

#include "cli/main.h"
#include "cli/options.h"
#include "cli/output.h"
#include "core/invalid_input.h"

namespace mollify::cli {

namespace {

struct TuneOptions {
  std::optional<std::string> public_units, unit, domain, data, reference, divergence;
  std::optional<double> epsilon, c1, c2;
  std::optional<std::uint64_t> count;
  std::optional<std::string> out;
  SpaceOptions space;
  bool best = false;
  bool json = false;
  bool overwrite = false;
};

int run(const TuneOptions& options) {
  TuneQuestion question{.public_units = needed(options.public_units, "--public-units"),
                        .divergence = options.divergence,
                        .best = options.best,
                        .out = options.out};
  if (options.data && !std::filesystem::exists(*options.data)) {
    throw InvalidInput(
        fmt::format("{} must be the private file, but there is none", *options.data));
  }
  LocalSpec local{.numbers = {.c1 = options.c1, .c2 = options.c2}, .space = options.space.request()};
  if (options.reference) local.reference = PublicFile{*options.reference};
  const double epsilon = needed(options.epsilon, "--epsilon");
  question.spec = {.domain = {.file = needed(options.domain, "--domain")},
                   .unit = needed(options.unit, "--unit"),
                   .count = options.count,
                   .privacy = ExactPrivacy::pure(Decimal(epsilon)),
                   .own = local};
  if (options.best) require_new("--out", options.out, options.overwrite);
  const Tuning found = tune(question, PublicFiles(options.data));
  if (options.out) write_files({{*options.out, found.band}});
  return print_answer(found.answer, options.json);
}

}  // namespace

void add_tune(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "tune",
      "Choose where the band lies, from PUBLIC example units\n\n"
      "For each band: how far the units' estimates are from the laws they would be released from,\n"
      "on average and at worst. The units must be public: whatever is chosen by looking at "
      "private\n"
      "ones tells of them.");
  const auto options = std::make_shared<TuneOptions>();
  add_text(command, "--public-units", options->public_units, "FILE",
           "public CSV of units like yours");
  add_text(command, "--unit", options->unit, "COLUMN", "column that names the unit of each row");
  add_text(command, "--domain", options->domain, "FILE", "the public domain, YAML");
  add_text(command, "--data", options->data, "FILE",
           "the private file, opened only to make sure that the units are not from it");
  add_number(command, "--epsilon", options->epsilon, "privacy budget of all draws of a unit");
  add_whole_number(command, "--count", options->count, "draws of each unit (default: 1)");
  add_number(command, "--c1", options->c1, "least density of P against the reference");
  add_number(command, "--c2", options->c2,
             "greatest density of P against the reference: tries minimax too");
  add_text(command, "--reference", options->reference, "FILE",
           "public CSV of records in the domain");
  options->space.add_to(command);
  add_text(command, "--divergence", options->divergence, "NAME",
           "what bands are compared by: kl (default), tv, hellinger2 or chi2");
  command.add_flag("--best", options->best,
                   "find the best band there is for these units, with the limit that no sampler of "
                   "any kind beats on them");
  add_out(command, options->out, options->overwrite,
          "with --best: where the band goes, for sample --band file=FILE");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
