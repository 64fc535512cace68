#include "kernel/core/sparse_table.h"

#include <algorithm>

namespace mollify {

SparseTable::SparseTable(const Band& band) : band_(&band) {
  take({}, {});
  fit_reference(bounds(), {numerators_, block_sums_});
}

void SparseTable::take(std::span<const std::uint32_t> outcomes, std::span<const double> scores) {
  outcomes_.clear();
  scores_.clear();
  std::size_t least = 0;
  for (std::size_t j = 0; j < std::min(outcomes.size(), scores.size()); ++j) {
    if (outcomes[j] < least || outcomes[j] >= band_->outcome_count()) continue;
    outcomes_.push_back(outcomes[j]);
    scores_.push_back(scores[j]);
    least = outcomes_.back() + std::size_t{1};
  }
  const std::size_t scored = outcomes_.size();
  lowers_.resize(scored + 1);
  numerators_.resize(scored + 1);
  block_sums_.resize((scored + kBlock) / kBlock);
  scored_before_.resize(scored + 1);
  scored_before_[0] = 0;
  for (std::size_t j = 0; j < scored; ++j) {
    lowers_[j] = band_->lower(outcomes_[j]);
    scored_before_[j + 1] = scored_before_[j] + lowers_[j];
  }
  scores_.push_back(0);
  lowers_[scored] = band_->lower_before(band_->outcome_count()) - scored_before_[scored];
}

Bounds SparseTable::bounds() const {
  Bounds bounds = bounds_of(*band_);
  bounds.lowers = lowers_.data();
  bounds.size = lowers_.size();
  return bounds;
}

std::size_t SparseTable::locate_unscored(std::uint64_t position) const {
  // Walk from unscored positions to positions among all lower bounds: step over every scored
  // outcome that comes before. Those are the ones whose unscored prefix is at most the position.
  const auto after = std::partition_point(
      scored_before_.begin(), scored_before_.end() - 1, [&](const std::uint64_t& before) {
        const auto j = static_cast<std::size_t>(&before - scored_before_.data());
        return band_->lower_before(outcomes_[j]) - before <= position;
      });
  return band_->outcome_at(position + *after);
}

}  // namespace mollify
