#include "cli/main.h"

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/names.h"
#include "base/progress.h"
#include "cli/output.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "mollify/version.h"
#include "release/acceptance.h"

// -----------------------------------------------------------------------------------------------
// The mollify command.

namespace {

/// One line of it: messages of libraries may have several.
void complain(std::string message) {
  for (char& letter : message) {
    if (letter == '\n' || letter == '\r') letter = ' ';
  }
  while (!message.empty() && message.back() == ' ') message.pop_back();
  mollify::tell("mollify: " + mollify::printable(mollify::readable(message)) + "\n");
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
  bool has_method = false;  ///< whether the word after the name is one, and decides the flags
} kCommands[] = {{"sample", mollify::cli::add_sample, true},
                 {"generate", mollify::cli::add_generate},
                 {"verify", mollify::cli::add_verify},
                 {"ledger", mollify::cli::add_ledger},
                 {"advise", mollify::cli::add_advise},
                 {"plan", mollify::cli::add_plan, true},
                 {"amplify", mollify::cli::add_amplify},
                 {"risk", mollify::cli::add_risk},
                 {"law", mollify::cli::add_law},
                 {"compare", mollify::cli::add_compare, true},
                 {"estimate", mollify::cli::add_estimate},
                 {"check", mollify::cli::add_check},
                 {"domain", mollify::cli::add_domain},
                 {"candidates", mollify::cli::add_candidates},
                 {"reference", mollify::cli::add_reference},
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

bool has_method(std::string_view name) {
  return std::any_of(std::begin(kCommands), std::end(kCommands),
                     [&](const auto& one) { return one.name == name && one.has_method; });
}

/// The method, if the command has one and the word is a name of it.
std::optional<mollify::Method> method_of(std::string_view command, const char* word) {
  if (word == nullptr || !has_method(command)) return std::nullopt;
  return mollify::named<mollify::Method>(word);
}

/// Of a command that has a method: what is wrong with the method that is given, or that none is;
/// empty if nothing is.
std::string method_words(const CLI::App& app, const mollify::cli::Session& session) {
  using mollify::Method;
  for (const CLI::App* command : app.get_subcommands()) {
    const std::string& name = command->get_name();
    if (session.method || !has_method(name)) continue;
    const std::vector<std::string> extras = app.remaining(true);
    const std::string& first = extras.front();
    if (mollify::named<Method>(first)) {
      return fmt::format("The method follows the command at once: mollify {} {} ...", name, first);
    }
    if (first.starts_with("-")) {
      return fmt::format("A method is needed before {} (mollify {} {})", first, name,
                         fmt::join(mollify::name_list<Method>(), "|"));
    }
    return fmt::format("The method must be one of {}, but is \"{}\"{}",
                       mollify::all_names<Method>(), first,
                       mollify::did_you_mean(first, mollify::name_list<Method>()));
  }
  return "";
}

/// The first flag that the command has not, or the first word, and what may have been meant.
std::string unexpected(const CLI::App& app, const mollify::cli::Session& session) {
  const std::string methods = method_words(app, session);
  if (!methods.empty()) return methods;
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands()) {
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  }
  const std::vector<std::string> extras = app.remaining(true);
  for (const std::string& extra : extras) {
    if (!extra.starts_with("-")) continue;
    const std::string flag = extra.substr(0, extra.find('='));
    return fmt::format("unknown flag {}{}", flag, mollify::did_you_mean(flag, known));
  }
  return fmt::format("no flag stands before \"{}\"", extras.front());
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
      session.method = method_of(about, argc > 3 ? argv[3] : nullptr);
      add_commands(app, session, about);
      app.parse(about.empty() ? "--help" : fmt::format("{} --help", about));
    }
    session.method = method_of(named, argc > 2 ? argv[2] : nullptr);
    session.lists_all = named.empty();
    add_commands(app, session, named);
    // The method is no argument of the command's own.
    std::vector<char*> arguments(argv, argv + argc);
    if (session.method) arguments.erase(arguments.begin() + 2);
    app.parse(static_cast<int>(arguments.size()), arguments.data());
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
    complain(fmt::format("{}; see mollify {}{}--help", unexpected(app, session), named,
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

namespace mollify::cli {

// -----------------------------------------------------------------------------------------------
// What the commands of the command line have in common.

namespace {

template <class Value>
Value parse_as(std::string_view text, std::string_view flags, std::string_view expected) {
  Value value{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end) {
    throw InvalidInput(
        fmt::format("{} must be {}, but is \"{}\"", flags.substr(2), expected, text));
  }
  return value;
}

}  // namespace

CLI::Option* add_number(CLI::App& command, const std::string& flags, std::optional<double>& value,
                        const std::string& help) {
  return command
      .add_option_function<std::string>(
          flags,
          [flags, &value](const std::string& text) {
            value = parse_as<double>(text, flags, "a number");
          },
          help)
      ->type_name("NUMBER");
}

CLI::Option* add_whole_number(CLI::App& command, const std::string& flags,
                              std::optional<std::uint64_t>& value, const std::string& help) {
  return command
      .add_option_function<std::string>(
          flags,
          [flags, &value](const std::string& text) {
            value = parse_as<std::uint64_t>(text, flags, "a whole number");
          },
          help)
      ->type_name("NUMBER");
}

CLI::Option* add_text(CLI::App& command, const std::string& flags,
                      std::optional<std::string>& value, const std::string& type,
                      const std::string& help) {
  return command.add_option(flags, value, help)->type_name(type);
}

void refuse_missing(std::string_view flag) {
  throw InvalidInput(fmt::format("{} is needed, but is not given", flag));
}

std::size_t outcome_count(const std::optional<std::uint64_t>& k, std::string_view flag) {
  const std::uint64_t count = needed(k, flag);
  require_between("the number of outcomes", count, 1, Band::kMostOutcomes);
  return count;
}

void print_json(const Json& json) { fmt::print("{}", json_text(json)); }

int print_answer(const Answer& answer, bool as_json) {
  fmt::print("{}", as_json ? answer.facts() : answer.text);
  for (const std::string& words : answer.warnings) tell(words + "\n");
  return kSuccess;
}

void tell_undeclared(const Domain& domain) {
  const std::string words = domain.undeclared_words();
  if (!words.empty()) tell("WARNING: " + printable(words) + "\n");
}

void tell_large_epsilon(const std::optional<double>& epsilon_of_draw,
                        const std::optional<double>& mu_of_draw) {
  Privacy asked = Privacy::pure(epsilon_of_draw.value_or(0));
  if (mu_of_draw) asked = Privacy::gaussian(*mu_of_draw);
  Privacy released = asked;
  released.epsilon = std::min<double>(asked.epsilon, ExpBound::kGreatestEpsilon);
  for (const std::string& words : epsilon_warnings(asked, released, 1)) tell(words + "\n");
}

void tell_odds(const Privacy& promise) {
  for (const std::string& words : epsilon_warnings(promise, promise, 0)) tell(words + "\n");
}

void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw std::runtime_error("standard output cannot be written");
  }
}

// -----------------------------------------------------------------------------------------------
// What shells and manuals want to know of the command, made from its help.

namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

/// Completes flags after a dash, else files. zsh takes it by its own emulation.
std::string bash_script(const CLI::App& app) {
  std::string names;
  std::string cases;
  for (const CLI::App* command : app.get_subcommands({})) {
    names += command->get_name() + " ";
    std::string flags;
    for (const std::string& flag : flags_of(*command)) flags += flag + " ";
    cases += fmt::format("    {}) flags=\"{}\" ;;\n", command->get_name(), flags);
  }
  return fmt::format(
      "_mollify() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" flags=\"--help --version\"\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}"
      "  esac\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{}$flags\" -- \"$word\"))\n"
      "  elif [ \"${{word#-}}\" != \"$word\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}}\n"
      "complete -o filenames -F _mollify mollify\n",
      cases, names);
}

/// In single quotes, as fish reads them.
std::string quoted(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '\'' || letter == '\\') safe += '\\';
    safe += letter;
  }
  return "'" + safe + "'";
}

