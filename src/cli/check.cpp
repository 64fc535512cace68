// mollify check: strict validation, for the data holder.
#include "io/check.h"

#include <fmt/format.h>

#include "command.h"
#include "io/domain_yaml.h"
#include "io/roster.h"
#include "kernel/core/invalid_input.h"

namespace mollify::cli {
namespace {

struct CheckOptions {
  std::optional<std::string> data, domain, unit, units;
  std::optional<std::uint64_t> most;
  bool json = false;
};

int run(const CheckOptions& options) {
  const Domain domain = read_domain(needed(options.domain, "--domain"));
  const std::string& data = needed(options.data, "--data");
  std::optional<StringIndex> roster;
  if (options.units) roster = read_roster(*options.units, needed(options.unit, "--unit"));
  const std::uint64_t most = options.most.value_or(1000);
  std::uint64_t shown = 0;
  Json findings = Json::array();
  if (!options.json) fmt::print("{}\n", kNotPrivate);
  const CheckCounts counts =
      check_table(data, domain, options.unit, roster, [&](const Finding& finding) {
        if (shown++ >= most) return;
        if (options.json) {
          findings.push_back({{"line", finding.line},
                              {"column", finding.column},
                              {"value", finding.value},
                              {"expectation", finding.expectation}});
        } else if (finding.column.empty()) {
          fmt::print("{}:{}: {}\n", data, finding.line, finding.expectation);
        } else {
          fmt::print("{}:{}: {} {}, but is \"{}\"\n", data, finding.line, finding.column,
                     finding.expectation, printable(finding.value));
        }
      });
  if (options.json) {
    print_json({{"notice", kNotPrivate},
                {"records", counts.records},
                {"records_with_findings", counts.records_with_findings},
                {"findings", counts.findings},
                {"listed", findings}});
  } else {
    if (counts.findings > most) {
      fmt::print("... and {} more (see --most)\n", counts.findings - most);
    }
    fmt::print("{} records, {} of them with something to mend, {} findings\n", counts.records,
               counts.records_with_findings, counts.findings);
  }
  return counts.findings == 0 ? kSuccess : kFailure;
}

}  // namespace

void add_check(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "check",
      "Name every value of a private file that its domain does not declare\n\n"
      "A release maps such values silently, because refusing would tell of them; this command is\n"
      "for the data holder, before a release. NOT PRIVATE. Exit status 1 if there are findings.");
  const auto options = std::make_shared<CheckOptions>();
  command.add_option("--data", options->data, "the private CSV file")->type_name("FILE");
  command.add_option("--domain", options->domain, "the public domain, YAML")->type_name("FILE");
  command.add_option("--unit", options->unit, "column that names the unit")->type_name("COLUMN");
  command.add_option("--units", options->units, "public CSV of all units")->type_name("FILE");
  add_whole_number(command, "--most", options->most, "list at most so many (default: 1000)");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
