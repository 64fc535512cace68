// mollify amplify, answer, check, compare, estimate and tune: questions and their answers.
#include "methods/answers/answers.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "accounting/privacy.h"
#include "analysis/check.h"
#include "analysis/compare.h"
#include "analysis/estimate.h"
#include "analysis/mechanisms.h"
#include "analysis/tune.h"
#include "base/json.h"
#include "base/named.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "cli/main.h"
#include "cli/options.h"
#include "cli/output.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "formats/csv.h"
#include "formats/domain_yaml.h"
#include "formats/public_files.h"
#include "formats/released_rows.h"
#include "formats/text_files.h"
#include "methods/answers/questions.h"
#include "release/method.h"

namespace mollify::cli {

// -----------------------------------------------------------------------------------------------
// mollify amplify: what shuffling adds to the privacy of randomized reports.

namespace {

int run_amplify(const CLI::App& command, bool as_json) {
  const AmplifyQuestion question = amplify_question_of(given_parts(command, amplify_parts()), "");
  std::optional<Elapsed> elapsed("summing over all data sets");
  Answer found = amplify(question);
  elapsed.reset();
  if (as_json) found.warnings.clear();  // which are facts of it
  return print_answer(found, as_json);
}

}  // namespace

void add_amplify(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "amplify",
      "Prove how private shuffled reports are\n\n"
      "Every record goes through k-ary randomized response with epsilon0, and all reports leave "
      "shuffled. Give --k and three of --n, --epsilon0, --epsilon and --delta, and amplify finds "
      "the fourth. It reads nothing private.\n\n"
      "It prints a proved bound, what two data sets attain, and the papers' closed form in its "
      "regime. Neighbouring data sets replace one record, so the number of records n is public.");
  add_part_flags(command, amplify_parts());
  const auto as_json = std::make_shared<bool>(false);
  command.add_flag("--json", *as_json, "print as JSON");
  command.callback(
      [as_json, &command, &session] { session.status = run_amplify(command, *as_json); });
}

// -----------------------------------------------------------------------------------------------
// mollify check.

namespace {

struct CheckOptions {
  std::optional<std::string> data, domain;
  bool json = false;
};

int run(const CheckOptions& options, const CLI::App& command) {
  Domain domain =
      naming_part("domain", [&] { return read_domain(needed(options.domain, "--domain")); });
  const std::string& data = needed(options.data, "--data");
  const CheckQuestion question =
      check_question_of(given_parts(command, check_parts()), "", std::move(domain), data);
  const Answer answer = check(question, PublicFiles());
  print_answer(answer, options.json);
  return answer.json["findings"] == 0 ? kSuccess : kFailure;
}

}  // namespace

void add_check(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "check",
      "List the values of a file that its domain does not declare\n"
      "\nNOT PRIVATE: for the data holder, before a release. A release maps such values silently, "
      "because a refusal would reveal them. Exit status 1 if there are findings. check and compare "
      "end at a line of more than 1 GiB; a release reads it to its end.\n"
      "\nWith --reference and --units, check also counts the records that public files share with "
      "the data: a file made from private records is not public.");
  const auto options = std::make_shared<CheckOptions>();
  command.add_option("--data", options->data, "the private CSV file")->type_name("FILE");
  command.add_option("--domain", options->domain, "the public domain, YAML")->type_name("FILE");
  add_part_flags(command, check_parts());
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session, &command] { session.status = run(*options, command); });
}

// -----------------------------------------------------------------------------------------------
// mollify compare.

