// mollify compare.
#include "analysis/compare.h"

#include <vector>

#include <fmt/format.h>

#include "base/names.h"
#include "cli/main.h"
#include "cli/options.h"
#include "core/invalid_input.h"
#include "formats/csv.h"
#include "formats/public_files.h"
#include "release/method.h"

namespace mollify::cli {

namespace {

struct CompareOptions {
  std::optional<std::string> data, released;
  bool json = false;
};

Answer answer_of(const CompareOptions& options, const CLI::App& command,
                 std::optional<Method> method) {
  if (!method && !options.released) {
    throw InvalidInput(
        fmt::format("a method is needed (mollify compare METHOD, one of {}), or --released, but "
                    "neither is given",
                    all_names<Method>()));
  }
  std::string other = method ? fmt::format("method {}", name_of(*method)) : std::string();
  if (options.released && !method) {
    std::vector<Part> others;
    for (const Part& part : spec_parts()) {
      if (!is_of_released(part)) others.push_back(part);
    }
    other = first_given_part(command, others);
  }
  if (options.released && !other.empty()) {
    throw InvalidInput(fmt::format(
        "--released compares rows that are there, however they were made, but {} is given", other));
  }
  const std::string& data = needed(options.data, "--data");
  const Json parts = given_parts(command, spec_parts(), method);
  if (parts.contains("roster") && !parts.contains("unit")) refuse_missing("--unit");
  const PublicFiles inputs(data);
  const CsvSource source(data);
  if (!options.released) return compare(for_each_epsilon(parts), inputs, source);
  return compare_released(parts, inputs, source, CsvSource(*options.released), *options.released);
}

}  // namespace

void add_compare(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "compare",
      "Show how close the law of a release is to the truth, beside its reference\n\n"
      "mollify compare METHOD ...: a release to come. --epsilon 0.5,1,2 and --mechanism all make "
      "one\ntable of distances. mollify compare --released FILE: rows that are there.\n\n"
      "The means of truth and law take a number for the middle of its bin; the column's real mean\n"
      "stands below, and a warning where the bins alone move it by more than a tenth of the\n"
      "column's standard deviation.\n\n"
      "NOT PRIVATE: for the data holder, to see what a release is worth. Whatever of a release is\n"
      "chosen by looking at private data tells of them: choose with plan, and with tune on public\n"
      "units.");
  const auto options = std::make_shared<CompareOptions>();
  command.add_option("--data", options->data, "the private CSV file")->type_name("FILE");
  add_text(command, "--released", options->released, "FILE",
           "compare the data with these released rows, instead of a release to come; with --data "
           "and --domain, and --unit, --units and --log where they were given to sample");
  add_part_flags(command, spec_parts(), session.method ? session.methods() : kEveryMethod);
  if (!session.method && !session.lists_all) {
    // The others are taken only to be refused by what they are for.
    for (const Part& part : spec_parts()) {
      if (*part.flag != '\0' && !is_of_released(part)) command.get_option(part.flag)->group("");
    }
  } else {
    command.get_option("--count")->description(
        "records to release: for each unit, or for the table without --unit (default: 1)");
  }
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session, &command] {
    session.status = print_answer(answer_of(*options, command, session.method), options->json);
  });
}

}  // namespace mollify::cli
