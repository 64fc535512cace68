// mollify plan and advise.
#include "release/plan.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "analysis/advice.h"
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
    const std::vector<PlanQuestion> questions =
        questions_of(given_parts(command, plan_parts(), session.method));
    const PublicFiles inputs;
    tell_what_takes_long(questions.front(), inputs);
    std::optional<Elapsed> elapsed("planning");
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

int run_advise(const CLI::App& command, bool as_json) {
  const AdviceQuestion question = advice_question_of(given_parts(command, advise_parts()), "");
  const PublicFiles inputs;
  std::optional<Elapsed> elapsed("advising");
  const Advice advice = advise(question, inputs);
  elapsed.reset();
  if (question.domain) tell_warnings(inputs.domain(*question.domain).warnings());
  Answer answer = advice_answer(advice);
  answer.warnings.clear();  // which its text has
  print_answer(answer, as_json);
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
  add_part_flags(command, advise_parts());
  const auto as_json = std::make_shared<bool>(false);
  command.add_flag("--json", *as_json, "print as JSON");
  command.callback(
      [as_json, &command, &session] { session.status = run_advise(command, *as_json); });
}

}  // namespace mollify::cli
