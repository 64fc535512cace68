#include "cli/main.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
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

#include "base/json.h"
#include "base/message.h"
#include "base/names.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "cli/help.h"
#include "cli/output.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "mollify/version.h"
#include "release/acceptance.h"

// -----------------------------------------------------------------------------------------------
// The mollify command.

namespace mollify::cli {

namespace {

/// Wrapped like warnings. Line breaks, which names of users and messages of libraries may hold,
/// are shown escaped.
void complain(std::string_view message) { tell_lines("mollify: " + printable(readable(message))); }

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
  void (*add)(CLI::App& app, Session& session);
  bool has_method = false;  ///< whether the word after the name is one, and decides the flags
} kCommands[] = {
    {"sample", add_sample, true},   {"generate", add_generate}, {"verify", add_verify},
    {"ledger", add_ledger},         {"advise", add_advise},     {"plan", add_plan, true},
    {"amplify", add_amplify},       {"risk", add_risk},         {"law", add_law},
    {"compare", add_compare, true}, {"answer", add_answer},     {"estimate", add_estimate},
    {"check", add_check},           {"domain", add_domain},     {"candidates", add_candidates},
    {"reference", add_reference},   {"tune", add_tune}};

/// Adds the command of this name, or all of them if none is named, since making the
/// options of all takes longer than most commands do. Throws InvalidInput if there is no such
/// command.
void add_commands(CLI::App& app, Session& session, std::string_view named) {
  for (const auto& command : kCommands) {
    if (named.empty() || command.name == named) command.add(app, session);
  }
  if (app.get_subcommands({}).empty()) {
    std::vector<std::string> known;
    for (const auto& command : kCommands) known.emplace_back(command.name);
    refuse_input("unknown-command", "command", ways_to_mean("command", named, known),
                 "there is no command \"{}\"{}; see mollify --help", named,
                 named == "report" ? ", but the Python package has it: mollify-dp report"
                                   : did_you_mean(named, known));
  }
}

/// The method, if the command has one and the word is a name of it.
std::optional<Method> method_of(std::string_view command, const char* word) {
  if (word == nullptr || !has_method(command)) return std::nullopt;
  return named<Method>(word);
}

/// For a command that has a method: the fault of the given method, or that it is missing.
std::optional<InvalidInput> refused_method(const CLI::App& app, const Session& session) {
  for (const CLI::App* command : app.get_subcommands()) {
    const std::string& name = command->get_name();
    if (session.method || !has_method(name)) continue;
    const std::vector<std::string> extras = app.remaining(true);
    const std::string& first = extras.front();
    if (named<Method>(first)) {
      return InvalidInput(
          "missing-parameter",
          fmt::format("the method follows the command: mollify {} {} ...", name, first), "method",
          {WayOut::set("method", first)});
    }
    if (first.starts_with("-")) {
      return InvalidInput("missing-parameter",
                          fmt::format("the method is missing before {}: mollify {} METHOD {} ..., "
                                      "METHOD being {}; mollify advise helps to choose",
                                      first, name, first, all_names<Method>(" or ")),
                          "method", {WayOut::set("method"), WayOut::run("advise")});
    }
    const auto known = name_list<Method>();
    return InvalidInput("unknown-name",
                        fmt::format("the method must be {}, but is \"{}\"{}", choice_words(known),
                                    first, did_you_mean(first, known)),
                        "method", ways_to_mean("method", first, known));
  }
  return std::nullopt;
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
    text += fmt::format("{}{} {}", text.empty() ? ": write " : " ", flag, shell_word(word));
  }
  return text;
}

/// The first flag that the command has not, or the first word, and what may have been meant; `help`
/// ends the sentence.
InvalidInput unexpected(const CLI::App& app, const Session& session, const std::string& help) {
  if (const auto refused = refused_method(app, session))
    return {*refused, fmt::format("{}; {}", refused->what(), help)};
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
      if (is_here && flag == other) {
        return InvalidInput("unknown-flag", fmt::format("unknown flag {}{}; {}", flag, words, help),
                            parameter_of(flag), {WayOut::leave(parameter_of(flag))});
      }
    }
    const std::string meant = nearest_name(flag, known);
    return InvalidInput(
        "unknown-flag", fmt::format("unknown flag {}{}; {}", flag, did_you_mean(flag, known), help),
        parameter_of(flag),
        {meant.empty() ? WayOut::leave(parameter_of(flag)) : WayOut::set(parameter_of(meant))});
  }
  return InvalidInput("unknown-flag", fmt::format("no flag comes before \"{}\"{}; {}",
                                                  extras.front(), with_flags(extras, known), help));
}

