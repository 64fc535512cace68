// mollify sample: the main job.
#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accounting/privacy.h"
#include "base/named.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/threads.h"
#include "base/words.h"
#include "cli/help.h"
#include "cli/ledger.h"
#include "cli/main.h"
#include "cli/options.h"
#include "cli/output.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "formats/csv.h"
#include "formats/ledger.h"
#include "formats/public_files.h"
#include "formats/text_files.h"
#include "methods/divergence/worst_case_risk.h"
#include "methods/gaussian/design.h"
#include "methods/gaussian/moments.h"
#include "methods/local/method.h"
#include "methods/marginals/design.h"
#include "records/private_table.h"
#include "records/source.h"
#include "release/design.h"
#include "release/method.h"
#include "release/release.h"
#include "release/released_model.h"
#include "release/spec.h"

namespace mollify::cli {

namespace {

constexpr const char* kChargedAsReplacing =
    " (a total counts replaced rows, each of which is one removed and one added)";

struct SampleOptions {
  std::optional<std::string> data, counts_column, spec, out, certificate, model;
  LedgerOptions ledger;
  bool json = false;
  bool print_spec = false;
  bool explain = false;
  bool overwrite = false;
  std::optional<std::uint64_t> threads{};
};

/// The spec of the file given, or of the flags.
ReleaseSpec spec_for(const SampleOptions& options, const CLI::App& command,
                     std::optional<Method> method) {
  if (!options.spec) return mollify::spec_of(given_parts(command, spec_parts(), method), "");
  if (method) {
    refuse_input(
        "superfluous-parameter", "method", {WayOut::leave("method"), WayOut::leave("spec")},
        "--spec holds the whole release, so method {} must not be given with it", name_of(*method));
  }
  if (const std::string flag = first_given_part(command, spec_parts()); !flag.empty()) {
    refuse_input("superfluous-parameter", parameter_of(flag),
                 {WayOut::leave(parameter_of(flag)), WayOut::leave("spec")},
                 "--spec holds the whole release, so {} must not be given with it", flag);
  }
  return parsed_file(*options.spec, parse_spec);
}

/// Output files may not be input files, nor each other.
void validate_outputs(const SampleOptions& options, const ReleaseSpec& spec) {
  std::vector<std::pair<const char*, std::optional<std::string>>> inputs = {
      {"--data", options.data}, {"--spec", options.spec}, {"--ledger", options.ledger.ledger}};
  for (auto& [flag, file] : files_of(spec)) inputs.emplace_back(flag, std::move(file));
  const std::array outputs = {std::pair{"--out", options.out},
                              std::pair{"--certificate", options.certificate},
                              std::pair{"--model-out", options.model}};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [flag, output] = outputs[i];
    for (const auto& [other, input] : inputs) refuse_overwriting(flag, output, other, input);
    for (std::size_t j = i + 1; j < outputs.size(); ++j) {
      if (!output || !outputs[j].second || !same_place(*output, *outputs[j].second)) continue;
      refuse_input("same-file", concern_of(parameter_of(outputs[j].first), *output),
                   {WayOut::set(parameter_of(flag)), WayOut::set(parameter_of(outputs[j].first))},
                   "{} and {} must differ, but both are {}", flag, outputs[j].first, *output);
    }
  }
  for (const auto& [flag, output] : outputs) {
    require_new(flag, output, options.overwrite);
  }
}

/// What to do with a release that is there.
std::string next_steps(const PreparedRelease& prepared, const SampleOptions& options) {
  if (!options.out) return "";
  const ReleaseSpec& spec = prepared.certificate().spec;
  std::string text;
  const std::string released = shell_word(*options.out);
  // compare reads a row for each record.
  if (!options.counts_column) {
    std::string command = fmt::format(
        "mollify compare --released {} --data {} --domain {}", released, shell_word(*options.data),
        spec.domain.file.empty() ? "DOMAIN.yaml" : shell_word(spec.domain.file));
    if (spec.unit) command += " --unit " + shell_word(spec.unit.text());
    if (spec.roster) command += " --units " + shell_word(spec.roster->name);
    if (spec.units_column) command += " --units-column " + shell_word(spec.units_column.text());
    if (const auto& weights = spec.weights) {
      command += " --weights " + shell_word(weights->column) + " --greatest-weight " +
                 weights->greatest.text();
      if (!weights->step.is_zero()) command += " --weight-step " + weights->step.text();
      if (!weights->invalid.is_zero()) command += " --invalid-weight " + weights->invalid.text();
    }
    if (const Json parts = spec_json(spec); parts.contains("logarithms")) {
      const auto columns = parts["logarithms"].get<std::vector<std::string>>();
      command += " --log " + shell_word(fmt::format("{}", fmt::join(columns, ",")));
    }
    text += "next: judge the records (not private)\n" + command_lines(command, 2);
  }
  if (options.certificate && prepared.error().is_for_estimates) {
    text += "next: find the population\n" +
            command_lines(fmt::format("mollify estimate --released {} --certificate {}", released,
                                      shell_word(*options.certificate)),
                          2);
  }
  return text;
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Whom a release protects.
std::string protected_line(const ReleaseSpec& spec) {
  std::string note = protection_note(spec);
  if (!note.empty()) return note;
  if (!spec.unit) return "protected: the whole table, so any group of its rows\n";
  return wrapped(
      fmt::format("protected: all rows of each unit of {}", printable(spec.unit.words())),
      kLineWidth, kHang);
}

/// How far its records are from the data.
std::string error_line(const Certificate& certificate, const ReleaseReport& report) {
  // That of a draw of one of many models is of the model, not of its rows.
  const bool is_of_model = kModelMethods.has(certificate.spec.method);
  if (!report.total_variation || (is_of_model && !kRowMethods.has(certificate.spec.method)))
    return "";
  return wrapped(fmt::format("{} error of a record: {:.4g} in total variation{}",
                             is_of_model ? "expected" : "greatest", *report.total_variation,
                             report.supposition),
                 kLineWidth, kHang);
}

/// A warning with its code. The clause after its verdict is left out if `room` lines are too few.
std::string short_warning(const Message& warning, std::size_t room) {
  const auto lines = [&](const std::string& text) {
    return wrapped(printable(fmt::format("{} [{}]", text, warning.code.name)), kLineWidth, kHang);
  };
  const std::string whole = lines(warning.brief());
  return lines_in(whole) <= room ? whole : lines("WARNING: " + warning.verdict);
}

/// What to know about the release at once: at most six lines, including those of the ledger.
std::string brief(const Certificate& certificate, const Domain& domain,
                  const SampleOptions& options, const ReleaseReport& report,
                  const std::vector<Message>& said, const std::string& accuracy,
                  const std::string& charge) {
  constexpr std::size_t kMostNotes = 6;
  const ReleaseSummary short_of_it =
      release_method(certificate.spec.method).summary(certificate, domain, "");
  std::string text = wrapped(short_of_it.released, kLineWidth, kHang);
  // That a release is mostly noise is never left out: who is protected gives way, which was asked.
  // If nothing says so, that its dependences may be noise is not left out either.
  const auto is_of_noise = [](const Message& one) { return one.severity == Severity::kNoise; };
  const bool says_noise = std::any_of(said.begin(), said.end(), is_of_noise);
  const auto is_noise = [&](const Message& one) {
    return is_of_noise(one) || (!says_noise && one.code == Code("as-if-independent"));
  };
  std::string noise;
  const auto left = [&](const std::string& lines) {
    const std::size_t taken = lines_in(lines) + lines_in(noise) + 1 + lines_in(charge);
    return taken < kMostNotes ? kMostNotes - taken : 0;
  };
  std::size_t later = 0;  // lines of the warnings after this one, at least
  for (const Message& warning : said) {
    if (is_noise(warning)) later += lines_in(short_warning(warning, 0));
  }
  for (const Message& warning : said) {
    if (!is_noise(warning)) continue;
    later -= lines_in(short_warning(warning, 0));
    noise += short_warning(warning, left(text) - std::min(later, left(text)));
  }
  std::string whom = noise.empty() ? protected_line(certificate.spec) : "";
  std::size_t room = left(text + whom);
  const auto fitting = [&](const std::string& lines) {
    if (lines_in(lines) > room) return std::string();
    room -= lines_in(lines);
    return lines;
  };
  // The error of a support comes first, which nobody knew before. --explain prints another too.
  std::string error = accuracy.empty() ? "" : fitting(wrapped(accuracy, kLineWidth, kHang));
  std::string warnings = noise;
  std::size_t left_out = 0;
  for (const Message& warning : said) {
    if (is_noise(warning)) continue;
    const std::string one = fitting(short_warning(warning, room));
    if (one.empty()) ++left_out;
    warnings += one;
  }
  if (!noise.empty()) whom = fitting(protected_line(certificate.spec));
  if (accuracy.empty()) error = fitting(error_line(certificate, report));
  text += whom + error + warnings;
  const std::string more =
      left_out == 0 ? "all of it" : "all, and " + counted(left_out, "more warning");
  text += options.certificate
              ? fmt::format("certificate: {} (--explain prints {})\n", *options.certificate, more)
              : fmt::format("--explain prints {}\n", more);
  return text + charge;
}

/// The noisy counts of the model; none of a release without a model.
std::optional<Measurements> measurements_of(const Released& released, const Domain& domain) {
  if (released.model.empty()) return std::nullopt;
  return released_measurements(Json::parse(released.model), domain, "the model");
}

/// How near the records are, in a sentence, if that is only known once they are drawn.
std::string accuracy_of(const Released& released) {
  const Json certificate = Json::parse(released.certificate);
  const auto measured = certificate.find("measured");
  if (measured != certificate.end() && measured->contains("accuracy")) return (*measured)["words"];
  if (released.model.empty()) return "";
  const Json made = Json::parse(released.model).value("measurements", Json::object());
  if (!made.contains("error")) return "";
  const Json& error = made["error"];
  return fmt::format(
      "measured error of two columns: {:.3g} in total variation on average (95 %: {:.3g} to "
      "{:.3g}); if columns were independent: {:.3g}",
      error["two_way"].get<double>(), error["interval"][0].get<double>(),
      error["interval"][1].get<double>(), made["independent"]["two_way"].get<double>());
}

/// Public facts about the release, for people.
std::string summary(const PreparedRelease& prepared, const Domain& domain,
                    const SampleOptions& options, const std::vector<Message>& said,
                    const std::string& accuracy) {
  const Certificate& certificate = prepared.certificate();
  const std::string to = options.out ? " to " + *options.out : "";
  const ReleaseSummary facts =
      release_method(certificate.spec.method).summary(certificate, domain, to);
  std::string text = facts.released + "\n" + facts.details;
  if (!accuracy.empty()) text += accuracy + "\n";
  if (options.model) text += fmt::format("model: {}\n", *options.model);
  if (options.certificate) text += fmt::format("certificate: {}\n", *options.certificate);
  for (const Message& warning : said) text += warning.shown() + "\n";
  for (const std::string& promise : promises(certificate)) {
    text += fmt::format("promised: {}\n", promise);
  }
  for (const std::string& limit : non_promises(certificate)) {
    text += fmt::format("not promised: {}\n", limit);
  }
  return text + next_steps(prepared, options);
}

/// Puts a release in the files, and on standard output, that it goes to. `told` holds other facts
/// for a program.
void put(const SampleOptions& options, const Domain& domain, const std::string& csv,
         const Released& released, const Json& told) {
  // Standard output first: records that nobody got need no certificate.
  if (!options.out && !options.json) {
    std::fwrite(csv.data(), 1, csv.size(), stdout);
    flush_output();
  }
  // The certificate first: whenever the program is killed, no records are without theirs.
  std::vector<OutputFile> files;
  if (options.certificate) files.push_back({*options.certificate, released.certificate});
  if (options.model) files.push_back({*options.model, model_file_text(released.model, domain)});
  if (options.out) files.push_back({*options.out, csv});
  write_files(files);
  if (!options.json) return;
  Json json;
  json["out"] = options.out ? Json(*options.out) : Json(nullptr);
  if (!options.out) json["csv"] = csv;
  json["certificate"] = Json::parse(released.certificate);
  json.update(told);
  print_json(json);
}

/// Facts other than records and certificate, for programs.
Json told_json(const Certificate& certificate, const Domain& domain,
               std::span<const Message> said) {
  Json json = Json::object();
  if (kDrawMethods.has(certificate.spec.method)) {
    const WorstCaseRisk risk = draw_risk(certificate, domain);
    json["draw"] = {{"largest_lift", risk.largest_lift > 0 ? Json(risk.largest_lift) : nullptr},
                    {"total_variation", risk.quoted_total_variation()}};
  }
  json["warnings"] = json_of(said);
  return json;
}

/// The content of a pipe, which is read once; empty for a file. In the local model units may be
/// many and their records more, so a pipe is refused there.
std::optional<std::string> piped(const std::string& path, const ReleaseSpec& spec) {
  if (!is_stream(path)) return std::nullopt;
  refuse_if(kDrawMethods.has(spec.method), "not-repeatable", "data",
            "the private data must be a file that can be read twice, but {} is a pipe or a device",
            path);
  return LineReader(path).bytes();
}

/// A refusal of a part of the spec, with the spec's file.
[[noreturn]] void refuse_in_spec(const std::string& file, const InvalidInput& refused) {
  const auto is_part = [&](const Part& part) {
    return *part.flag != '\0' && refused.parameter() == parameter_of(part.flag);
  };
  const auto parts = spec_parts();
  const bool is_there = std::any_of(parts.begin(), parts.end(), is_part);
  if (!is_there || !refused.file().empty()) throw;
  throw InvalidInput(refused, fmt::format("{}: {}", file, refused.what()), Concern::in_file(file));
}

int run(SampleOptions options, const ReleaseSpec& spec) {
  if (options.print_spec) {
    fmt::print("{}", spec_text(spec));
    flush_output();
    return kSuccess;
  }
  const std::string& path = needed(options.data, "--data");
  if (options.model && !kPublishedModels.has(spec.method)) {
    refuse_input("not-for-this-method", "model-out", {WayOut::leave("model-out")},
                 "--model-out is for {}, but the method is {}", kPublishedModels.text(),
                 name_of(spec.method));
  }
  options.ledger.validate(path);
  if (options.threads) require_between("threads", *options.threads, 1, kMostThreads);
  if (options.out && !options.certificate && !is_stream(*options.out)) {
    options.certificate = *options.out + ".certificate.json";
  }
  if (options.ledger.ledger && !options.certificate && !options.json) {
    throw InvalidInput(
        "missing-parameter",
        "give --out, --certificate or --json with --ledger: without one of them, the certificate "
        "of the release that is charged would be lost",
        "out", {WayOut::set("out"), WayOut::set("certificate")});
  }
  const std::optional<std::string> bytes = piped(path, spec);
  const PublicFiles inputs(path, bytes);
  // Faults of the domain's file are reported before faults of the data.
  const Domain domain = naming_parts(spec, [&] { return inputs.domain(spec.domain); });
  const CsvSource table(path, bytes, thread_count(options.threads.value_or(0)));
  std::vector<std::string> declared = domain.names();
  declared.insert(declared.end(), spec.unit.names().begin(), spec.unit.names().end());
  std::optional<CountedSource> counted;
  if (options.counts_column) counted.emplace(table, *options.counts_column, declared);
  const Source& data = counted ? static_cast<const Source&>(*counted) : table;
  // Before units, or the counts of a column that is taken by mistake, are added up.
  if (counted || spec.unit) require_columns(data, domain, spec.unit);
  const auto prepared = prepare(spec, inputs, public_count(spec, data));
  prepared->require(data);
  // Before anything is drawn, so that a name that cannot be written is refused and not discovered.
  validate_outputs(options, spec);
  const Certificate& certificate = prepared->certificate();
  std::optional<ReleaseReport> report;
  if (!options.json && !options.explain) report = release_report(*prepared, domain);
  std::vector<Message> said = report ? report->warnings : prepared->warnings();
  if (auto noise =
          release_method(spec.method).noise_condition(certificate, prepared->error(), domain)) {
    add_message(said, std::move(*noise));
  }
  add_messages(said, domain.warnings());
  Json beside = options.json ? told_json(certificate, domain, said) : Json::object();
  std::optional<ChargedLedger> ledger;
  std::optional<Charging> charging;
  if (options.ledger.ledger) {
    ledger.emplace(*options.ledger.ledger);
    charging.emplace(Charging{*ledger, options.ledger.data_set.value_or(""),
                              options.ledger.no_total, data_file_at(path),
                              options.ledger.another_data_set});
  }
  std::string csv;
  CsvSink rows(csv);
  const Released released = release(*prepared, data, rows, charging, options.threads.value_or(0));
  if (ledger) beside["ledger"] = ledger->json();
  if (const auto made = measurements_of(released, domain)) {
    add_messages(said, measured_warnings(*made));
    if (options.json) beside["warnings"] = json_of(said);
  }
  put(options, domain, csv, released, beside);
  say_when_ended("");
  if (options.json) return kSuccess;
  const std::string accuracy = accuracy_of(released);
  std::string charge;
  if (ledger) {
    const bool replaces = spec.hides_count();
    charge = options.explain ? ledger->text(replaces ? kChargedAsReplacing : "")
                             : ledger->brief(replaces ? " (replacing a row)" : "");
  }
  tell_lines(report ? brief(certificate, domain, options, *report, said, accuracy, charge)
                    : protection_note(spec) + summary(*prepared, domain, options, said, accuracy) +
                          charge);
  return kSuccess;
}

int run(const SampleOptions& options, const CLI::App& command, std::optional<Method> method) {
  if (!options.spec) return run(options, spec_for(options, command, method));
  speak(Speech::kFile);  // to the end: a refusal is written after this function
  const ReleaseSpec spec = spec_for(options, command, method);
  try {
    return run(options, spec);
  } catch (const InvalidInput& refused) {
    refuse_in_spec(*options.spec, refused);
  }
}

}  // namespace

void add_sample(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "sample",
      session.method
          ? fmt::format("Release records drawn from private data, by method {}\n\n{}",
                        name_of(*session.method), method_help(*session.method))
          : fmt::format(
                "Release records drawn from private data\n\n"
                "mollify sample METHOD --help lists the flags of a method:\n{}\n"
                "No value in the data makes a release fail or print more: run mollify check "
                "first. Randomness comes from the operating system; there is no seed.",
                methods_help()));
  const auto options = std::make_shared<SampleOptions>();
  command.add_option("--data", options->data, "the private CSV file")->type_name("FILE");
  command
      .add_option("--counts-column", options->counts_column,
                  "column with how many records each row counts as\n"
                  "By default each row is one. A row counts as 2^40 at most, and one outcome of a "
                  "unit or a table as 2^53. In method central without --unit all rows together "
                  "count as 2^40 at most")
      ->type_name("COLUMN");
  CLI::Option* const spec =
      add_text(command, "--spec", options->spec, "FILE",
               "the release as a JSON file, instead of a method's flags\n--print-spec writes one");
  if (session.method) spec->group("");  // taken only to be refused
  command.add_flag("--print-spec", options->print_spec,
                   "print the flags as a JSON spec, and release nothing");
  add_part_flags(command, spec_parts(), session.methods());
  if (session.method && kDrawMethods.has(*session.method)) {
    command.get_option("--count")->description("how many records to release (default: 1)");
  }
  options->ledger.add_to(command);
  command.add_option("--out", options->out, "CSV file of the records (default: standard output)")
      ->type_name("FILE");
  command
      .add_option("--certificate", options->certificate,
                  "the certificate's file (default: OUT.certificate.json)")
      ->type_name("FILE");
  CLI::Option* const model = add_text(command, "--model-out", options->model, "FILE",
                                      "file of the model, from which generate draws rows");
  if (session.method && !kPublishedModels.has(*session.method)) model->group("");
  command.add_flag("--explain", options->explain,
                   "print the promise, its limits and the next steps");
  command.add_flag("--overwrite", options->overwrite, "replace the files that are there");
  command.add_flag("--json", options->json, "print certificate (and records) as JSON");
  add_whole_number(command, "--threads", options->threads,
                   "number of threads (default: one for each processor)");
  command.callback(
      [options, &session, &command] { session.status = run(*options, command, session.method); });
}

}  // namespace mollify::cli
