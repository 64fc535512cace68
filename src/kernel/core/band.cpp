#include "kernel/core/band.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "kernel/core/invalid_input.h"

namespace mollify {

namespace {

/// The exact sum of up to 2^32 numbers, from those modulo 2^64 and of their high halves. How many
/// they are is best known to the compiler.
template <std::size_t kExtent>
uint128 sum_of(std::span<const std::uint64_t, kExtent> numbers) {
  std::uint64_t sum = 0, high = 0;
  for (const std::uint64_t number : numbers) {
    sum += number;
    high += number >> 32;
  }
  return (uint128{high} << 32) + (sum - (high << 32));
}

}  // namespace

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
  const std::size_t k = band.outcome_count_;
  band.prefix_.reserve(k / kRun + 2);
  uint128 lower_sum = 0;
  for (std::size_t begin = 0; begin < k; begin += kRun) {
    band.prefix_.push_back(static_cast<std::uint64_t>(lower_sum));  // exact if there is room
    const std::span<const std::uint64_t> rest = std::span(band.lowers_).subspan(begin);
    lower_sum += rest.size() < kRun ? sum_of(rest) : sum_of(rest.first<kRun>());
  }
  band.prefix_.push_back(static_cast<std::uint64_t>(lower_sum));
  // Rounding takes less than 1 from each upper bound. Where that might count, they are added up.
  uint128 upper_sum = 0;
  const bool has_room =
      lower_sum <= total && bound.times_floor(band.prefix_.back(), total + k) == total + k;
  for (std::size_t i = 0; i < k && !has_room; ++i) upper_sum += band.upper(i);
  band.require_room(lower_sum, has_room ? total : upper_sum);
  return band;
}

std::size_t Band::outcome_at(std::uint64_t position) const {
  if (is_uniform()) return static_cast<std::size_t>(position / lower_);
  const auto after = std::upper_bound(prefix_.begin(), prefix_.end(), position);
  std::size_t i = (static_cast<std::size_t>(after - prefix_.begin()) - 1) * kRun;
  for (position -= *(after - 1); position >= lowers_[i]; ++i) position -= lowers_[i];
  return i;
}

}  // namespace mollify