/// That a flag is missing, and its line in the command's help.
InvalidInput explained(const CLI::App& app, const MissingFlag& missing) {
  for (const CLI::App* command : app.get_subcommands()) {
    const CLI::Option* option = command->get_option_no_throw(missing.flag);
    if (option == nullptr) continue;
    const std::string help = option->get_description();
    return {missing,
            fmt::format("{} is missing: {}", missing.flag, help.substr(0, help.find('\n')))};
  }
  return missing;
}

/// The fault of a known flag: it is given twice, or its value is missing.
InvalidInput unparsed(const CLI::App& app, std::span<char* const> arguments,
                      const CLI::ParseError& error, const std::string& help) {
  const auto refusal = [&](const std::string& name, const std::string& sentence) {
    std::vector<WayOut> ways;
    if (!name.empty()) ways.push_back(WayOut::set(parameter_of(name)));
    return InvalidInput("wrong-value", fmt::format("{}{}; {}", name, sentence, help),
                        parameter_of(name), std::move(ways));
  };
  for (const CLI::App* command : app.get_subcommands()) {
    for (const CLI::Option* option : command->get_options()) {
      const auto most = static_cast<std::size_t>(std::max(option->get_items_expected_max(), 1));
      if (option->count() > most) return refusal(option->get_name(), " is given more than once");
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const CLI::Option* option = command->get_option_no_throw(arguments[i]);
      if (option == nullptr || option->get_items_expected_min() == 0) continue;
      const bool has_value =
          i + 1 < arguments.size() && command->get_option_no_throw(arguments[i + 1]) == nullptr;
      if (!has_value) return refusal(option->get_name(), " needs a value, but has none");
    }
  }
  return refusal("", error.what());
}

/// The refusal of a file, with the flag that gives it, the first of several, and the way to give
/// another.
InvalidInput with_flag(const CLI::App& app, const InvalidInput& refused) {
  if (refused.file().empty()) return refused;
  std::string parameter = refused.parameter();
  for (const CLI::App* command : app.get_subcommands()) {
    for (const CLI::Option* option : command->get_options()) {
      const std::vector<std::string>& given = option->results();
      if (parameter.empty() && std::find(given.begin(), given.end(), refused.file()) != given.end())
        parameter = parameter_of(option->get_name());
    }
  }
  std::vector<WayOut> ways = refused.ways_out();
  if (ways.empty() && !parameter.empty()) ways.push_back(WayOut::set(parameter));
  Concern concern = concern_of(parameter, refused.file());
  concern.column = refused.column();
  concern.line = refused.line();
  return {refused.code(), refused.what(), std::move(concern), std::move(ways),
          refused.quantities()};
}

/// Writes a refusal for people, and its facts to standard output if a program reads that.
int refuse(const CLI::App& app, const InvalidInput& thrown, std::span<char* const> arguments) {
  const InvalidInput refused = with_flag(app, thrown);
  complain(fmt::format("{} [{}]", refused.what(), refused.code().name));
  const bool as_json = std::any_of(arguments.begin(), arguments.end(), [](const char* one) {
    return std::string_view(one) == "--json";
  });
  if (as_json) print_json({{"error", json_of(refused)}});
  std::fflush(stdout);
  return kBadInput;
}

