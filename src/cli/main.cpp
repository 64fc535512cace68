#include "cli/main.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/names.h"
#include "base/progress.h"
#include "base/words.h"
#include "cli/help.h"
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

/// Without this, a program started with a standard stream closed would give that stream's number to
/// the next file it opens, and print into it. The substitute refuses descriptors that are closed.
void occupy_standard_streams() {
  for (const int descriptor : {0, 1, 2}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // The least free number is taken, and that is this one.
    static_cast<void>(::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY));
  }
}

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
    throw mollify::InvalidInput(
        "unknown-command", fmt::format("there is no command \"{}\"{}; see mollify --help", named,
                                       mollify::did_you_mean(named, known)));
  }
}

/// The method, if the command has one and the word is a name of it.
std::optional<mollify::Method> method_of(std::string_view command, const char* word) {
  if (word == nullptr || !mollify::cli::has_method(command)) return std::nullopt;
  return mollify::named<mollify::Method>(word);
}

/// For a command that has a method: the fault of the given method, or that it is missing; otherwise
/// empty.
std::string method_words(const CLI::App& app, const mollify::cli::Session& session) {
  using mollify::Method;
  for (const CLI::App* command : app.get_subcommands()) {
    const std::string& name = command->get_name();
    if (session.method || !mollify::cli::has_method(name)) continue;
    const std::vector<std::string> extras = app.remaining(true);
    const std::string& first = extras.front();
    if (mollify::named<Method>(first)) {
      return fmt::format("the method follows the command: mollify {} {} ...", name, first);
    }
    if (first.starts_with("-")) {
      return fmt::format(
          "the method is missing before {}: mollify {} METHOD {} ..., METHOD being "
          "{}; mollify advise helps to choose",
          first, name, first, mollify::all_names<Method>(" or "));
    }
    return fmt::format("the method must be one of {}, but is \"{}\"{}",
                       mollify::all_names<Method>(), first,
                       mollify::did_you_mean(first, mollify::name_list<Method>()));
  }
  return "";
}

/// Unknown flags that people expect, and the way to their purpose.
constexpr struct {
  std::string_view command;  ///< empty: every one
  std::string_view flag, words;
} kOtherWays[] = {
    {"plan", "--units", ": a plan holds for every roster, so leave it out"},
    {"plan", "--units-column", ": a plan holds for every roster, so leave it out"},
    {"plan", "--data", ": a plan reads no data, so leave it out"},
    {"advise", "--data", ": advise reads no data, so leave it out"},
    {"advise", "--rows",
     ": --n is how many persons or rows there are, --count how many to release"},
    {"", "--seed",
     ": a release takes no seed, because anyone who guessed it could subtract the noise. Rows of a "
     "released model do: mollify generate --seed"}};

/// The flag that the files' names suggest for words without one: " c.json" is " --certificate".
std::string with_flags(const std::vector<std::string>& words,
                       const std::vector<std::string>& known) {
  constexpr std::pair<std::string_view, std::string_view> kEndings[] = {
      {".json", "--certificate"}, {".json", "--model"}, {".json", "--spec"}, {".yaml", "--domain"},
      {".yml", "--domain"},       {".csv", "--data"},   {".csv", "--public"}};
  std::string text;
  for (const std::string& word : words) {
    std::string_view flag;
    for (const auto& [ending, one] : kEndings) {
      const bool is_known = std::find(known.begin(), known.end(), one) != known.end();
      if (flag.empty() && is_known && word.ends_with(ending)) flag = one;
    }
    if (flag.empty()) return "";
    text +=
        fmt::format("{}{} {}", text.empty() ? ": write " : " ", flag, mollify::shell_word(word));
  }
  return text;
}

