#include "mollify/local/scored_table.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "mollify/kernel/invalid_input.h"

namespace mollify {

ScoredTable::ScoredTable(const Band& band) : table_(band), scores_(band.outcome_count()) {}

void ScoredTable::assign(const Scorer& scorer, const MixedPoints& rows,
                         std::span<const float> densities) {
  if (!densities.empty() && densities.size() != scores_.size()) {
    throw InvalidInput(fmt::format("{} outcomes need as many densities, but there are {}",
                                   scores_.size(), densities.size()));
  }
  scorer.score(rows, scores_);
  if (!densities.empty() && !scorer.scores_are_ratios()) {
    std::transform(scores_.begin(), scores_.end(), densities.begin(), scores_.begin(),
                   std::divides<>());
  }
  table_.assign(scores_);
}

}  // namespace mollify
