// The options that say which mechanism, the same for every command.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "local/mechanism.h"
#include "release/spec.h"

namespace mollify::cli {

/// As given; nothing is checked but the mechanism's name.
struct MechanismOptions {
  std::optional<std::string> mechanism;
  std::optional<double> epsilon;
  std::optional<double> mu;
  std::optional<double> c1;
  std::optional<double> c2;
  std::optional<double> gamma;
  std::optional<std::string> reference;
  std::optional<std::string> band;

  /// Adds --mechanism, --epsilon, --mu, --c1, --c2, --gamma and --reference to a command, whose
  /// budget is spent on "all draws of a unit together" or "one draw".
  void add_to(CLI::App& command, const std::string& reference_help, std::string_view spent_on);

  /// Adds --band to a command.
  void add_band_to(CLI::App& command);

  /// The mechanism named; none if none is. Throws InvalidInput for an unknown name.
  [[nodiscard]] std::optional<Mechanism> named() const;

  /// Refuses (InvalidInput) what names no budget: mu for gaussian-curve, epsilon otherwise.
  void require_budget() const;

  /// The mechanism named, or the one the other options stand for.
  [[nodiscard]] Mechanism chosen() const;

  /// The parameters of one draw over `outcome_count` outcomes of a space.
  MechanismParameters parameters(std::size_t outcome_count,
                                 std::span<const double> reference_masses,
                                 SpaceKind space = SpaceKind::kCategories) const;

 private:
  [[nodiscard]] LocalSpec spec() const;
};

}  // namespace mollify::cli
