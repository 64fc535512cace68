// mollify sample: the main job.
#include <cmath>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "command.h"
#include "kernel/core/invalid_input.h"
#include "output_files.h"
#include "release/local_release.h"
#include "report.h"
#include "sample_options.h"

namespace mollify::cli {
namespace {

/// Output files may not be input files, nor each other.
void validate_outputs(const SampleOptions& options) {
  for (const auto& [flag, output] :
       {std::pair{"--out", options.out}, std::pair{"--certificate", options.certificate}}) {
    for (const auto& [other, input] :
         {std::pair{"--data", options.data}, std::pair{"--domain", options.domain},
          std::pair{"--units", options.units},
          std::pair{"--candidates-file", options.space.candidates_file},
          std::pair{"--covariance", options.gaussian.covariance},
          std::pair{"--reference", options.mechanism.reference}}) {
      refuse_overwriting(flag, output, other, input);
    }
    refuse_overwriting(flag, output, "--ledger", options.ledger.ledger);
  }
  if (options.out && options.certificate && same_place(*options.out, *options.certificate)) {
    throw InvalidInput(
        fmt::format("--out and --certificate must differ, but both are {}", *options.out));
  }
  for (const auto& output : {options.out, options.certificate}) {
    if (output) require_writable(*output);
  }
}

/// What is public about the release, for people.
std::string summary(const Certificate& certificate, const SampleOptions& options) {
  const bool pure = certificate.per_draw.notion == Privacy::Notion::kPure;
  std::string drawn = fmt::format("{} record{}", certificate.draws_per_unit,
                                  certificate.draws_per_unit == 1 ? "" : "s");
  if (certificate.units) {
    drawn += fmt::format(" for each of {} units", *certificate.units);
  } else if (certificate.unit) {
    drawn += " for each unit";
  } else {
    drawn += " for the whole table";
  }
  std::string text =
      fmt::format("released {}{} by {} with {} in all\n", drawn,
                  options.out ? " to " + *options.out : "", name_of(certificate.mechanism),
                  Privacy::of(certificate.per_draw.notion, certificate.total).text());
  text += fmt::format("space: {}\n", space_text(certificate));
  if (options.certificate) text += fmt::format("certificate: {}\n", *options.certificate);
  if (pure && certificate.total < *options.mechanism.epsilon) {
    text += "epsilon of one draw counts as 30 at most, so this is less than asked for\n";
  }
  return text + promise_lines(promises(certificate), non_promises(certificate));
}

ReleaseJob local_job(const SampleOptions& options) {
  options.central.refuse_for(*options.model);
  options.mechanism.require_budget();
  LocalReleaseRequest request = options.mechanism.request();
  request.model = *options.model;
  request.data = needed(options.data, "--data");
  request.domain = needed(options.domain, "--domain");
  request.unit = options.unit;
  request.roster = options.units;
  request.count = needed(options.count, "--count");
  request.space = options.space.request();
  request.epsilon = options.ledger.budget("--epsilon", request.epsilon);
  request.mu = options.ledger.budget("--mu", request.mu);
  const auto release = std::make_shared<const LocalRelease>(request);
  const Certificate& certificate = release->certificate();
  const bool pure = certificate.per_draw.notion == Privacy::Notion::kPure;
  return {.certificate = certificate_json(certificate),
          .charge = {.data = request.data,
                     .scope = request.unit ? ProtectionScope::of_unit(*request.unit)
                                           : ProtectionScope::table(),
                     .model = certificate.model,
                     .mechanism = std::string(name_of(certificate.mechanism)),
                     .cost = pure ? options.ledger.cost_of(Privacy::pure(certificate.total))
                                  : options.ledger.cost_of(Privacy::gaussian(certificate.total)),
                     .count = certificate.draws_per_unit,
                     .certificate = {}},
          .draw = [release](SecureRandom& random) { return release->run(random); },
          .summary = summary(certificate, options)};
}

ReleaseJob job_of(const SampleOptions& options) {
  const std::string& model = needed(options.model, "--model");
  const bool gaussian = options.gaussian.chosen(model);
  if (model == "central") return gaussian ? gaussian_job(options) : central_job(options);
  if (model == "local" || model == "integral") return local_job(options);
  throw InvalidInput(fmt::format("model must be local, integral or central, but is \"{}\"", model));
}

int run(SampleOptions options) {
  if (options.out && !options.certificate && !is_stream(*options.out)) {
    options.certificate = *options.out + ".certificate.json";
  }
  ReleaseJob job = job_of(options);
  // Before anything is drawn, so that a name that cannot be written is refused and not discovered.
  validate_outputs(options);
  job.charge.certificate = job.certificate;
  options.ledger.charge(job.charge);

  SecureRandom random;
  const std::string csv = job.draw(random);
  // Standard output first: records that nobody got need no certificate.
  if (!options.out && !options.json) {
    std::fwrite(csv.data(), 1, csv.size(), stdout);
    flush_output();
  }
  // The certificate first: whenever the program is killed, no records are without theirs.
  std::vector<OutputFile> files;
  if (options.certificate) files.push_back({*options.certificate, job.certificate});
  if (options.out) files.push_back({*options.out, csv});
  write_files(files);
  if (options.json) {
    Json json;
    json["out"] = options.out ? Json(*options.out) : Json(nullptr);
    if (!options.out) json["csv"] = csv;
    json["certificate"] = Json::parse(job.certificate);
    print_json(json);
    return kSuccess;
  }
  tell(job.summary);
  return kSuccess;
}

}  // namespace

void add_sample(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "sample",
      "Release records drawn from private data\n\n"
      "  --model local     with --unit: each unit's rows are one distribution, each unit releases\n"
      "                    --count records, and each unit's whole data is protected by epsilon\n"
      "  --model integral  the whole table is protected at once, and so any group of its rows\n"
      "  --model central   each row, or with --unit each unit, is protected by epsilon and delta\n"
      "                    against being replaced by any other; how many there are is public.\n"
      "                    --family gaussian: for columns of numbers that are not cut into bins\n\n"
      "The release never fails and never talks because of what the data holds: run mollify check\n"
      "first. Randomness comes from the operating system; there is no seed.");
  const auto options = std::make_shared<SampleOptions>();
  command.add_option("--model", options->model, "local, integral or central")->type_name("MODEL");
  command.add_option("--data", options->data, "the private CSV file")->type_name("FILE");
  command.add_option("--domain", options->domain, "the public domain, YAML")->type_name("FILE");
  add_whole_number(command, "--count", options->count,
                   "records to release: for each unit, or in model central in all");
  command.add_option("--unit", options->unit, "column that names the unit of each row")
      ->type_name("COLUMN");
  command
      .add_option("--units", options->units, "public CSV of all units; protects who is in the data")
      ->type_name("FILE");
  options->mechanism.add_to(command, "public CSV of records in the domain",
                            "all draws of a unit together");
  command.get_option("--mechanism")
      ->description(fmt::format("{}; in model central one of {} (default: auto, the one with the "
                                "least total variation)",
                                command.get_option("--mechanism")->get_description(),
                                central_mechanisms_text()));
  options->mechanism.add_band_to(command);
  options->central.add_to(command);
  options->gaussian.add_to(command);
  options->space.add_to(command);
  options->ledger.add_to(command);
  command.add_option("--out", options->out, "where the records go (default: standard output)")
      ->type_name("FILE");
  command
      .add_option("--certificate", options->certificate,
                  "where the certificate goes (default: OUT.certificate.json, beside --out)")
      ->type_name("FILE");
  command.add_flag("--json", options->json, "print certificate (and records) as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