std::string fish_script(const CLI::App& app) {
  std::string script;
  for (const CLI::App* command : app.get_subcommands({})) {
    const std::string& name = command->get_name();
    script += fmt::format("complete -c mollify -n __fish_use_subcommand -a {} -d {}\n", name,
                          quoted(first_line(command->get_description())));
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& flag : option->get_lnames()) {
        script +=
            fmt::format("complete -c mollify -n '__fish_seen_subcommand_from {}' -l {}{} -d {}\n",
                        name, flag, option->get_expected_max() > 0 ? " -r" : "",
                        quoted(first_line(option->get_description())));
      }
    }
  }
  return script;
}

/// A line that roff takes for text: no request begins it, and no backslash or dash means more.
std::string roff(const std::string& text) {
  std::string safe;
  bool begins = true;
  for (const char letter : text) {
    if (begins && (letter == '.' || letter == '\'')) safe += "\\&";
    if (letter == '\\') {
      safe += "\\e";
    } else if (letter == '-') {
      safe += "\\-";
    } else {
      safe += letter;
    }
    begins = letter == '\n';
  }
  return safe;
}

std::string head(const std::string& title, const std::string& name, const std::string& summary,
                 const std::string& synopsis) {
  return fmt::format(".TH {} 1 \"\" \"mollify {}\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B {}\n",
                     title, kVersion, name, roff(summary), roff(synopsis));
}

