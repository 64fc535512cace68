// mollify plan and advise.
#include "release/plan.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "analysis/advice.h"
#include "base/names.h"
#include "base/progress.h"
#include "cli/main.h"
#include "cli/options.h"
#include "core/invalid_input.h"
#include "formats/public_files.h"
#include "release/method.h"

namespace mollify::cli {

// -----------------------------------------------------------------------------------------------
// mollify plan.

namespace {

/// A question for each epsilon of a list.
std::vector<PlanQuestion> questions_of(const Json& parts) {
  std::vector<PlanQuestion> questions;
  for (const Json& one : for_each_epsilon(parts)) questions.push_back(plan_question_of(one, ""));
  return questions;
}

}  // namespace

void add_plan(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "plan",
      session.method
          ? fmt::format(
                "Predict what a release by method {} can do, before any data is opened\n\n{}\n\n{}",
                name_of(*session.method), release_method(*session.method).profile().plan_help,
                method_help(*session.method))
          : fmt::format(
                "Predict what a release can do, before any data is opened\n\n"
                "mollify plan METHOD --help lists the flags of a method:\n{}\nGive all but one of "
                "error, number of records and budget, and plan finds that one. It reads nothing "
                "private. --epsilon 0.5,1,2 asks for each.",
                methods_help()));
  add_part_flags(command, plan_parts(), session.methods());
  take_every_mechanism(command);
  const auto as_json = std::make_shared<bool>(false);
  command.add_flag("--json", *as_json, "print as JSON");
  command.callback([as_json, &command, &session] {
    std::vector<PlanReport> reports;
    std::optional<Elapsed> elapsed("planning");
    const std::vector<PlanQuestion> questions =
        questions_of(given_parts(command, plan_parts(), session.method));
    const PublicFiles inputs;
    for (const PlanQuestion& question : questions) reports.push_back(plan(question, inputs));
    elapsed.reset();
    if (questions.front().domain)
      tell_warnings(inputs.domain(*questions.front().domain).warnings());
    print_answer(plan_answer(reports), *as_json);
    const bool served = std::any_of(reports.begin(), reports.end(),
                                    [](const PlanReport& one) { return one.is_served(); });
    session.status = served ? kSuccess : kFailure;
  });
}

// -----------------------------------------------------------------------------------------------
// mollify advise.

namespace {

struct AdviseOptions {
  std::optional<std::string> purpose, protect, method, domain, unit, columns;
  std::optional<std::uint64_t> n, count;
  std::optional<double> epsilon, delta, alpha;
  std::optional<std::string> covariance;
  std::vector<std::string> logarithms;
  bool accept_large_delta = false;
  bool json = false;
};

std::vector<std::uint64_t> sizes_of(const std::string& text) {
  std::vector<std::uint64_t> sizes;
  for (const std::string& size : number_list(text, "columns")) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), value);
    if (error != std::errc() || end != size.data() + size.size() || value < 1 ||
        value > std::uint64_t{1} << 32U) {
      throw InvalidInput(
          "malformed-text",
          fmt::format("--columns takes whole numbers from 1 to 4294967296, separated by commas, "
                      "but \"{}\" is not "
                      "one",
                      size),
          "columns");
    }
    sizes.push_back(value);
  }
  return sizes;
}

int run(const AdviseOptions& options) {
  if (!options.purpose) {
    throw MissingFlag{"--purpose"};
  }
  AdviceQuestion question{.purpose = known_value<Purpose>("purpose", *options.purpose),
                          .records = options.n,
                          .outputs = options.count,
                          .unit = options.unit,
                          .epsilon = options.epsilon,
                          .delta = options.delta,
                          .accept_large_delta = options.accept_large_delta,
                          .error = options.alpha,
                          .logarithms = options.logarithms};
  if (options.protect) question.protect = known_value<Protected>("protect", *options.protect);
  if (options.method) question.method = known_value<Method>("method", *options.method);
  if (options.domain) question.domain = SpecDomain{*options.domain};
  if (options.columns) question.column_sizes = sizes_of(*options.columns);
  if (options.covariance) question.covariance = PublicFile{*options.covariance};
  const PublicFiles inputs;
  const Advice advice = advise(question, inputs);
  if (question.domain) tell_warnings(inputs.domain(*question.domain).warnings());
  Answer answer = advice_answer(advice);
  answer.warnings.clear();  // which its text has
  print_answer(answer, options.json);
  return advice.chosen ? kSuccess : kFailure;
}

}  // namespace

void add_advise(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "advise",
      "Recommend a release, with its error and the commands to run\n\n"
      "Give what the records are for, what to protect and how much there is. advise reads nothing "
      "private. Exit status 1 if no budget is enough.\n\n"
      "If --purpose is estimates and nobody needs records, a frequency oracle has a smaller error "
      "at the same epsilon: subset selection has variance s(1-s)/(n(p-s)^2) for a rare value, with "
      "p = dE/(dE+k-d), s = (p(d-1)+(1-p)d)/(k-1), E = e^epsilon and d near k/(E+1); randomized "
      "response is d = 1.");
  const auto options = std::make_shared<AdviseOptions>();
  add_text(
      command, "--purpose", options->purpose, "NAME",
      "records, estimates, sample or table\nrecords: a realistic one of each person. estimates: of "
      "the population. sample: a small table. table: a whole one");
  add_text(
      command, "--protect", options->protect, "NAME",
      "person, row or table\nperson: everything about each. row: each row. table: all of it, and "
      "so any group");
  add_text(
      command, "--method", options->method, "METHOD",
      fmt::format("a method, instead of --protect or with it\nOne of {}", all_names<Method>()));
  add_whole_number(command, "--n", options->n, "how many persons, or rows");
  add_text(command, "--domain", options->domain, "FILE", "the public domain, YAML");
  add_text(command, "--columns", options->columns, "NUMBER,...",
           "how many values each column has, instead of a domain");
  add_whole_number(command, "--count", options->count,
                   "records to release per person, or in all (purpose records: 1)");
  add_text(command, "--unit", options->unit, "COLUMN", "column that names the person of each row");
  add_number(
      command, "--epsilon", options->epsilon,
      "the budget, if you know it (default: advise finds it)\nIt tries 0.5, 1, 2, 4 and 8, and "
      "takes the first that is enough");
  add_number(command, "--delta", options->delta,
             "probability of failure (default: 1/(100 n) or less)");
  add_number(
      command, "--alpha", options->alpha,
      "the error you accept (default: 0.1; persons' estimates: 0.01)\nTotal variation, or of "
      "estimates the standard error of a share of one half");
  command.add_flag("--accept-large-delta", options->accept_large_delta,
                   "accept a --delta of 1/n or more");
  command.add_option("--log", options->logarithms, "columns whose logarithms are Gaussian")
      ->delimiter(',')
      ->type_name("COLUMNS");
  add_text(command, "--covariance", options->covariance, "FILE",
           "public CSV of the covariance, for method gaussian");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
