#include "kernel/core/sparse_table.h"

#include <algorithm>
#include <numeric>

namespace mollify {

SparseTable::SparseTable(const Band& band) : band_(&band) {
  take({}, {});
  fit_reference(bounds(), {numerators_, block_sums_});
}

void SparseTable::copy_tidy(std::span<const std::uint32_t> outcomes,
                            std::span<const double> scores) {
  const std::size_t count = std::min(outcomes.size(), scores.size());
  outcomes_.clear();
  scores_.clear();
  bool ascending = true;
  for (std::size_t j = 0; j < count; ++j) {
    if (outcomes[j] >= band_->outcome_count()) continue;
    ascending = ascending && (outcomes_.empty() || outcomes_.back() < outcomes[j]);
    outcomes_.push_back(outcomes[j]);
    scores_.push_back(scores[j]);
  }
  if (ascending) return;
  std::vector<std::size_t> order(outcomes_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return outcomes_[a] < outcomes_[b]; });
  std::vector<std::uint32_t> sorted_outcomes;
  std::vector<double> sorted_scores;
  for (const std::size_t j : order) {
    if (!sorted_outcomes.empty() && sorted_outcomes.back() == outcomes_[j]) {
      sorted_scores.back() += scores_[j];
    } else {
      sorted_outcomes.push_back(outcomes_[j]);
      sorted_scores.push_back(scores_[j]);
    }
  }
  outcomes_ = std::move(sorted_outcomes);
  scores_ = std::move(sorted_scores);
}

void SparseTable::take(std::span<const std::uint32_t> outcomes, std::span<const double> scores) {
  copy_tidy(outcomes, scores);
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

SparseTable::Probability SparseTable::probability(std::size_t i) const {
  const auto found = std::lower_bound(outcomes_.begin(), outcomes_.end(), i);
  if (found != outcomes_.end() && *found == i) {
    return {numerators_[static_cast<std::size_t>(found - outcomes_.begin())], band_->total()};
  }
  return {static_cast<uint128>(numerators_.back()) * band_->lower(i),
          static_cast<uint128>(band_->total()) * std::max<std::uint64_t>(lowers_.back(), 1)};
}

std::size_t SparseTable::locate(std::uint64_t position) const {
  std::size_t block = 0;
  while (position >= block_sums_[block]) position -= block_sums_[block++];
  std::size_t j = block * kBlock;
  while (position >= numerators_[j]) position -= numerators_[j++];
  return j;
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
