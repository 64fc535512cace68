// The mollify command.
#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command.h"
#include "mollify/kernel/invalid_input.h"
#include "mollify/version.h"

namespace {

/// One line of it: messages of libraries may have several.
void complain(std::string message) {
  for (char& letter : message) {
    if (letter == '\n' || letter == '\r') letter = ' ';
  }
  while (!message.empty() && message.back() == ' ') message.pop_back();
  fmt::print(stderr, "mollify: {}\n", message);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace mollify::cli;
  CLI::App app(
      "Releases samples of private data under differential privacy.\n"
      "Start with `mollify check` on your data, `mollify plan` for what epsilon buys, then "
      "`mollify sample`.");
  app.set_version_flag("--version", mollify::kVersion);
  app.require_subcommand(1);
  Session session;
  add_sample(app, session);
  add_verify(app, session);
  add_plan(app, session);
  add_risk(app, session);
  add_law(app, session);
  add_compare(app, session);
  add_check(app, session);
  add_domain(app, session);
  try {
    app.parse(argc, argv);
    flush_output();
    return session.status;
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    complain(fmt::format("{}; see mollify --help", error.what()));
    return kBadInput;
  } catch (const mollify::InvalidInput& error) {
    complain(error.what());
    return kBadInput;
  } catch (const std::exception& error) {
    complain(error.what());
    return kFailure;
  }
}