/// The first flag that the command has not, or the first word, and what may have been meant.
std::string unexpected(const CLI::App& app, const mollify::cli::Session& session) {
  const std::string methods = method_words(app, session);
  if (!methods.empty()) return methods;
  std::vector<std::string> known;
  const auto add_flags = [&](const CLI::App& command) {
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  };
  for (const CLI::App* command : app.get_subcommands()) add_flags(*command);
  if (known.empty()) add_flags(app);
  const std::vector<std::string> extras = app.remaining(true);
  for (const std::string& extra : extras) {
    if (!extra.starts_with("-")) continue;
    const std::string flag = extra.substr(0, extra.find('='));
    const auto ran = app.get_subcommands();
    const std::string name = ran.empty() ? "" : ran.front()->get_name();
    for (const auto& [command, other, words] : kOtherWays) {
      const bool is_here = command.empty() || command == name;
      if (is_here && flag == other) return fmt::format("unknown flag {}{}", flag, words);
    }
    return fmt::format("unknown flag {}{}", flag, mollify::did_you_mean(flag, known));
  }
  return fmt::format("no flag comes before \"{}\"{}", extras.front(), with_flags(extras, known));
}

/// That a flag is missing, and its line in the command's help.
std::string missing_words(const CLI::App& app, const std::string& flag) {
  for (const CLI::App* command : app.get_subcommands()) {
    const CLI::Option* option = command->get_option_no_throw(flag);
    if (option == nullptr) continue;
    const std::string help = option->get_description();
    return fmt::format("{} is missing: {}", flag, help.substr(0, help.find('\n')));
  }
  return flag + " is missing";
}

/// The fault of a known flag: it is given twice, or its value is missing.
std::string parse_words(const CLI::App& app, std::span<char* const> arguments,
                        const CLI::ParseError& error) {
  for (const CLI::App* command : app.get_subcommands()) {
    for (const CLI::Option* option : command->get_options()) {
      const auto most = static_cast<std::size_t>(std::max(option->get_items_expected_max(), 1));
      if (option->count() > most) return option->get_name() + " is given more than once";
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const CLI::Option* option = command->get_option_no_throw(arguments[i]);
      if (option == nullptr || option->get_items_expected_min() == 0) continue;
      const bool has_value =
          i + 1 < arguments.size() && command->get_option_no_throw(arguments[i + 1]) == nullptr;
      if (!has_value) return option->get_name() + " needs a value, but has none";
    }
  }
  return error.what();
}

