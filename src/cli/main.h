// The command.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "base/answer.h"
#include "base/progress.h"
#include "core/invalid_input.h"
#include "domain/domain.h"
#include "release/spec.h"

namespace mollify::cli {

// -----------------------------------------------------------------------------------------------
// What the commands of the command line have in common.

/// The exit statuses: success; the command worked and its answer is no (or it failed); bad input.
inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;
inline constexpr int kBadInput = 2;

/// A command runs when the whole command line has been read, and returns its exit status through
/// `status`.
struct Session {
  int status = kSuccess;
  /// Of a command whose flags the method decides: the word after the command's name, if it is one.
  std::optional<Method> method{};
  /// Whether nothing runs: then such a command has the flags of every method.
  bool lists_all = false;

  /// The methods whose flags such a command takes.
  [[nodiscard]] Methods methods() const {
    if (method) return {*method};
    return lists_all ? kEveryMethod : Methods{};
  }
};

/// Whether the word after this command is a method, and decides its flags.
[[nodiscard]] bool has_method(std::string_view command);

/// Adds an option that takes a number; other texts are refused with the option's name.
CLI::Option* add_number(CLI::App& command, const std::string& flags, std::optional<double>& value,
                        const std::string& help = "");
/// Adds a flag for whole numbers from 0.
CLI::Option* add_whole_number(CLI::App& command, const std::string& flags,
                              std::optional<std::uint64_t>& value, const std::string& help = "");

/// Adds a flag for a text, which help calls `type`: "FILE", "NAME".
CLI::Option* add_text(CLI::App& command, const std::string& flags,
                      std::optional<std::string>& value, const std::string& type,
                      const std::string& help);

/// Thrown where a flag must be given. The command's help says what it is for.
struct MissingFlag : InvalidInput {
  explicit MissingFlag(const std::string& missing)
      : InvalidInput("missing-parameter", missing + " is missing", missing.substr(2),
                     {WayOut::set(missing.substr(2))}),
        flag(missing) {}
  std::string flag;
};

/// The value of an option that must be given: "--data is missing: the private CSV file".
template <class Value>
const Value& needed(const std::optional<Value>& value, const char* flag) {
  if (!value) throw MissingFlag{flag};
  return *value;
}

/// A number from a flag's text; `expected` is "a number" or "a whole number". Throws InvalidInput
/// for another text, and for a number that is too large.
template <class Value>
Value parsed(std::string_view text, std::string_view flag, std::string_view expected);

/// The number of outcomes given as --k. Throws InvalidInput unless it is from 1 to 2^24.
std::size_t outcome_count(const std::optional<std::uint64_t>& k, const char* flag = "--k");

/// Writes JSON and a line feed to standard output.
void print_json(const Json& json);

/// Writes text for people in lines that fit a terminal, to standard output or standard error.
void print_lines(std::string_view text);
void tell_lines(std::string_view text);

/// Writes an answer to standard output, and warnings to standard error; the exit status.
int print_answer(const Answer& answer, bool as_json);

/// Prints warnings to standard error. Call it when a command's public input has been found good.
void tell_warnings(std::span<const Message> warnings);

/// Says, to standard error, what an epsilon of 10 or more, or a mu that is worth one, means in
/// odds, and that a draw counts epsilon 30 at most.
void tell_large_epsilon(const std::optional<double>& epsilon_of_draw,
                        const std::optional<double>& mu_of_draw = std::nullopt);

/// Writes a release's promise in odds to standard error, from an epsilon of 10 on.
void tell_odds(const Privacy& promise);

/// Fails loudly (exit status 1) if standard output could not take what was written.
void flush_output();

void add_advise(CLI::App& app, Session& session);
void add_amplify(CLI::App& app, Session& session);
void add_sample(CLI::App& app, Session& session);
void add_generate(CLI::App& app, Session& session);
void add_verify(CLI::App& app, Session& session);
void add_law(CLI::App& app, Session& session);
void add_risk(CLI::App& app, Session& session);
void add_plan(CLI::App& app, Session& session);
void add_check(CLI::App& app, Session& session);
void add_compare(CLI::App& app, Session& session);
void add_answer(CLI::App& app, Session& session);
void add_estimate(CLI::App& app, Session& session);
void add_domain(CLI::App& app, Session& session);
void add_tune(CLI::App& app, Session& session);
void add_candidates(CLI::App& app, Session& session);
void add_reference(CLI::App& app, Session& session);
void add_ledger(CLI::App& app, Session& session);

}  // namespace mollify::cli
