// mollify check.
#include "analysis/check.h"

#include "cli/main.h"
#include "formats/domain_yaml.h"

namespace mollify::cli {

namespace {

struct CheckOptions {
  std::optional<std::string> data, domain, unit, units, units_column, counts_column;
  std::vector<std::string> references;
  std::optional<std::uint64_t> most;
  bool json = false;
};

int run(const CheckOptions& options) {
  const CheckQuestion question{.domain = read_domain(needed(options.domain, "--domain")),
                               .data = needed(options.data, "--data"),
                               .unit = options.unit,
                               .units = options.units,
                               .units_column = options.units_column,
                               .counts_column = options.counts_column,
                               .references = options.references,
                               .most = options.most};
  if (options.units) needed(options.unit, "--unit");
  const Answer answer = check(question, PublicFiles());
  print_answer(answer, options.json);
  return answer.json["findings"] == 0 ? kSuccess : kFailure;
}

}  // namespace

void add_check(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "check",
      "Name every value of a private file that its domain does not declare, and what it becomes\n\n"
      "A release maps such values silently, because refusing would tell of them; this command is\n"
      "for the data holder, before a release. NOT PRIVATE. Exit status 1 if there are findings.\n"
      "With --reference and --units it also counts what public files share with the data: what is\n"
      "made from private records is not public.");
  const auto options = std::make_shared<CheckOptions>();
  command.add_option("--data", options->data, "the private CSV file")->type_name("FILE");
  command.add_option("--domain", options->domain, "the public domain, YAML")->type_name("FILE");
  command.add_option("--unit", options->unit, "column that names the unit")->type_name("COLUMN");
  command.add_option("--units", options->units, "public CSV of all units")->type_name("FILE");
  add_text(command, "--units-column", options->units_column, "COLUMN",
           "column of --units that names them (default: as --unit)");
  add_text(command, "--counts-column", options->counts_column, "COLUMN",
           "column that says how many records a row stands for");
  command
      .add_option("--reference", options->references,
                  "public CSV (a reference, candidates, units to tune with), or several: how many "
                  "of its records the data has too")
      ->type_name("FILE");
  add_whole_number(command, "--most", options->most,
                   "list at most so many (default: 40; with --json 1000)");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
