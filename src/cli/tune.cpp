// mollify tune: where to put the band, told from public units.
#include "analysis/tune.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/main.h"
#include "cli/options.h"
#include "cli/output.h"
#include "core/invalid_input.h"

namespace mollify::cli {

namespace {

struct TuneOptions {
  std::optional<std::string> public_units, data, divergence, out;
  bool best = false;
  bool json = false;
  bool overwrite = false;
};

/// What of a release by method local a band is tuned for.
std::vector<Part> tuned_parts() {
  constexpr std::string_view kFlags[] = {
      "--unit",  "--domain",     "--epsilon",        "--count", "--c1",
      "--c2",    "--reference",  "--space",          "--cells", "--score",
      "--fresh", "--candidates", "--candidates-file"};
  std::vector<Part> parts;
  std::copy_if(
      spec_parts().begin(), spec_parts().end(), std::back_inserter(parts), [&](const Part& part) {
        return std::find(std::begin(kFlags), std::end(kFlags), part.flag) != std::end(kFlags);
      });
  return parts;
}

int run(const TuneOptions& options, const CLI::App& command) {
  TuneQuestion question{.public_units = needed(options.public_units, "--public-units"),
                        .divergence = options.divergence,
                        .best = options.best,
                        .out = options.out};
  if (options.data && !std::filesystem::exists(*options.data)) {
    throw InvalidInput(
        fmt::format("{} must be the private file, but there is none", *options.data));
  }
  Json parts = given_parts(command, tuned_parts(), kUnitDraws.first());
  if (!parts.contains("privacy")) refuse_missing("--epsilon");
  if (!parts.contains("count")) parts["count"] = 1U;
  question.spec = mollify::spec_of(parts, "");
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
  add_text(command, "--data", options->data, "FILE",
           "the private file, opened only to make sure that the units are not from it");
  add_part_flags(command, tuned_parts(), kUnitDraws);
  command.get_option("--count")->description("draws of each unit (default: 1)");
  command.get_option("--c2")->description(
      "greatest density of P against the reference: tries minimax too");
  add_text(command, "--divergence", options->divergence, "NAME",
           "what bands are compared by: kl (default), tv, hellinger2 or chi2");
  command.add_flag("--best", options->best,
                   "find the best band there is for these units, with the limit that no sampler of "
                   "any kind beats on them");
  add_out(command, options->out, options->overwrite,
          "with --best: where the band goes, for sample --band file=FILE");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session, &command] { session.status = run(*options, command); });
}

}  // namespace mollify::cli
