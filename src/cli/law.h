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

namespace mollify::cli {

/// Divergences of P from its law that are printed if asked for, beside those that always are.
struct MoreDivergences {
  std::optional<double> renyi;         ///< its order
  std::optional<double> hockey_stick;  ///< its gamma

  /// Adds --renyi and --hockey-stick to a command.
  void add_to(CLI::App& command);
};

/// How well a law finds P, and their divergences, for programs and for people.
struct LawDivergences {
  Json json;
  std::string text;

  LawDivergences(std::span<const double> p, std::span<const double> law,
                 const MoreDivergences& more);
};

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
                         const MoreDivergences& more, bool json);

}  // namespace mollify::cli
