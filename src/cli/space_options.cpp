#include "space_options.h"

#include "accounting/nearest_name.h"
#include "command.h"
#include "spec_options.h"

namespace mollify::cli {

void SpaceOptions::add_to(CLI::App& command) {
  describe(command.add_option("--space", space));
  describe(add_whole_number(command, "--cells", cells));
  describe(add_whole_number(command, "--candidates", candidates));
  describe(command.add_flag("--fresh", fresh));
  describe(command.add_flag("--trees", trees));
  describe(command.add_option("--candidates-file", candidates_file));
  describe(command.add_option("--score", score));
}

SpaceSpec SpaceOptions::request() const {
  SpaceSpec request{.cells = cells,
                    .candidates = candidates,
                    .fresh = fresh,
                    .trees = trees,
                    .scorer = chosen_scorer()};
  if (candidates_file) request.list = PublicFile{*candidates_file};
  if (space) request.kind = known_value<SpaceKind>("space", *space);
  return request;
}

std::optional<ScorerKind> SpaceOptions::chosen_scorer() const {
  if (!score) return std::nullopt;
  return known_value<ScorerKind>("score", *score);
}

ScorerKind SpaceOptions::scorer_for(SpaceKind kind) const {
  return chosen_scorer().value_or(usual_scorer(kind));
}

}  // namespace mollify::cli
