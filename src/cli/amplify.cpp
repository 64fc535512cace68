// mollify amplify: what shuffling adds to the privacy of randomized reports.
#include <memory>
#include <optional>

#include "analysis/mechanisms.h"
#include "base/progress.h"
#include "cli/main.h"

namespace mollify::cli {

namespace {

int run(const AmplifyQuestion& question, bool as_json) {
  std::optional<Elapsed> elapsed("summing over all data sets");
  Answer found = amplify(question);
  elapsed.reset();
  for (std::string& words : found.warnings) words = "WARNING: " + words;
  if (as_json) found.warnings.clear();  // which are facts of it
  return print_answer(found, as_json);
}

}  // namespace

void add_amplify(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "amplify",
      "Say how private shuffled reports are, in proved numbers\n\n"
      "Every record goes through k-ary randomized response with epsilon0; all reports leave\n"
      "shuffled. Give --k and three of --n, --epsilon0, --epsilon and --delta: the fourth is "
      "found,\n"
      "with a proved bound, what two data sets attain, and the papers' closed form in its regime.\n"
      "Neighbouring data sets replace one record, so the number of records n is public.\n"
      "Nothing private is read.");
  const auto question = std::make_shared<AmplifyQuestion>();
  const auto as_json = std::make_shared<bool>(false);
  add_whole_number(command, "--n", question->n, "number of records; it is public");
  add_whole_number(command, "--k", question->k, "number of outcomes");
  add_number(command, "--epsilon0", question->epsilon0, "epsilon of one report, up to 100");
  add_number(command, "--epsilon", question->epsilon, "epsilon of all reports together");
  add_number(command, "--delta", question->delta, "delta of all reports together");
  add_number(command, "--rate", question->rate,
             "each record is first kept with this probability (default: 1)");
  add_whole_number(command, "--chosen", question->chosen,
                   "so many of the n records are first chosen, without replacement");
  command.add_flag("--accept-large-delta", question->accept_large_delta,
                   "go on even where delta is 1/n or more");
  command.add_flag("--json", *as_json, "print as JSON");
  command.callback([question, as_json, &session] { session.status = run(*question, *as_json); });
}

}  // namespace mollify::cli
