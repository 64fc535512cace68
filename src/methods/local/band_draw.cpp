#include "methods/local/band_draw.h"

#include <algorithm>

namespace mollify {

std::vector<double> dense_scores(std::span<const std::uint32_t> outcomes,
                                 std::span<const double> weights, std::size_t outcome_count) {
  std::vector<double> scores(outcome_count);
  const std::size_t count = std::min(outcomes.size(), weights.size());
  for (std::size_t j = 0; j < count; ++j) {
    if (outcomes[j] < outcome_count) scores[outcomes[j]] += weights[j];
  }
  return scores;
}

void draw_all(const Table& table, SecureRandom& random, std::span<std::uint32_t> released) {
  if (released.size() > table.band().outcome_count()) {
    const AliasTable many(table);
    for (std::uint32_t& outcome : released) {
      outcome = static_cast<std::uint32_t>(many.draw(random));
    }
    return;
  }
  for (std::uint32_t& outcome : released) outcome = static_cast<std::uint32_t>(table.draw(random));
}

}  // namespace mollify
