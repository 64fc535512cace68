// The command.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "base/answer.h"
#include "base/progress.h"
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

/// Adds an option that takes a number; other texts are refused with the option's name.
CLI::Option* add_number(CLI::App& command, const std::string& flags, std::optional<double>& value,
                        const std::string& help = "");
/// The same for whole numbers from 0.
CLI::Option* add_whole_number(CLI::App& command, const std::string& flags,
                              std::optional<std::uint64_t>& value, const std::string& help = "");

/// The same for a text, which help calls `type`: "FILE", "NAME".
CLI::Option* add_text(CLI::App& command, const std::string& flags,
                      std::optional<std::string>& value, const std::string& type,
                      const std::string& help);

/// The value of an option that must be given: "--epsilon is needed, but is not given".
template <class Value>
const Value& needed(const std::optional<Value>& value, std::string_view flag);
[[noreturn]] void refuse_missing(std::string_view flag);

template <class Value>
const Value& needed(const std::optional<Value>& value, std::string_view flag) {
  if (!value) refuse_missing(flag);
  return *value;
}

/// The number of outcomes given as --k. Throws InvalidInput unless it is from 1 to 2^24.
std::size_t outcome_count(const std::optional<std::uint64_t>& k, std::string_view flag = "--k");

/// Writes JSON and a line feed to standard output.
void print_json(const Json& json);

/// Writes an answer to standard output, and what it warns of to standard error; the exit status.
int print_answer(const Answer& answer, bool as_json);

/// Warns of columns that do not declare what becomes of other values. Call it once in a command,
/// when its public input has been found good.
void tell_undeclared(const Domain& domain);

/// Says, to standard error, what an epsilon of 10 or more, or a mu that is worth one, means in
/// odds, and that a draw counts epsilon 30 at most.
void tell_large_epsilon(const std::optional<double>& epsilon_of_draw,
                        const std::optional<double>& mu_of_draw = std::nullopt);

/// Says, to standard error, what a release's promise means in odds from an epsilon of 10 on.
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
void add_estimate(CLI::App& app, Session& session);
void add_domain(CLI::App& app, Session& session);
void add_tune(CLI::App& app, Session& session);
void add_candidates(CLI::App& app, Session& session);
void add_reference(CLI::App& app, Session& session);
void add_ledger(CLI::App& app, Session& session);

// -----------------------------------------------------------------------------------------------
// What shells and manuals want to know of the command, made from its help.

/// A script that completes commands and flags in bash, zsh or fish: to be sourced. Throws
/// InvalidInput for another shell.
[[nodiscard]] std::string completion_script(const CLI::App& app, const std::string& shell);

/// A manual page (roff) of a command, or, for "mollify", of all of them. Throws InvalidInput if
/// there is no such command.
[[nodiscard]] std::string manual_page(const CLI::App& app, const std::string& command);

}  // namespace mollify::cli
