#include "local/scored_table.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "kernel/search/projection.h"

namespace mollify {

void score_against_reference(const Scorer& scorer, const MixedPoints& rows,
                             std::span<const float> densities, std::span<float> scores) {
  if (!densities.empty() && densities.size() != scores.size()) {
    throw InvalidInput(fmt::format("{} outcomes need as many densities, but there are {}",
                                   scores.size(), densities.size()));
  }
  scorer.score(rows, scores);
  if (!densities.empty() && !scorer.scores_are_ratios()) {
    std::transform(scores.begin(), scores.end(), densities.begin(), scores.begin(),
                   std::divides<>());
  }
}

ScoredTable::ScoredTable(const Band& band) : table_(band), scores_(band.outcome_count()) {}

void ScoredTable::assign(const Scorer& scorer, const MixedPoints& rows,
                         std::span<const float> densities) {
  score_against_reference(scorer, rows, densities, scores_);
  project(table_, scores_);
}

}  // namespace mollify