namespace {

struct CompareOptions {
  std::optional<std::string> data, released, model;
  bool json = false;
};

/// The spec in the certificate next to released rows, if there is one.
std::optional<ReleaseSpec> certified_spec(const std::string& released) {
  const std::string name = released + ".certificate.json";
  std::error_code failed;
  if (!std::filesystem::is_regular_file(name, failed)) return std::nullopt;
  try {
    return parsed_file(name, parse_certificate).spec;
  } catch (const InvalidInput&) {  // of rows that something else made
    return std::nullopt;
  }
}

/// The questions that the release was made for, and those that are asked more, each once.
HolderQuestions asked_questions(const CompareOptions& options, Json& parts,
                                const std::optional<ReleaseSpec>& certified,
                                const PublicFiles& inputs) {
  std::vector<std::string> texts;
  if (certified) {
    const Json spec = spec_json(*certified);
    texts = spec.value("questions", texts);
  }
  if (parts.contains("questions")) {
    for (const std::string& one : parts["questions"].get<std::vector<std::string>>())
      texts.push_back(one);
    parts.erase("questions");
  }
  HolderQuestions asked = holder_questions(texts);
  if (!options.model) return asked;
  if (asked.questions.empty()) {
    refuse_without("model", "questions");
  }
  const PartReader reader(spec_parts(), parts, "", "a comparison");
  const auto domain = reader.find_domain("/domain");
  if (!domain) throw MissingFlag{"--domain"};
  asked.model = naming_part("model", [&] {
    return read_measurements_file(*options.model, inputs.domain(*domain)).measurements;
  });
  return asked;
}

/// Questions are answered from rows that are there.
bool is_asked_of_released(const Part& part) {
  return is_of_released(part) || part.place == std::string_view("/questions");
}

Answer answer_of(const CompareOptions& options, const CLI::App& command,
                 std::optional<Method> method) {
  if (!method && !options.released) {
    refuse_input(
        "missing-parameter", "method", {WayOut::set("method"), WayOut::set("released")},
        "the method is missing: mollify compare METHOD, METHOD being {}; or give --released",
        all_names<Method>(" or "));
  }
  std::string other = method ? fmt::format("method {}", name_of(*method)) : std::string();
  if (options.released && !method) {
    std::vector<Part> others;
    for (const Part& part : spec_parts()) {
      if (!is_asked_of_released(part)) others.push_back(part);
    }
    other = first_given_part(command, others);
  }
  if (options.released && !other.empty()) {
    refuse_input(
        "superfluous-parameter", method ? "method" : parameter_of(other),
        {WayOut::leave(method ? "method" : parameter_of(other)), WayOut::leave("released")},
        "--released compares rows that are there, however they were made, but {} is given", other);
  }
  const std::string& data = needed(options.data, "--data");
  Json parts = given_parts(command, spec_parts(), method);
  std::optional<ReleaseSpec> certified;
  if (options.released) certified = certified_spec(*options.released);
  if (certified && certified->unit && !parts.contains("unit")) {
    tell_lines(fmt::format("note: {}.certificate.json protects units of {}, so these are compared",
                           *options.released, printable(certified->unit.words())));
    parts["unit"] = certified->unit.json();
  }
  if (parts.contains("roster") && !parts.contains("unit")) throw MissingFlag{"--unit"};
  const PublicFiles inputs(data);
  const CsvSource source(data);
  if (!options.released) {
    if (options.model) refuse_without("model", "released");
    return compare(for_each_epsilon(parts), inputs, source);
  }
  const HolderQuestions asked = asked_questions(options, parts, certified, inputs);
  return compare_released(parts, inputs, source, CsvSource(*options.released), *options.released,
                          asked);
}

}  // namespace

void add_compare(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "compare",
      "Compare a release, or its output distribution, with the real data\n"
      "\nNOT PRIVATE: for the data holder. mollify compare METHOD judges a release to come, and "
      "mollify compare --released FILE rows that are there. --epsilon 0.5,1,2 and --mechanism all "
      "make one table.\n\nThe means treat a number as the middle of its bin. The column's real "
      "mean is printed below, with a warning if the bins alone move it by more than a tenth of the "
      "column's standard deviation.\n\nA choice that is made by looking at private data reveals "
      "some of it: choose with plan, and with tune on public units.");
  const auto options = std::make_shared<CompareOptions>();
  command.add_option("--data", options->data, "the private CSV file")->type_name("FILE");
  add_text(command, "--released", options->released, "FILE",
           "CSV of released rows, instead of a release to come\nGive --data, --domain, --unit, "
           "--units and --log as they were given to sample. Its questions, and --questions, are "
           "answered from both tables");
  add_text(command, "--model", options->model, "FILE",
           "model of released rows: answers from its noisy counts, too");
  add_part_flags(command, spec_parts(), session.method ? session.methods() : kEveryMethod);
  if (!session.method && !session.lists_all) {
    // The others are taken only to be refused by what they are for.
    for (const Part& part : spec_parts()) {
      if (*part.flag != '\0' && !is_asked_of_released(part))
        command.get_option(part.flag)->group("");
    }
  } else {
    command.get_option("--count")->description(
        "records to release, for each unit or table (default: 1)");
    take_every_mechanism(command);
  }
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session, &command] {
    session.status = print_answer(answer_of(*options, command, session.method), options->json);
  });
}

// -----------------------------------------------------------------------------------------------
// mollify estimate: the population, from released records and their certificate.

