// The options of the central model.
#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "central/central_design.h"

namespace mollify::cli {

/// As given; nothing is checked.
struct CentralOptions {
  std::optional<double> delta, rho, rate;
  std::optional<std::string> support;

  /// Adds --delta, --rho, --rate and --support to a command.
  void add_to(CLI::App& command);

  /// Refuses (InvalidInput) all of them, for the models that have none.
  void refuse_for(const std::string& model) const;
};

/// The mechanism of that name; none for "auto" and where none is named. Throws InvalidInput for an
/// unknown name.
std::optional<CentralMechanism> chosen_central_mechanism(const std::optional<std::string>& name);

/// "auto, subsampled-rr, ...": what --mechanism takes.
std::string central_mechanisms_text();

}  // namespace mollify::cli
