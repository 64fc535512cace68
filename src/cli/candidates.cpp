// mollify candidates, domain, generate and reference.
#include "domain/candidates.h"

#include <cstdio>

#include <fmt/format.h>

#include "accounting/privacy.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/sha256.h"
#include "base/words.h"
#include "cli/main.h"
#include "cli/output.h"
#include "core/ranges.h"
#include "formats/csv.h"
#include "formats/domain_yaml.h"
#include "formats/draft_domain.h"
#include "formats/public_files.h"
#include "formats/text_files.h"
#include "measures/measure.h"
#include "release/released_model.h"
#include "scores/references.h"

namespace mollify::cli {

// -----------------------------------------------------------------------------------------------
// mollify candidates.

namespace {

struct CandidatesOptions {
  std::optional<std::string> domain, reference, out;
  std::optional<std::uint64_t> count;
  bool json = false;
  bool overwrite = false;
};

int run(const CandidatesOptions& options) {
  const Domain domain =
      naming_part("domain", [&] { return read_domain(needed(options.domain, "--domain")); });
  const std::string& out = needed(options.out, "--out");
  refuse_overwriting("--out", out, "--domain", options.domain);
  refuse_overwriting("--out", out, "--reference", options.reference);
  require_new("--out", out, options.overwrite);
  const Candidates list =
      listed_candidates(domain, options.count.value_or(Candidates::kUsual), options.reference);
  std::string text;
  write_candidates(list, domain, [&](std::string_view part) { text += part; });
  write_files({{out, text}});
  Sha256 hash;
  hash.add(text);
  const std::string sha256 = hash.hex();
  if (options.json) {
    print_json({{"out", out}, {"candidates", list.size()}, {"sha256", sha256}});
  } else {
    fmt::print("{} in {}, SHA-256 {}\n", counted(list.size(), "candidate"), out, sha256);
  }
  return kSuccess;
}

}  // namespace

void add_candidates(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "candidates",
      "Make a public list of records to choose from\n\n"
      "sample takes the list by --candidates-file, and releases records from it. Make the list "
      "before you open any private data.");
  const auto options = std::make_shared<CandidatesOptions>();
  add_text(command, "--domain", options->domain, "FILE", "the public domain, YAML");
  add_whole_number(command, "--candidates", options->count, "how many (default: 65536)");
  add_text(command, "--reference", options->reference, "FILE",
           "public CSV, or JSON measure, that they resemble (default: even)\nA measure is a file "
           "NAME.json of mollify reference, on a domain of numbers");
  add_out(command, options->out, options->overwrite, "the file to write them to");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

// -----------------------------------------------------------------------------------------------
// mollify domain.

namespace {

struct DomainOptions {
  std::optional<std::string> public_file, rules_of, out;
  std::vector<std::string> columns, excluded;
  bool json = false;
  bool overwrite = false;
};

int print_rules(const DomainOptions& options) {
  const bool drafts = options.public_file || !options.columns.empty() || !options.excluded.empty();
  if (drafts) {
    const std::string_view given = options.public_file       ? "public"
                                   : options.columns.empty() ? "exclude"
                                                             : "columns";
    refuse_input(
        "superfluous-parameter", given, {WayOut::leave(given)},
        "--rules-of writes the rules of a domain that is there already: leave out --public, "
        "--columns and --exclude, which draft one");
  }
  refuse_overwriting("--out", options.out, "--rules-of", options.rules_of);
  require_new("--out", options.out, options.overwrite);
  const std::string yaml = rules_for_validate(read_domain(*options.rules_of));
  if (options.out) write_files({{*options.out, yaml}});
  if (options.json) {
    print_json({{"yaml", yaml}});
  } else if (!options.out) {
    fmt::print("{}", yaml);
  }
  return kSuccess;
}

int run(const DomainOptions& options) {
  if (options.rules_of) return print_rules(options);
  refuse_overwriting("--out", options.out, "--public", options.public_file);
  require_new("--out", options.out, options.overwrite);
  require_some_columns(options.columns, options.excluded);
  const DomainDraft draft =
      draft_domain(needed(options.public_file, "--public"), options.columns, options.excluded);
  // The file states what a value becomes, so that people see and change it.
  const std::string yaml = draft.yaml();
  if (options.out) write_files({{*options.out, yaml}});
  if (options.json) {
    const Json outcomes =
        draft.domain.is_enumerable() ? Json(draft.domain.size()) : number(draft.domain.product());
    print_json({{"k", outcomes},
                {"sha256", parse_domain(yaml, "the draft").hash()},
                {"notes", draft.notes},
                {"seen", draft.seen},
                {"yaml", yaml}});
  } else if (!options.out) {
    fmt::print("{}", yaml);
  }
  return kSuccess;
}

}  // namespace

void add_domain(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "domain",
      "Draft a domain file from PUBLIC data\n\n"
      "The domain is public, so it must never be drafted from private data. Review the draft.");
  const auto options = std::make_shared<DomainOptions>();
  add_text(command, "--public", options->public_file, "FILE", "a public CSV file");
  command.add_option("--columns", options->columns, "only these, in this order (default: all)")
      ->delimiter(',')
      ->type_name("NAMES");
  command.add_option("--exclude", options->excluded, "leave these out")
      ->delimiter(',')
      ->type_name("NAMES");
  add_text(command, "--rules-of", options->rules_of, "DOMAIN",
           "instead of a draft: a domain's rules for R's validate");
  add_out(command, options->out, options->overwrite,
          "the file to write it to (default: standard output)");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

// -----------------------------------------------------------------------------------------------
// mollify generate.

namespace {

struct GenerateOptions {
  std::optional<std::string> model, out;
  std::optional<std::uint64_t> count, seed;
  std::vector<std::string> given;
  bool json = false;
  bool overwrite = false;
};

/// "COLUMN=VALUE" in cells of the domain.
Evidence evidence_in(const Domain& domain, std::string_view text) {
  const std::size_t equals = text.find('=');
  refuse_if(equals == std::string_view::npos, "malformed-text", "given",
            "--given must be COLUMN=VALUE, but is \"{}\"", text);
  return evidence_of(domain, text.substr(0, equals), text.substr(equals + 1));
}

int run(const GenerateOptions& options) {
  const std::string& path = needed(options.model, "--model");
  const std::uint64_t count = needed(options.count, "--count");
  require_between("count", count, 1, kMostGenerated);
  refuse_overwriting("--out", options.out, "--model", options.model);
  require_new("--out", options.out, options.overwrite);
  const ModelFile file = read_model_file(path);
  std::vector<Evidence> given;
  for (const std::string& one : options.given) {
    const Evidence made = evidence_in(file.domain, one);
    for (const Evidence& before : given) {
      if (before.column != made.column) continue;
      Concern concern("given");
      concern.column = file.domain.names()[made.column];
      refuse_input("duplicate-column", concern, {WayOut::leave("given")},
                   "--given must name each column once, but names \"{}\" twice", concern.column);
    }
    given.push_back(made);
  }
  std::string csv;
  CsvSink sink(csv);
  RecordWriter writer(file.domain, sink);
  if (options.seed) {
    SeededRandom random(*options.seed);
    write_rows(file.model, count, given, random, writer);
  } else {
    SecureRandom random;
    write_rows(file.model, count, given, random, writer);
  }
  writer.finish();
  if (options.out) write_files({{*options.out, csv}});
  if (options.json) {
    Json json{{"out", options.out ? Json(*options.out) : Json(nullptr)},
              {"count", count},
              {"seed", options.seed ? Json(*options.seed) : Json(nullptr)}};
    if (!options.out) json["csv"] = csv;
    print_json(json);
  } else if (!options.out) {
    std::fwrite(csv.data(), 1, csv.size(), stdout);
    flush_output();
  }
  return kSuccess;
}

}  // namespace

void add_generate(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "generate",
      "Draw rows from a model that was released\n\n"
      "The model is a file of mollify sample --model-out (method marginals or integral-model). Its "
      "rows cost no budget: the model was paid for when it was released, and more rows reveal no "
      "more about the data than the model does. With --seed everyone who has the model draws the "
      "same rows. A release takes no seed: anyone who guessed it could subtract the noise.");
  const auto options = std::make_shared<GenerateOptions>();
  add_text(command, "--model", options->model, "FILE", "the model");
  add_whole_number(command, "--count", options->count, "how many rows");
  add_whole_number(command, "--seed", options->seed,
                   "draw the rows of this seed again, 0 or more (default: new rows)");
  command
      .add_option("--given", options->given,
                  "only rows with that value, or in its bin; repeat for other columns")
      ->type_name("COLUMN=VALUE");
  add_out(command, options->out, options->overwrite, "where they go (default: standard output)");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

// -----------------------------------------------------------------------------------------------
// mollify reference.

namespace {

struct ReferenceOptions {
  std::optional<std::string> records, domain, out;
  std::optional<std::uint64_t> components;
  bool json = false;
  bool overwrite = false;
};

int run(const ReferenceOptions& options) {
  const std::string& records = needed(options.records, "--public");
  const Domain domain =
      naming_part("domain", [&] { return read_domain(needed(options.domain, "--domain")); });
  refuse_overwriting("--out", options.out, "--public", options.records);
  refuse_overwriting("--out", options.out, "--domain", options.domain);
  require_new("--out", options.out, options.overwrite);
  std::optional<Elapsed> elapsed("fitting");
  const FittedReference fitted =
      fitted_to_file(domain, options.components.value_or(FittedReference::kUsual), records);
  elapsed.reset();
  if (!options.out) {
    fmt::print("{}", fitted.json);
    return kSuccess;
  }
  write_files({{*options.out, fitted.json}});
  if (options.json) {
    print_json({{"out", *options.out}, {"components", fitted.components}});
  } else {
    fmt::print("{} components in {}\n", fitted.components, *options.out);
  }
  return kSuccess;
}

}  // namespace

void add_reference(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "reference",
      "Fit a Gaussian mixture to public records\n\n"
      "The records must be public, because every release with this reference reveals it. The "
      "result is a JSON file for --reference of law and candidates.");
  const auto options = std::make_shared<ReferenceOptions>();
  add_text(command, "--public", options->records, "FILE", "the public CSV file");
  add_text(command, "--domain", options->domain, "FILE",
           "the public domain, YAML, of numbers and integers");
  add_whole_number(command, "--components", options->components,
                   "how many Gaussians at most (default: 8)");
  add_out(command, options->out, options->overwrite,
          "the file to write it to (default: standard output)");
  command.add_flag("--json", options->json, "print what was written where as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
