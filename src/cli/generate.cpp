// mollify generate: more rows from a model that was released.
#include <cstdio>

#include <fmt/format.h>

#include "command.h"
#include "io/csv_sink.h"
#include "io/model_file.h"
#include "kernel/core/invalid_input.h"
#include "output_files.h"

namespace mollify::cli {
namespace {

struct GenerateOptions {
  std::optional<std::string> model, out;
  std::optional<std::uint64_t> count;
  std::vector<std::string> given;
  bool json = false;
  bool overwrite = false;
};

/// "COLUMN=VALUE" in cells of the domain.
Evidence evidence_in(const Domain& domain, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    throw InvalidInput(fmt::format("--given must be COLUMN=VALUE, but is \"{}\"", text));
  }
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
  for (const std::string& one : options.given) given.push_back(evidence_in(file.domain, one));
  std::string csv;
  CsvSink sink(csv);
  RecordWriter writer(file.domain, sink);
  SecureRandom random;
  write_rows(file.model, count, given, random, writer);
  writer.finish();
  if (options.out) write_files({{*options.out, csv}});
  if (options.json) {
    Json json{{"out", options.out ? Json(*options.out) : Json(nullptr)}, {"count", count}};
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
      "From a file of mollify sample --model-out (--family marginals or --space models). It "
      "spends\n"
      "nothing: the model was paid for when it was released, and its rows are made of it alone.\n"
      "More rows tell no more about the data than the model does.");
  const auto options = std::make_shared<GenerateOptions>();
  add_text(command, "--model", options->model, "FILE", "the model");
  add_whole_number(command, "--count", options->count, "how many rows");
  command
      .add_option("--given", options->given,
                  "only rows in which the column has the value, by the model's own law of such "
                  "rows; may be repeated for other columns")
      ->type_name("COLUMN=VALUE");
  add_out(command, options->out, options->overwrite, "where they go (default: standard output)");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