int run(int argc, char** argv) {
  const std::span<char* const> given(argv, static_cast<std::size_t>(argc));
  CLI::App app(
      "Release samples of private data under differential privacy.\n\n"
      "Start with advise, which recommends a release and prints the commands. Then run check on "
      "your data, then sample.",
      "mollify");
  app.set_version_flag("--version", kVersion);
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
      refuse_input("missing-parameter", "command", {WayOut::set("command", "sample")},
                   "a command is missing, such as sample; see mollify --help");
    }
    flush_output();
    return session.status;
  } catch (const MissingFlag& missing) {
    return refuse(app, explained(app, missing), given);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);  // prints help or version
  } catch (const CLI::ExtrasError&) {
    return refuse(app, unexpected(app, session, help()), given);
  } catch (const CLI::ParseError& error) {
    return refuse(app, unparsed(app, given, error, help()), given);
  } catch (const InvalidInput& error) {
    return refuse(app, error, given);
  } catch (const std::bad_alloc&) {
    complain("there is not enough memory");
    return kFailure;
  } catch (const std::exception& error) {
    complain(std::ferror(stdout) != 0 ? "standard output cannot be written" : error.what());
    return kFailure;
  }
}

}  // namespace

bool has_method(std::string_view command) {
  return std::any_of(std::begin(kCommands), std::end(kCommands),
                     [&](const auto& one) { return one.name == command && one.has_method; });
}

// -----------------------------------------------------------------------------------------------
// What the commands of the command line have in common.

template <class Value>
Value parsed(std::string_view text, std::string_view flag, std::string_view expected) {
  Value value{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stopped == end) return value;
  std::string range;
  if (error == std::errc::result_out_of_range) {
    range = fmt::format(" of at most {}", std::numeric_limits<Value>::max());
  }
  if (std::is_unsigned_v<Value> && text.size() > 1 && text.front() == '-' &&
      text.find_first_not_of("0123456789", 1) == text.npos) {
    range = fmt::format(" from 0 to {}", std::numeric_limits<Value>::max());
  }
  std::vector<Quantity> quantities;
  if (!range.empty()) {
    quantities = quantities_of(std::strtod(std::string(text).c_str(), nullptr),
                               {.least = static_cast<double>(std::numeric_limits<Value>::lowest()),
                                .most = static_cast<double>(std::numeric_limits<Value>::max())});
  }
  refuse_input(range.empty() ? Code("wrong-type") : Code("out-of-range"), flag.substr(2), {},
               std::move(quantities), "{} must be {}{}, but is \"{}\"{}", flag.substr(2), expected,
               range, text, number_hint(text));
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
  require_between({flag, parameter_of(flag), "outcomes"}, count, 1, Band::kMostOutcomes);
  return count;
}

void print_json(const Json& json) { fmt::print("{}", json_text(json)); }

void print_lines(std::string_view text) { fmt::print("{}", wrapped(text, kLineWidth, kHang)); }

void tell_lines(std::string_view text) { tell(wrapped(text, kLineWidth, kHang)); }

int print_answer(const Answer& answer, bool as_json) {
  if (as_json) {
    Answer facts = answer;
    if (!answer.warnings.empty()) facts.add("warnings", json_of(answer.warnings));
    fmt::print("{}", facts.facts());
  } else {
    print_lines(answer.text);
  }
  tell_warnings(answer.warnings);
  return kSuccess;
}

void tell_warnings(std::span<const Message> warnings) {
  for (const Message& one : warnings) tell_lines(printable(one.shown()));
}

void tell_large_epsilon(const std::optional<double>& epsilon_of_draw,
                        const std::optional<double>& mu_of_draw) {
  Privacy asked = Privacy::pure(epsilon_of_draw.value_or(0));
  if (mu_of_draw) asked = Privacy::gaussian(*mu_of_draw);
  Privacy released = asked;
  released.epsilon = std::min<double>(asked.epsilon, ExpBound::kGreatestEpsilon);
  tell_warnings(epsilon_warnings(asked, released, 1));
}

void tell_odds(const Privacy& promise) { tell_warnings(epsilon_warnings(promise, promise, 0)); }

void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw std::runtime_error("standard output cannot be written");
  }
}

}  // namespace mollify::cli

int main(int argc, char** argv) {
  mollify::cli::occupy_standard_streams();
  try {
    mollify::speak(mollify::Speech::kCommand);
    mollify::cli::show_reading();
    return mollify::cli::run(argc, argv);
  } catch (...) {  // not even a complaint could be made
    return mollify::cli::kFailure;
  }
}
