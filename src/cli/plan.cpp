// mollify plan: what a release can do for a user, before any data.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "command.h"
#include "io/public_files.h"
#include "number_list.h"
#include "progress.h"
#include "release/plan_model.h"
#include "spec_options.h"

namespace mollify::cli {
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
      "Say what a release can do, before any data is opened\n\n"
      "Which total variation, how many outcomes or outputs, how much budget: leave one out and it "
      "is found.\n"
      "Nothing private is read. --epsilon 0.5,1,2 asks for each; --mechanism all, in models local "
      "and\n"
      "integral, for each mechanism. Model central tells every mechanism in any case.\n\n"
      "Models local and integral: the total variation at worst, the largest lift, bounds on a "
      "region's\n"
      "probability, and what a larger epsilon, fewer outcomes or a better reference would buy. "
      "With --alpha:\n"
      "the least --epsilon, or the greatest --k or --count.\n\n"
      "Model central: give all but one of --n, --k (or --domain), --epsilon and --alpha, and it is "
      "found for\n"
      "every mechanism; --delta is 0 and --count 1 unless given. With those four given, --count or "
      "--delta is\n"
      "found. Neighbouring data sets replace one record, so n is public.\n\n"
      "With --family gaussian besides: samples of a Gaussian in --dimension coordinates, measured "
      "in\n"
      "standard deviations of the data, or over the columns of --domain. Give all but one of --n,\n"
      "--dimension (or --domain), the budget (--epsilon and --delta, or --rho), --alpha and "
      "--count.\n"
      "What is promised about accuracy holds if the data are Gaussian with the covariance and "
      "within\n"
      "the bounds that are declared; privacy holds whatever the data are.");
  add_part_flags(command, plan_parts());
  const auto as_json = std::make_shared<bool>(false);
  command.add_flag("--json", *as_json, "print as JSON");
  command.callback([as_json, &command, &session] {
    std::vector<PlanReport> reports;
    std::optional<Elapsed> elapsed("planning");
    const std::vector<PlanQuestion> questions = questions_of(given_parts(command, plan_parts()));
    const PublicFiles inputs;
    for (const PlanQuestion& question : questions) reports.push_back(plan(question, inputs));
    elapsed.reset();
    if (questions.front().domain) tell_undeclared(inputs.domain(*questions.front().domain));
    if (reports.size() > 1) {
      fmt::print("{}", *as_json ? plans_json(reports) : plans_text(reports));
    } else {
      fmt::print("{}", *as_json ? plan_json(reports[0]) : plan_text(reports[0]));
    }
    const bool served = std::any_of(reports.begin(), reports.end(),
                                    [](const PlanReport& one) { return one.is_served(); });
    session.status = served ? kSuccess : kFailure;
  });
}

}  // namespace mollify::cli
