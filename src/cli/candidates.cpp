// mollify candidates: a public list to choose from, as a file.
#include <fmt/format.h>

#include "accounting/counted.h"
#include "command.h"
#include "io/candidates_file.h"
#include "io/domain_yaml.h"
#include "io/public_records.h"
#include "io/text_file.h"
#include "laboratory/measure/domain_measure.h"
#include "laboratory/measure/measure_json.h"
#include "output_files.h"
#include "reference/reference_candidates.h"
#include "space/candidates_text.h"
#include "space/sha256.h"

namespace mollify::cli {
namespace {

struct CandidatesOptions {
  std::optional<std::string> domain, reference, out;
  std::optional<std::uint64_t> count;
  bool json = false;
  bool overwrite = false;
};

Candidates candidates_of(const Domain& domain, const std::optional<std::string>& reference,
                         std::uint64_t count) {
  if (!reference) return Candidates::seeded(domain, count);
  if (reference->ends_with(".json")) {
    return measure_candidates(domain, *measure_from_json(read_text_file(*reference), *reference),
                              count);
  }
  return ReferenceCandidates(domain, read_public_digits(*reference, domain)).seeded(count);
}

int run(const CandidatesOptions& options) {
  const Domain domain = read_domain(needed(options.domain, "--domain"));
  const std::string& out = needed(options.out, "--out");
  refuse_overwriting("--out", out, "--domain", options.domain);
  refuse_overwriting("--out", out, "--reference", options.reference);
  require_new("--out", out, options.overwrite);
  const std::uint64_t count = options.count.value_or(Candidates::kUsual);
  Candidates::require_count(count);
  const Candidates list = candidates_of(domain, options.reference, count);
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
      "For mollify sample --candidates-file. Everybody who releases with one list reports which "
      "of\n"
      "its records was drawn. The list must be made before any private data is opened.");
  const auto options = std::make_shared<CandidatesOptions>();
  add_text(command, "--domain", options->domain, "FILE", "the public domain, YAML");
  add_whole_number(command, "--candidates", options->count, "how many (default: 65536)");
  add_text(command, "--reference", options->reference, "FILE",
           "public CSV of records that they are drawn after, or a measure as JSON (NAME.json, "
           "see law and reference) on a domain of numbers (default: evenly)");
  add_out(command, options->out, options->overwrite, "the file to write them to");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
