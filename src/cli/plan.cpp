// mollify plan: what a release can do for a user, before any data.
#include <fmt/format.h>

#include "command.h"
#include "io/public_files.h"
#include "release/plan_model.h"
#include "spec_options.h"

namespace mollify::cli {

void add_plan(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "plan",
      "Say what a release can do, before any data is opened\n\n"
      "Which total variation, how many outcomes or outputs, how much budget: leave one out and it "
      "is found.\n"
      "Nothing private is read.\n\n"
      "Models local and integral: the total variation at worst, the largest lift, bounds on a "
      "region's\n"
      "probability, and what a larger epsilon, fewer outcomes or a better reference would buy. "
      "With "
      "--alpha:\n"
      "the least --epsilon, or the greatest --k or --count.\n\n"
      "Model central: give all but one of --n, --k (or --domain), --epsilon and --alpha, and it is "
      "found for\n"
      "every mechanism; --delta is 0 and --count 1 unless given. With those four given, --count or "
      "--delta is\n"
      "found. Neighbouring data sets replace one record, so n is public.\n\n"
      "With --family gaussian besides: samples of a Gaussian in --dimension coordinates, measured "
      "in\n"
      "standard deviations of the data. Give all but one of --n, --dimension, the budget "
      "(--epsilon and\n"
      "--delta, or --rho), --alpha and --count. What is promised about accuracy holds if the data "
      "are\n"
      "Gaussian with the covariance and within the bounds that are declared; privacy holds "
      "whatever the\n"
      "data are.");
  add_part_flags(command, plan_parts());
  const auto as_json = std::make_shared<bool>(false);
  command.add_flag("--json", *as_json, "print as JSON");
  command.callback([as_json, &command, &session] {
    const PlanReport report =
        plan(plan_question_of(given_parts(command, plan_parts()), ""), PublicFiles());
    fmt::print("{}", *as_json ? plan_json(report) : plan_text(report));
    session.status = report.is_served() ? kSuccess : kFailure;
  });
}

}  // namespace mollify::cli