namespace {

struct EstimateOptions {
  std::vector<std::string> released, certificates;
  std::optional<std::string> domain;
  bool json = false;
};

/// The domain of a certificate: the one given, the text that it holds, or the file that it names,
/// as named or in the certificate's folder.
Domain domain_of(const StatedCertificate& stated, const std::string& certificate,
                 const std::optional<std::string>& given) {
  if (given) return naming_part("domain", [&] { return read_domain(*given); });
  const SpecDomain& named = stated.spec.domain;
  if (named.file.empty()) return PublicFiles().domain(named);
  std::error_code error;
  if (std::filesystem::exists(named.file, error)) return read_domain(named.file);
  const std::filesystem::path beside = std::filesystem::path(certificate).parent_path() /
                                       std::filesystem::path(named.file).filename();
  if (std::filesystem::exists(beside, error)) return read_domain(beside.string());
  refuse_input("missing-parameter", "domain", {WayOut::set("domain")},
               "{} names the domain \"{}\", which is not here: say where it is with --domain",
               certificate, named.file);
}

/// A release's certificate and its counted records.
struct ReadRelease {
  StatedCertificate stated;
  ReleasedLaw law;
  Empirical records;

  ReadRelease(const std::string& released, const std::string& certificate,
              const EstimateOptions& options, const EstimateRequest& request)
      : stated(naming_part("certificate",
                           [&] { return parsed_file(certificate, parse_certificate); })),
        law(law_of(domain_of(stated, certificate, options.domain), certificate)) {
    naming_part("released", [&] {
      std::vector<std::string> columns = CsvReader(released).header();
      if (request.counts_column) std::erase(columns, *request.counts_column);
      require_released_columns(columns, released, stated.spec, law.domain(), certificate);
    });
    records = read_counted_outcomes(released, law.domain(), request.counts_column);
  }

 private:
  [[nodiscard]] ReleasedLaw law_of(const Domain& domain, const std::string& certificate) const {
    return naming_file(certificate, [&] { return ReleasedLaw(stated, certificate, domain); });
  }
};

int run(const EstimateOptions& options, const CLI::App& command) {
  if (options.released.empty()) throw MissingFlag{"--released"};
  if (options.certificates.empty()) throw MissingFlag{"--certificate"};
  if (options.released.size() != options.certificates.size()) {
    refuse_input("contradicting-parameters", "certificate", {WayOut::set("certificate")},
                 "each --released needs its own --certificate, in the same order, but there are {} "
                 "and {}",
                 options.released.size(), options.certificates.size());
  }
  const EstimateRequest request = estimate_request_of(given_parts(command, estimate_parts()), "");
  std::vector<ReadRelease> read;
  read.reserve(options.released.size());
  std::vector<CountedRelease> releases;
  for (std::size_t i = 0; i < options.released.size(); ++i) {
    const ReadRelease& one =
        read.emplace_back(options.released[i], options.certificates[i], options, request);
    releases.push_back({&one.law, &one.records, options.released[i]});
  }
  const PopulationEstimate found = estimate_population(releases, request);
  for (const ReadRelease& one : read) tell_odds(one.stated.total);
  return print_answer(estimate_answer(found, read.front().stated.spec, options.json), options.json);
}

}  // namespace

void add_estimate(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "estimate",
      "Estimate the population from released records\n"
      "\nFor the collector: estimates the distribution of all units, its marginals and means, with "
      "intervals that hold together. It reads no private data.\n"
      "\nMechanisms randomized-response, mixture, public-kernel, gaussian-curve and the shuffled "
      "ones give estimates; a band gives bounds only. Several releases of the same columns are "
      "estimated from together: repeat --released and --certificate, in the same order.\n"
      "\nIf nobody needs records, reports made for estimation alone have a smaller error. Subset "
      "selection with d = max(1, k/(E+1)) of k outcomes, E = e^epsilon, has the variance "
      "s(1-s)/(n(p-s)^2) for a frequency next to 0, p = dE/(dE+k-d), s = (p(d-1)+(1-p)d)/(k-1); "
      "randomized response is d = 1.");
  const auto options = std::make_shared<EstimateOptions>();
  command.add_option("--released", options->released, "CSV of the released records")
      ->type_name("FILE");
  command.add_option("--certificate", options->certificates, "their certificate")
      ->type_name("FILE");
  add_text(command, "--domain", options->domain, "FILE",
           "the release's domain, YAML (default: the certificate's)");
  add_part_flags(command, estimate_parts());
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session, &command] { session.status = run(*options, command); });
}

