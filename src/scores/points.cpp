#include "scores/points.h"

#include <algorithm>
#include <utility>

#include "base/refusal.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Points whose columns are numbers, categories and ordered values.

MixedPoints::MixedPoints(std::vector<MixedColumn> columns, std::size_t size)
    : Points(columns.size(), size), columns_(std::move(columns)) {
  constexpr std::uint32_t kMostLevels = 1U << 24U;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::uint32_t levels = columns_[c].levels;
    if (columns_[c].scale == Scale::kNumber) {
      refuse_if(levels != 0, "out-of-range", {}, "number column {} must have 0 levels, but has {}",
                c, levels);
    } else if (levels == 0 || levels > kMostLevels) {
      refuse_input("out-of-range", {},
                   "the levels of column {} must be between 1 and {}, but are {}", c, kMostLevels,
                   levels);
    }
  }
}

// -----------------------------------------------------------------------------------------------
// The shape of everything that scores public candidates by private rows.

Scorer::Scorer(const MixedPoints& candidates)
    : columns_(candidates.columns().begin(), candidates.columns().end()),
      candidate_count_(candidates.size()) {}

void Scorer::check_shapes(const MixedPoints& rows, std::span<const float> scores) const {
  refuse_if(!std::ranges::equal(rows.columns(), columns_), "wrong-shape", {},
            "rows must have the {} columns of the candidates, but have {} others", columns_.size(),
            rows.columns().size());
  refuse_if(scores.size() != candidate_count_, "wrong-shape", {},
            "there must be a score for each of {} candidates, but there are {}", candidate_count_,
            scores.size());
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
