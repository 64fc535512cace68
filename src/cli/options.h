// Options that commands share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/main.h"
#include "methods/local/mechanism.h"
#include "methods/local/sampler.h"
#include "methods/local/space.h"
#include "release/public_inputs.h"
#include "release/spec.h"

namespace mollify::cli {

// -----------------------------------------------------------------------------------------------
// Numbers between commas, one question each: --epsilon 0.5,1,2.

/// The texts between the commas. Throws InvalidInput, naming what they are, where one is empty.
std::vector<std::string> number_list(const std::string& text, const std::string& name);

/// One of them as a number. Throws InvalidInput for other texts.
double number_of(const std::string& text, const std::string& name);

/// Lets the command's --epsilon take a list, into `epsilons`.
void take_epsilon_list(CLI::App& command, std::optional<std::string>& epsilons);

/// The parts once for each epsilon that they list; once if they name none.
std::vector<Json> for_each_epsilon(const Json& parts);

// -----------------------------------------------------------------------------------------------
// Distributions in files, for the commands that take one directly.

/// Masses and their outcomes' names, in the file's order; normalised.
struct NamedDistribution {
  std::vector<std::string> outcomes;
  std::vector<double> masses;
  double sum = 1;  ///< of the masses as they were given
};

/// Reads a JSON array of numbers (outcomes are named 0, 1, ...) or a CSV file with the columns
/// outcome and p. Throws InvalidInput, in one sentence, unless there is at least one outcome, their
/// names differ, and the masses are finite, not negative, and not all zero.
NamedDistribution read_distribution(const std::string& path);

/// The masses of `given` in the order of `like`'s outcomes. Throws InvalidInput if they are not the
/// same outcomes.
std::vector<double> masses_in_order(const NamedDistribution& given, const NamedDistribution& like,
                                    const std::string& path);

// -----------------------------------------------------------------------------------------------
// The options that say which mechanism, the same for every command.

/// As given; nothing is checked but the mechanism's name.
struct MechanismOptions {
  std::optional<std::string> mechanism;
  std::optional<double> epsilon;
  std::optional<double> mu;
  MechanismNumbers numbers;
  std::optional<std::string> reference;
  std::optional<std::string> channel;
  std::optional<std::string> band;
  bool takes_all =
      false;  ///< whether "all" is a mechanism's name, which the command looks for first

  /// Adds --mechanism, --epsilon, --mu, --reference, --channel and the mechanisms' numbers to a
  /// command, whose
  /// budget is spent on "all draws of a unit together" or "one draw".
  void add_to(CLI::App& command, const std::string& reference_help, std::string_view spent_on);

  /// Adds --band to a command.
  void add_band_to(CLI::App& command);

  /// The mechanism named; none if none is. Throws InvalidInput for an unknown name.
  [[nodiscard]] std::optional<Mechanism> named() const;

  /// Refuses (InvalidInput) two budgets, and a missing one: mu for gaussian-curve, epsilon otherwise.
  void require_budget() const;

  /// The mechanism named, or the one the other options represent.
  [[nodiscard]] Mechanism chosen() const;

  /// The parameters of one draw over `outcome_count` outcomes. Borrows the masses, and the rows
  /// that `channel_rows` read.
  MechanismParameters parameters(std::size_t outcome_count,
                                 std::span<const double> reference_masses,
                                 std::span<const double> rows = {}) const;
  /// Of --channel; empty without it.
  [[nodiscard]] std::vector<double> channel_rows(std::size_t outcome_count) const;

 private:
  [[nodiscard]] LocalSpec spec() const;
};

// -----------------------------------------------------------------------------------------------
// The flags that say what to release, or what to plan.

/// Adds the flag of each part that has one. Help shows those that one of the methods has; the
/// others are taken only to be refused by what they are for.
void add_part_flags(CLI::App& command, std::span<const Part> parts, Methods methods = kEveryMethod);

/// Every method with what it releases and protects, a line each; and one in sentences.
std::string methods_help();
std::string method_help(Method method);

/// Says in help that --mechanism takes "all".
void take_every_mechanism(CLI::App& command);

/// Gives an option the help, the name of its value and the group that the part of its flag has in
/// these methods.
CLI::Option* describe(CLI::Option* option, Methods methods = kDrawMethods,
                      std::span<const Part> parts = spec_parts());

/// The method, if it is given, and the parts given as flags, as a JSON form; nothing is checked but
/// numbers.
Json given_parts(const CLI::App& command, std::span<const Part> parts,
                 std::optional<Method> method = std::nullopt);

/// The first of these flags that is given; empty if none is.
std::string first_given_part(const CLI::App& command, std::span<const Part> parts);

}  // namespace mollify::cli
