#include "kernel/core/band.h"

#include <algorithm>
#include <string>
#include <utility>

#include "kernel/core/invalid_input.h"

namespace mollify {

Band::Band(const ExpBound& bound, std::size_t outcome_count, std::uint64_t total)
    : bound_(bound), outcome_count_(outcome_count), total_(total) {
  require_between("the number of outcomes", outcome_count, 1, kMostOutcomes);
  if (total < 1 || total > kGreatestTotal) {
    throw InvalidInput("the total must be from 1 to 2^62, but is " + std::to_string(total));
  }
}

void Band::require_room(uint128 lower_sum, uint128 upper_sum) const {
  if (lower_sum <= total_ && total_ <= upper_sum) return;
  throw InvalidInput("no table of " + std::to_string(total_) + " parts fits a band of " +
                     std::to_string(outcome_count_) +
                     " outcomes at epsilon = " + detail::shortest(epsilon()) +
                     (lower_sum > total_ ? ": the lower bounds sum to more than the whole"
                                         : ": the upper bounds sum to less than the whole"));
}

Band Band::make(std::size_t outcome_count, std::uint64_t lower, const ExpBound& bound,
                std::uint64_t total) {
  Band band(bound, outcome_count, total);
  band.lower_ = lower;
  band.upper_ = bound.times_floor(lower, total);
  band.require_room(uint128{lower} * outcome_count, uint128{band.upper_} * outcome_count);
  return band;
}

Band Band::make(std::vector<std::uint64_t> lowers, const ExpBound& bound, std::uint64_t total) {
  Band band(bound, lowers.size(), total);
  band.lowers_ = std::move(lowers);
  band.uppers_.resize(band.outcome_count_);
  band.prefix_.resize(band.outcome_count_ + 1);
  uint128 lower_sum = 0;
  uint128 upper_sum = 0;
  for (std::size_t i = 0; i < band.outcome_count_; ++i) {
    band.uppers_[i] = bound.times_floor(band.lowers_[i], total);
    lower_sum += band.lowers_[i];
    upper_sum += band.uppers_[i];
    band.prefix_[i + 1] = static_cast<std::uint64_t>(lower_sum);  // exact if there is room
  }
  band.require_room(lower_sum, upper_sum);
  return band;
}

std::size_t Band::outcome_at(std::uint64_t position) const {
  if (is_uniform()) return static_cast<std::size_t>(position / lower_);
  const auto after = std::upper_bound(prefix_.begin(), prefix_.end(), position);
  return static_cast<std::size_t>(after - prefix_.begin()) - 1;
}

}  // namespace mollify
