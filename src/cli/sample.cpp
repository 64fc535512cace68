// mollify sample: the main job.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "command.h"
#include "io/csv_sink.h"
#include "io/csv_source.h"
#include "io/public_files.h"
#include "io/text_file.h"
#include "kernel/core/invalid_input.h"
#include "ledger_options.h"
#include "output_files.h"
#include "records/memory_table.h"
#include "release/release.h"
#include "release/spec_json.h"
#include "report.h"
#include "spec_options.h"

namespace mollify::cli {
namespace {

struct SampleOptions {
  std::optional<std::string> data, spec, out, certificate;
  LedgerOptions ledger;
  bool json = false;
  bool print_spec = false;
};

/// The spec of the file given, or of the flags.
ReleaseSpec spec_for(const SampleOptions& options, const CLI::App& command) {
  if (!options.spec) return mollify::spec_of(given_parts(command), "");
  if (const std::string flag = first_given_part(command); !flag.empty()) {
    throw InvalidInput(
        fmt::format("--spec holds the whole release, so {} must not be given beside it", flag));
  }
  return parse_spec(read_text_file(*options.spec), *options.spec);
}

/// Output files may not be input files, nor each other.
void validate_outputs(const SampleOptions& options, const ReleaseSpec& spec) {
  const auto name = [](const std::optional<PublicFile>& file) {
    return file ? std::optional(file->name) : std::nullopt;
  };
  std::vector<std::pair<const char*, std::optional<std::string>>> inputs = {
      {"--data", options.data},
      {"--spec", options.spec},
      {"--domain", spec.domain.file},
      {"--units", name(spec.roster)},
      {"--ledger", options.ledger.ledger}};
  if (const LocalSpec* local = spec.local()) {
    inputs.emplace_back("--candidates-file", name(local->space.list));
    inputs.emplace_back("--reference", name(local->reference));
  }
  if (const GaussianSpec* gaussian = spec.gaussian()) {
    inputs.emplace_back("--covariance", name(gaussian->covariance));
  }
  for (const auto& [flag, output] :
       {std::pair{"--out", options.out}, std::pair{"--certificate", options.certificate}}) {
    for (const auto& [other, input] : inputs) refuse_overwriting(flag, output, other, input);
  }
  if (options.out && options.certificate && same_place(*options.out, *options.certificate)) {
    throw InvalidInput(
        fmt::format("--out and --certificate must differ, but both are {}", *options.out));
  }
  for (const auto& output : {options.out, options.certificate}) {
    if (output) require_writable(*output);
  }
}

std::string local_summary(const Certificate& certificate, const std::string& to) {
  const std::uint64_t count = *certificate.spec.count;
  std::string drawn = fmt::format("{} record{}", count, count == 1 ? "" : "s");
  if (certificate.facts.units) {
    drawn += fmt::format(" for each of {} units", *certificate.facts.units);
  } else {
    drawn += certificate.spec.unit ? " for each unit" : " for the whole table";
  }
  std::string text =
      fmt::format("released {}{} by {} with {} in all\nspace: {}\n", drawn, to,
                  certificate.mechanism(), certificate.total.text(), space_text(certificate));
  if (certificate.total.epsilon < certificate.spec.budget().epsilon) {
    text += "epsilon of one draw counts as 30 at most, so this is less than asked for\n";
  }
  return text;
}

std::string released_words(const Certificate& certificate, const std::string& to) {
  const auto& count = certificate.spec.count;
  return fmt::format("released {} record{}{} from {} {} by {} with {}\n",
                     count ? std::to_string(*count) : "a random number of", count == 1 ? "" : "s",
                     to, *certificate.facts.records, certificate.spec.unit ? "units" : "rows",
                     certificate.gaussian() ? "a Gaussian sampler" : certificate.mechanism(),
                     certificate.total.text());
}

std::string finite_summary(const Certificate& certificate) {
  const FiniteDesign& finite = *certificate.finite();
  const CentralDesign& design = finite.design;
  std::string text;
  if (finite.hint) {
    text += fmt::format("spent: {} to find the support ({}), and {} on the draw from it\n",
                        finite.hint->text(), to_text(*certificate.spec.central()->support),
                        certificate.draw.text());
  }
  text += fmt::format("why {}: {}\ntotal variation: {}{:.4g} for each record (weak)",
                      certificate.mechanism(), design.why,
                      finite.hint ? "at most, if the whole domain were needed, " : "",
                      design.total_variation_up);
  if (design.outputs && design.independent_outputs) {
    text +=
        fmt::format(", {:.4g} for all {} together (strong)",
                    std::min(1.0, design.total_variation_up * static_cast<double>(*design.outputs)),
                    *design.outputs);
  }
  return text + "\n";
}

std::string gaussian_summary(const GaussianDesign& design) {
  const GaussianTotalVariation& parts = design.total_variation;
  return fmt::format(
      "how: {}\n"
      "total variation: {:.4g} for each record (weak), {:.4g} for all {} together (strong)\n"
      "of which: clipping {:.3g}, shape of the noise {:.3g}, lattice {:.3g}, centre {:.3g}\n",
      design.why, design.total_variation_up(), design.strong_total_variation_up(),
      design.request.outputs, parts.clip, parts.shape, parts.lattice, parts.centre);
}

/// What is public about the release, for people.
std::string summary(const Certificate& certificate, const SampleOptions& options) {
  const std::string to = options.out ? " to " + *options.out : "";
  std::string text =
      certificate.local() ? local_summary(certificate, to) : released_words(certificate, to);
  if (certificate.finite() != nullptr) text += finite_summary(certificate);
  if (certificate.gaussian() != nullptr) text += gaussian_summary(*certificate.gaussian());
  if (options.certificate) text += fmt::format("certificate: {}\n", *options.certificate);
  return text + promise_lines(promises(certificate), non_promises(certificate));
}

/// The files, and standard output, that a release goes to: nothing before all of it is there.
class ReleaseOutput final : public Sink {
 public:
  explicit ReleaseOutput(const SampleOptions& options) : options_(options), text_(csv_) {}

