// The options that say what a release chooses from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "release/release_space.h"
#include "release/scorer_kind.h"

namespace mollify::cli {

/// As given; nothing is checked but names.
struct SpaceOptions {
  std::optional<std::string> space, candidates_file, score;
  std::optional<std::uint64_t> cells, candidates;
  bool fresh = false;
  bool trees = false;

  /// Adds --space, --cells, --candidates, --fresh, --trees, --candidates-file and --score to a
  /// command.
  void add_to(CLI::App& command);

  /// What is asked for. Throws InvalidInput for an unknown name.
  [[nodiscard]] SpaceSpec request() const;
  [[nodiscard]] std::optional<ScorerKind> chosen_scorer() const;
  /// The one asked for, or the space's usual one.
  [[nodiscard]] ScorerKind scorer_for(SpaceKind kind) const;
};

}  // namespace mollify::cli
