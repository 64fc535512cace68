// mollify domain: drafts a domain from public data.
#include <fmt/format.h>

#include "command.h"
#include "io/domain_yaml.h"
#include "io/draft_domain.h"
#include "output_files.h"

namespace mollify::cli {
namespace {

struct DomainOptions {
  std::optional<std::string> public_file, out;
  std::vector<std::string> columns, excluded;
  bool json = false;
  bool overwrite = false;
};

int run(const DomainOptions& options) {
  refuse_overwriting("--out", options.out, "--public", options.public_file);
  require_new("--out", options.out, options.overwrite);
  const DomainDraft draft =
      draft_domain(needed(options.public_file, "--public"), options.columns, options.excluded);
  // What becomes of a value stands in the file, to be seen and changed.
  const std::string yaml = domain_yaml(draft.domain, draft.notes, Defaults::kSpelledOut);
  if (options.out) write_files({{*options.out, yaml}});
  if (options.json) {
    const Json outcomes =
        draft.domain.is_enumerable() ? Json(draft.domain.size()) : number(draft.domain.product());
    print_json({{"outcomes", outcomes},
                {"sha256", parse_domain(yaml, "the draft").hash()},
                {"notes", draft.notes},
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
  add_out(command, options->out, options->overwrite,
          "the file to write it to (default: standard output)");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
