// mollify plan and advise.
#include "release/plan.h"

#include <algorithm>
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
                "Say what a release by method {} can do, before any data is opened\n\n{}\n\n{}",
                name_of(*session.method), release_method(*session.method).help(),
                release_method(*session.method).plan_help())
          : fmt::format(
                "Say what a release can do, before any data is opened\n\n"
                "mollify plan METHOD ...: which total variation, how many outcomes or outputs, how "
                "much budget:\nleave one out and it is found. Nothing private is read. --epsilon "
                "0.5,1,2 asks for each.\n\n{}\nmollify plan METHOD --help lists the flags of a "
                "method.",
                methods_help()));
  add_part_flags(command, plan_parts(), session.methods());
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
    if (questions.front().domain) tell_undeclared(inputs.domain(*questions.front().domain));
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
    const double value = number_of(size, "columns");
    if (!(value >= 1 && value <= 0x1p32 &&
          value == static_cast<double>(static_cast<std::uint64_t>(value)))) {
      throw InvalidInput(fmt::format(
          "columns must be whole numbers between commas, how many values each column has, but are "
          "\"{}\"",
          text));
    }
    sizes.push_back(static_cast<std::uint64_t>(value));
  }
  return sizes;
}

int run(const AdviseOptions& options) {
  if (!options.purpose) {
    throw InvalidInput(
        "--purpose (records, estimates, sample or table) is needed, but is not given");
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
  if (question.domain) tell_undeclared(inputs.domain(*question.domain));
  Answer answer = advice_answer(advice);
  answer.warnings.clear();  // which its text has
  print_answer(answer, options.json);
  return advice.chosen ? kSuccess : kFailure;
}

}  // namespace

void add_advise(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "advise",
      "Say which release serves a question, what to expect of it, and the commands to run\n\n"
      "Nothing private is read. Exit status 1 if no budget serves. Say what the records are for, "
      "what is to be protected and how much "
      "there is.\n\n"
      "Where --purpose estimates is asked and nobody needs records, a frequency oracle has a "
      "smaller error at the\n"
      "same epsilon: subset selection has variance s(1-s)/(n(p-s)^2) for a rare value, with p = "
      "dE/(dE+k-d),\n"
      "s = (p(d-1)+(1-p)d)/(k-1), E = e^epsilon and d near k/(E+1); randomized response is d = 1.");
  const auto options = std::make_shared<AdviseOptions>();
  add_text(command, "--purpose", options->purpose, "NAME",
           "records: a realistic one of each person. estimates: of the population. sample: a small "
           "table. table: a whole one");
  add_text(command, "--protect", options->protect, "NAME",
           "person: everything about each. row: each row. table: all of it, and any group");
  add_text(command, "--method", options->method, "METHOD",
           fmt::format("{}: instead of --protect, or one of those that protect it",
                       all_names<Method>()));
  add_whole_number(command, "--n", options->n, "how many persons, or rows");
  add_text(command, "--domain", options->domain, "FILE", "the public domain, YAML");
  add_text(command, "--columns", options->columns, "NUMBER,...",
           "how many values each column has, instead of a domain");
  add_whole_number(command, "--count", options->count,
                   "records to release: for each person (default: 1), or in all from one table");
  add_text(command, "--unit", options->unit, "COLUMN",
           "column that names the person of each row; persons are protected then");
  add_number(command, "--epsilon", options->epsilon,
             "the budget, if it is settled (default: the least of 0.5, 1, 2, 4 and 8 that serves)");
  add_number(command, "--delta", options->delta,
             "where rows or persons of a table are protected (default: at most a hundredth of 1/n, "
             "and 1e-06)");
  add_number(command, "--alpha", options->alpha,
             "the error that is still good: total variation (default: 0.1), or of estimates the "
             "standard error of a share of one half (default: 0.01)");
  command.add_flag("--accept-large-delta", options->accept_large_delta,
                   "look at a --delta of 1/n or more all the same");
  command
      .add_option("--log", options->logarithms,
                  "for methods gaussian and gaussian-model: columns whose logarithms are Gaussian")
      ->delimiter(',')
      ->type_name("COLUMNS");
  add_text(command, "--covariance", options->covariance, "FILE",
           "for method gaussian: the public covariance, CSV (default: 1 in each column)");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
