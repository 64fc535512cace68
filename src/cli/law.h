// What `mollify law` does with a density on R^d.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/main.h"
#include "cli/options.h"
#include "laboratory/law/discrete_law.h"

namespace mollify::cli {

/// Adds --renyi and --hockey-stick to a command.
void add_more_divergences(CLI::App& command, MoreDivergences& more);

/// As given; nothing is checked.
struct DensityOptions {
  std::optional<std::string> density;
  std::optional<std::string> band;
  std::optional<std::uint64_t> cells;
  std::optional<std::uint64_t> candidates;
  std::vector<std::string> at, regions;
  std::optional<std::string> raster, raster_box, out;
  bool overwrite = false;

  /// Adds --density, --band, --cells, --candidates, --at, --region, --raster, --raster-box,
  /// --out and --overwrite to a command.
  void add_to(CLI::App& command);

  /// Whether the command is about a density. Throws InvalidInput if it is not, and yet an option
  /// that only a density has is given.
  [[nodiscard]] bool given() const;
};

/// Prints the scale, the band, the divergences, the fit, regions' masses and the law at points, and
/// writes a raster; returns the exit status.
int print_law_of_density(const DensityOptions& options, const MechanismOptions& mechanism,
                         const std::optional<std::string>& other, const MoreDivergences& more,
                         bool json);

}  // namespace mollify::cli