std::string page_of(const CLI::App& command) {
  const std::string& name = command.get_name();
  const std::string& description = command.get_description();
  std::string page = head("MOLLIFY-" + name, "mollify-" + name, first_line(description),
                          "mollify " + name + " [OPTIONS]");
  if (description.size() > first_line(description).size()) {
    page += fmt::format(".SH DESCRIPTION\n.nf\n{}\n.fi\n",
                        roff(description.substr(first_line(description).size() + 2)));
  }
  page += ".SH OPTIONS\n";
  for (const CLI::Option* option : command.get_options()) {
    const std::string type = option->get_expected_max() > 0 ? " " + option->get_type_name() : "";
    page += fmt::format(".TP\n.B {}{}\n{}\n", roff(option->get_name()), roff(type),
                        roff(option->get_description()));
  }
  return page + ".SH SEE ALSO\n.BR mollify (1)\n";
}

}  // namespace

std::string completion_script(const CLI::App& app, const std::string& shell) {
  if (shell == "bash") return bash_script(app);
  if (shell == "zsh") return "autoload -U +X bashcompinit && bashcompinit\n" + bash_script(app);
  if (shell == "fish") return fish_script(app);
  refuse_name("completion", shell, std::vector<std::string>{"bash", "zsh", "fish"});
}

std::string manual_page(const CLI::App& app, const std::string& name) {
  if (name == "mollify") {
    std::string page =
        head("MOLLIFY", "mollify", first_line(app.get_description()), "mollify COMMAND [OPTIONS]") +
        ".SH COMMANDS\n";
    for (const CLI::App* command : app.get_subcommands({})) {
      page += fmt::format(".TP\n.BR mollify\\-{} (1)\n{}\n", command->get_name(),
                          roff(first_line(command->get_description())));
    }
    return page + fmt::format(".SH EXIT STATUS\n{}\n", roff(app.get_footer()));
  }
  std::vector<std::string> known = {"mollify"};
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == name) return page_of(*command);
    known.push_back(command->get_name());
  }
  throw InvalidInput(fmt::format("there is no command \"{}\" to print the manual of{}", name,
                                 did_you_mean(name, known)));
}

}  // namespace mollify::cli