int run(int argc, char** argv) {
  using namespace mollify::cli;
  CLI::App app(
      "Release samples of private data under differential privacy.\n\n"
      "Start with advise, which recommends a release and prints the commands. Then run check on "
      "your data, then sample.",
      "mollify");
  app.set_version_flag("--version", mollify::kVersion);
  std::optional<std::string> shell, manual;
  app.add_option("--completion", shell, "print a script for bash, zsh or fish, to be sourced")
      ->type_name("SHELL");
  app.add_option("--manual", manual, "print the manual page of a command, or of mollify")
      ->type_name("COMMAND");
  Session session;
  app.formatter(help_formatter(session));
  const std::string_view named = argc > 1 && argv[1][0] != '-' ? argv[1] : "";
  const auto help = [&] {
    return fmt::format("see mollify {}{}{}{}--help", named, named.empty() ? "" : " ",
                       session.method ? name_of(*session.method) : "", session.method ? " " : "");
  };
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
    if (app.get_subcommands().empty()) {
      throw mollify::InvalidInput("missing-parameter",
                                  "a command is missing, such as sample; see mollify --help",
                                  "command");
    }
    flush_output();
    return session.status;
  } catch (const MissingFlag& missing) {
    complain(fmt::format("{} [{}]", missing_words(app, missing.flag), missing.code().name));
    return kBadInput;
  } catch (const CLI::Success& asked) {
    return app.exit(asked);  // prints help or version
  } catch (const CLI::ExtrasError&) {
    complain(fmt::format("{}; {} [{}]", unexpected(app, session), help(),
                         mollify::Code("unknown-flag").name));
    return kBadInput;
  } catch (const CLI::ParseError& error) {
    complain(fmt::format("{}; {} [{}]",
                         parse_words(app, {argv, static_cast<std::size_t>(argc)}, error), help(),
                         mollify::Code("wrong-value").name));
    return kBadInput;
  } catch (const mollify::InvalidInput& error) {
    complain(fmt::format("{} [{}]", error.what(), error.code().name));
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

bool mollify::cli::has_method(std::string_view command) {
  return std::any_of(std::begin(kCommands), std::end(kCommands),
                     [&](const auto& one) { return one.name == command && one.has_method; });
}

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

template <class Value>
Value parsed(std::string_view text, std::string_view flag, std::string_view expected) {
  Value value{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stopped == end) return value;
  std::string range = error == std::errc::result_out_of_range
                          ? fmt::format(" of at most {}", std::numeric_limits<Value>::max())
                          : "";
  if (std::is_unsigned_v<Value> && text.size() > 1 && text.front() == '-' &&
      text.find_first_not_of("0123456789", 1) == text.npos) {
    range = fmt::format(" from 0 to {}", std::numeric_limits<Value>::max());
  }
  throw InvalidInput("wrong-type",
                     fmt::format("{} must be {}{}, but is \"{}\"{}", flag.substr(2), expected,
                                 range, text, number_hint(text)),
                     flag.substr(2));
}

template double parsed<double>(std::string_view, std::string_view, std::string_view);
template std::uint64_t parsed<std::uint64_t>(std::string_view, std::string_view, std::string_view);

CLI::Option* add_number(CLI::App& command, const std::string& flags, std::optional<double>& value,
                        const std::string& help) {
  return command
      .add_option_function<std::string>(
          flags,
          [flags, &value](const std::string& text) {
            value = parsed<double>(text, flags, "a number");
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
            value = parsed<std::uint64_t>(text, flags, "a whole number");
          },
          help)
      ->type_name("NUMBER");
}

CLI::Option* add_text(CLI::App& command, const std::string& flags,
                      std::optional<std::string>& value, const std::string& type,
                      const std::string& help) {
  return command.add_option(flags, value, help)->type_name(type);
}

std::size_t outcome_count(const std::optional<std::uint64_t>& k, const char* flag) {
  const std::uint64_t count = needed(k, flag);
  require_between(flag, count, 1, Band::kMostOutcomes);
  return count;
}

void print_json(const Json& json) { fmt::print("{}", json_text(json)); }

void print_lines(std::string_view text) { fmt::print("{}", wrapped(text, kLineWidth, kHang)); }

void tell_lines(std::string_view text) { tell(wrapped(text, kLineWidth, kHang)); }

int print_answer(const Answer& answer, bool as_json) {
  if (as_json) {
    fmt::print("{}", answer.facts());
  } else {
    print_lines(answer.text);
  }
  tell_warnings(answer.warnings);
  return kSuccess;
}

void tell_warnings(std::span<const Message> warnings) {
  for (const Message& one : warnings) tell_lines("WARNING: " + printable(one.text()));
}

void tell_large_epsilon(const std::optional<double>& epsilon_of_draw,
                        const std::optional<double>& mu_of_draw) {
  Privacy asked = Privacy::pure(epsilon_of_draw.value_or(0));
  if (mu_of_draw) asked = Privacy::gaussian(*mu_of_draw);
  Privacy released = asked;
  released.epsilon = std::min<double>(asked.epsilon, ExpBound::kGreatestEpsilon);
  for (const Message& one : epsilon_warnings(asked, released, 1)) tell_lines(one.text());
}

void tell_odds(const Privacy& promise) {
  for (const Message& one : epsilon_warnings(promise, promise, 0)) tell_lines(one.text());
}

void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw std::runtime_error("standard output cannot be written");
  }
}

}  // namespace mollify::cli
