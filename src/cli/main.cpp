// The mollify command.
#include <fcntl.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accounting/nearest_name.h"
#include "command.h"
#include "completion.h"
#include "kernel/core/invalid_input.h"
#include "mollify/version.h"
#include "progress.h"

namespace {

/// One line of it: messages of libraries may have several.
void complain(std::string message) {
  for (char& letter : message) {
    if (letter == '\n' || letter == '\r') letter = ' ';
  }
  while (!message.empty() && message.back() == ' ') message.pop_back();
  mollify::cli::tell("mollify: " + mollify::cli::printable(message) + "\n");
}

/// Without this, a program started with a standard stream closed would give that stream's number
/// to the next file it opens, and print into it. The stand-in refuses what it was closed to.
void occupy_standard_streams() {
  for (const int descriptor : {0, 1, 2}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // The least free number is taken, and that is this one.
    static_cast<void>(::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY));
  }
}

/// Lists the commands by the first line of what they say about themselves.
class BriefCommands : public CLI::Formatter {
 public:
  std::string make_subcommand(const CLI::App* command) const override {
    const std::string description = command->get_description();
    return fmt::format("  {:<12}{}\n", command->get_name(),
                       description.substr(0, description.find('\n')));
  }
};

/// In the order in which help lists them.
constexpr struct {
  std::string_view name;
  void (*add)(CLI::App& app, mollify::cli::Session& session);
} kCommands[] = {{"sample", mollify::cli::add_sample},
                 {"generate", mollify::cli::add_generate},
                 {"verify", mollify::cli::add_verify},
                 {"ledger", mollify::cli::add_ledger},
                 {"advise", mollify::cli::add_advise},
                 {"plan", mollify::cli::add_plan},
                 {"amplify", mollify::cli::add_amplify},
                 {"risk", mollify::cli::add_risk},
                 {"law", mollify::cli::add_law},
                 {"compare", mollify::cli::add_compare},
                 {"estimate", mollify::cli::add_estimate},
                 {"check", mollify::cli::add_check},
                 {"domain", mollify::cli::add_domain},
                 {"candidates", mollify::cli::add_candidates},
                 {"reference", mollify::cli::add_reference},
                 {"mbde", mollify::cli::add_mbde},
                 {"reproduce", mollify::cli::add_reproduce},
                 {"tune", mollify::cli::add_tune}};

/// Adds the command of this name, or all of them if none is named, since making the
/// options of all takes longer than most commands do. Throws InvalidInput if there is no such
/// command.
void add_commands(CLI::App& app, mollify::cli::Session& session, std::string_view named) {
  for (const auto& command : kCommands) {
    if (named.empty() || command.name == named) command.add(app, session);
  }
  if (app.get_subcommands({}).empty()) {
    std::vector<std::string> known;
    for (const auto& command : kCommands) known.emplace_back(command.name);
    throw mollify::InvalidInput(fmt::format("there is no command \"{}\"{}; see mollify --help",
                                            named, mollify::did_you_mean(named, known)));
  }
}

/// What the command does not take, in the order typed, and what may have been meant.
std::string unexpected(const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands()) {
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  }
  const std::vector<std::string> extras = app.remaining(true);
  std::string meant;
  for (const std::string& extra : extras) {
    if (meant.empty() && extra.starts_with("--")) meant = mollify::did_you_mean(extra, known);
  }
  return fmt::format("The following {} not expected: {}{}",
                     extras.size() == 1 ? "argument was" : "arguments were", fmt::join(extras, " "),
                     meant);
}

int run(int argc, char** argv) {
  using namespace mollify::cli;
  CLI::App app(
      "Releases samples of private data under differential privacy.\n"
      "Start with `mollify advise`, which says what release serves you, then `mollify check` on "
      "your data, then `mollify sample`.",
      "mollify");
  app.formatter(std::make_shared<BriefCommands>());
  app.footer(
      "Every command has --help and --json. The guide \"Five jobs, from the question to the "
      "judgement\" goes from data to release.\nExit status: 0 done, 1 failed or the answer is no, "
      "2 refused.");
  app.set_version_flag("--version", mollify::kVersion);
  std::optional<std::string> shell, manual;
  app.add_option("--completion", shell, "print a script for bash, zsh or fish, to be sourced")
      ->type_name("SHELL");
  app.add_option("--manual", manual, "print the manual page of a command, or of mollify")
      ->type_name("COMMAND");
  Session session;
  const std::string_view named = argc > 1 && argv[1][0] != '-' ? argv[1] : "";
  try {
    // `mollify help` and `mollify help COMMAND` are what people try first.
    if (named == "help") {
      const std::string_view about = argc > 2 ? argv[2] : "";
      add_commands(app, session, about);
      app.parse(about.empty() ? "--help" : fmt::format("{} --help", about));
    }
    add_commands(app, session, named);
    app.parse(argc, argv);
    if (shell || manual) {
      fmt::print("{}", shell ? completion_script(app, *shell) : manual_page(app, *manual));
      flush_output();
      return kSuccess;
    }
    if (app.get_subcommands().empty()) throw CLI::RequiredError("A command");
    flush_output();
    return session.status;
  } catch (const CLI::Success& asked) {
    return app.exit(asked);  // prints help or version
  } catch (const CLI::ExtrasError&) {
    complain(fmt::format("{}; see mollify {}{}--help", unexpected(app), named,
                         named.empty() ? "" : " "));
    return kBadInput;
  } catch (const CLI::ParseError& error) {
    complain(
        fmt::format("{}; see mollify {}{}--help", error.what(), named, named.empty() ? "" : " "));
    return kBadInput;
  } catch (const mollify::InvalidInput& error) {
    complain(error.what());
    return kBadInput;
  } catch (const std::bad_alloc&) {
    complain("there is not enough memory");
    return kFailure;
  } catch (const std::exception& error) {
    complain(std::ferror(stdout) != 0 ? "standard output cannot be written" : error.what());
    return kFailure;
  }
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  try {
    mollify::cli::show_reading();
    return run(argc, argv);
  } catch (...) {  // not even a complaint could be made
    return mollify::cli::kFailure;
  }
}
