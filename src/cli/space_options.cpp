#include "space_options.h"

#include <fmt/format.h>

#include "command.h"
#include "kernel/core/invalid_input.h"

namespace mollify::cli {

void SpaceOptions::add_to(CLI::App& command) {
  const std::string group = "Space, all of it public";
  command
      .add_option("--space", space,
                  "categories, grid or candidates (default: what the domain suggests)")
      ->type_name("KIND")
      ->group(group);
  add_whole_number(command, "--cells", cells, "cells of a grid, in all (default: 65536)")
      ->group(group);
  add_whole_number(command, "--candidates", candidates,
                   "how many public records to choose from (default: 65536)")
      ->group(group);
  command.add_flag("--fresh", fresh, "new candidates for each unit, instead of one shared list")
      ->group(group);
  command.add_option("--candidates-file", candidates_file, "a list made by mollify candidates")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option(
          "--score", score,
          "kernel, empirical, histogram, gaussian-mixture, ratio or mbde: how rows become an "
          "estimate (default: empirical for categories, kernel otherwise)")
      ->type_name("NAME")
      ->group(group);
}

SpaceSpec SpaceOptions::request() const {
  SpaceSpec request{
      .cells = cells, .candidates = candidates, .fresh = fresh, .scorer = chosen_scorer()};
  if (candidates_file) request.list = PublicFile{*candidates_file};
  if (space) request.kind = value_named<SpaceKind>("space", *space);
  return request;
}

std::optional<ScorerKind> SpaceOptions::chosen_scorer() const {
  if (!score) return std::nullopt;
  return value_named<ScorerKind>("score", *score);
}

ScorerKind SpaceOptions::scorer_for(SpaceKind kind) const {
  return chosen_scorer().value_or(usual_scorer(kind));
}

}  // namespace mollify::cli