  void certify(const std::string& certificate) { certificate_ = certificate; }
  void begin(const Schema& schema) override { text_.begin(schema); }
  void write(const Block& block) override { text_.write(block); }
  void finish() override {
    text_.finish();
    // Standard output first: records that nobody got need no certificate.
    if (!options_.out && !options_.json) {
      std::fwrite(csv_.data(), 1, csv_.size(), stdout);
      flush_output();
    }
    // The certificate first: whenever the program is killed, no records are without theirs.
    std::vector<OutputFile> files;
    if (options_.certificate) files.push_back({*options_.certificate, certificate_});
    if (options_.out) files.push_back({*options_.out, csv_});
    write_files(files);
    if (options_.json) print_json(json());
  }

 private:
  Json json() const {
    Json json;
    json["out"] = options_.out ? Json(*options_.out) : Json(nullptr);
    if (!options_.out) json["csv"] = csv_;
    json["certificate"] = Json::parse(certificate_);
    return json;
  }

  const SampleOptions& options_;
  std::string csv_;
  CsvSink text_;
  std::string certificate_;
};

/// The private file as a source. In the central model, where records are counted first, a pipe is
/// read into memory.
class PrivateData {
 public:
  PrivateData(const std::string& path, const ReleaseSpec& spec) {
    if (is_stream(path) && spec.local() != nullptr) {
      throw InvalidInput(
          fmt::format("the private data must be a file that can be read twice, but {} is a pipe or "
                      "a device",
                      path));
    }
    file_ = std::make_unique<CsvSource>(path);
    if (!is_stream(path) || spec.gaussian() != nullptr) return;
    std::vector<std::size_t> all(file_->columns().size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    Schema schema;
    for (const std::string& column : file_->columns()) schema.push_back({.name = column});
    kept_.begin(schema);
    file_->visit(all, [&](const Block& block) { kept_.write(block); });
    std::vector<Values> columns;
    for (std::size_t i = 0; i < all.size(); ++i) columns.push_back(kept_.column(i));
    memory_ = std::make_unique<MemorySource>(file_->columns(), std::move(columns));
  }

  const Source& source() const { return memory_ ? static_cast<const Source&>(*memory_) : *file_; }

 private:
  std::unique_ptr<CsvSource> file_;
  MemorySink kept_;
  std::unique_ptr<MemorySource> memory_;
};

int run(SampleOptions options, const CLI::App& command) {
  const ReleaseSpec spec = spec_for(options, command);
  if (options.print_spec) {
    fmt::print("{}", spec_text(spec));
    flush_output();
    return kSuccess;
  }
  const std::string& path = needed(options.data, "--data");
  if (options.out && !options.certificate && !is_stream(*options.out)) {
    options.certificate = *options.out + ".certificate.json";
  }
  const PublicFiles inputs(path);
  // What stands in the domain's file is told before what is wrong with the data.
  static_cast<void>(inputs.domain(spec.domain));
  const PrivateData data(path, spec);
  const auto prepared = prepare(spec, inputs, public_count(spec, data.source()));
  prepared->require(data.source());
  // Before anything is drawn, so that a name that cannot be written is refused and not discovered.
  validate_outputs(options, spec);
  const std::string told = summary(prepared->certificate(), options);
  ReleaseOutput output(options);
  const auto ledger = options.ledger.open();
  release(
      *prepared, data.source(), output,
      [&](const std::string& certificate) { output.certify(certificate); },
      ledger ? std::optional<Charging>({*ledger, options.ledger.data_set_for(path)})
             : std::nullopt);
  if (!options.json) tell(told);
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
  command.add_option("--data", options->data, "the private CSV file")->type_name("FILE");
  command
      .add_option("--spec", options->spec,
                  "the release as a JSON file, instead of the flags below; see --print-spec")
      ->type_name("FILE");
  command.add_flag("--print-spec", options->print_spec,
                   "print the spec that the flags mean, and release nothing");
  add_spec_flags(command, true);
  options->ledger.add_to(command);
  command.add_option("--out", options->out, "where the records go (default: standard output)")
      ->type_name("FILE");
  command
      .add_option("--certificate", options->certificate,
                  "where the certificate goes (default: OUT.certificate.json, beside --out)")
      ->type_name("FILE");
  command.add_flag("--json", options->json, "print certificate (and records) as JSON");
  command.callback([options, &session, &command] { session.status = run(*options, command); });
}

}  // namespace mollify::cli
