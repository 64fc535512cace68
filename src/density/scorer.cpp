#include "density/scorer.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {

Scorer::Scorer(const MixedPoints& candidates)
    : columns_(candidates.columns().begin(), candidates.columns().end()),
      candidate_count_(candidates.size()) {}

void Scorer::check_shapes(const MixedPoints& rows, std::span<const float> scores) const {
  if (!std::ranges::equal(rows.columns(), columns_)) {
    throw InvalidInput(
        fmt::format("rows must have the {} columns of the candidates, but have {} others",
                    columns_.size(), rows.columns().size()));
  }
  if (scores.size() != candidate_count_) {
    throw InvalidInput(
        fmt::format("there must be a score for each of {} candidates, but there are {}",
                    candidate_count_, scores.size()));
  }
}

void Scorer::score(const MixedPoints& rows, std::span<float> scores) const {
  check_shapes(rows, scores);
  if (rows.size() == 0) {
    std::ranges::fill(scores, 0.0F);
  } else {
    score_rows(rows, scores);
  }
}

}  // namespace mollify