// -----------------------------------------------------------------------------------------------
// mollify answer: questions about a table, from the measurements of a synthetic one.

namespace {

struct AnswerOptions {
  std::optional<std::string> model, domain, file;
  std::vector<std::string> questions;
  bool json = false;
};

int run_answer(const AnswerOptions& options) {
  const std::string& name = needed(options.model, "--model");
  std::optional<Domain> domain;
  if (options.domain) {
    domain = naming_part("domain", [&] { return read_domain(*options.domain); });
  }
  const MeasurementsFile counts =
      naming_part("model", [&] { return read_measurements_file(name, std::move(domain)); });
  std::vector<TableQuestion> questions;
  for (const std::string& text : options.questions) questions.push_back(parse_question(text));
  if (options.file) {
    naming_part("questions-file", [&] {
      for (TableQuestion& one : parsed_file(*options.file, parse_questions)) {
        questions.push_back(std::move(one));
      }
    });
  }
  if (questions.empty())
    refuse_missing("question", "ask one, or name a file with --questions-file");
  const std::vector<Answer> answers =
      answer_questions(counts.measurements, counts.domain, questions, name);
  Json all = Json::array();
  for (const Answer& answer : answers) all.push_back(answer.json);
  const bool are_refused = std::all_of(
      all.begin(), all.end(), [](const Json& answer) { return answer.contains("refused"); });
  if (options.json) {
    print_json(all);
    return are_refused ? kBadInput : kSuccess;
  }
  for (const Answer& answer : answers)
    fmt::print("{}{}", &answer == answers.data() ? "" : "\n", answer.text);
  return are_refused ? kBadInput : kSuccess;
}

}  // namespace

void add_answer(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "answer",
      "Answer questions about a table, with error bars\n\n"
      "The model is a file of mollify sample marginals --model-out, which holds all noisy counts. "
      "Answers are made of these, not of released rows, and cost no budget. Each has a standard "
      "error and a 95 % interval, for the table and for the population that its rows are a random "
      "sample of. What was not measured is refused. It also reads noisy counts of another "
      "program, in a JSON file with their variances.\n\n"
      "Questions: \"share(happy = very) by attend\", \"mean(income) by region\", "
      "\"quantile(income, .9)\", \"table(happy, attend)\", \"income ~ age + region\", \"happy = "
      "very ~ attend + race\".");
  const auto options = std::make_shared<AnswerOptions>();
  add_text(command, "--model", options->model, "FILE", "the model, or other noisy counts");
  add_text(command, "--domain", options->domain, "FILE",
           "the domain, YAML, of a file of noisy counts that has none");
  command.add_option("question", options->questions, "a question, or several")
      ->type_name("QUESTION");
  add_text(command, "--questions-file", options->file, "FILE", "more of them, one a line");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run_answer(*options); });
}

// -----------------------------------------------------------------------------------------------
// mollify tune: where to put the band, told from public units.

namespace {

struct TuneOptions {
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
  const Json asked = given_parts(command, tune_parts());
  TuneQuestion question = tune_question_of(asked, "", {});
  if (question.data && !std::filesystem::exists(*question.data)) {
    refuse_input("unreadable-file", concern_of("data", *question.data), "{} cannot be opened: {}",
                 *question.data, why_not_opened(*question.data, ENOENT));
  }
  Json parts = given_parts(command, tuned_parts(), kUnitDraws.first());
  if (!parts.contains("privacy")) throw MissingFlag{"--epsilon"};
  if (!parts.contains("count")) parts["count"] = 1U;
  question.spec = mollify::spec_of(parts, "");
  if (question.best) require_new("--out", question.out, options.overwrite);
  const Tuning found = tune(question, PublicFiles(question.data));
  if (question.out) write_files({{*question.out, found.band}});
  return print_answer(found.answer, options.json);
}

}  // namespace

void add_tune(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "tune",
      "Choose where the band lies, from PUBLIC example units\n\n"
      "For each band, tune prints how far the units' output distributions are from their data, on "
      "average and at worst. The units must be public: a choice that is made by looking at private "
      "units reveals some of them.");
  const auto options = std::make_shared<TuneOptions>();
  add_part_flags(command, tune_parts());
  add_overwrite(command, options->overwrite);
  add_part_flags(command, tuned_parts(), kUnitDraws);
  command.get_option("--count")->description("draws of each unit (default: 1)");
  command.get_option("--c2")->description(
      "greatest density against the reference; tries minimax too");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session, &command] { session.status = run(*options, command); });
}

}  // namespace mollify::cli
