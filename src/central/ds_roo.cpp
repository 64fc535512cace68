#include "central/ds_roo.h"

#include <algorithm>

#include "accounting/directed_rounding.h"
#include "kernel/core/band.h"
#include "kernel/core/invalid_input.h"
#include "kernel/core/randomized_response.h"

namespace mollify {
namespace {

/// The least integer from 0 to `greatest` that satisfies a condition which holds from there on, and
/// at `greatest`.
template <class Condition>
std::uint64_t least_that(std::uint64_t greatest, const Condition& holds) {
  std::uint64_t low = 0;
  while (low < greatest) {
    const std::uint64_t middle = low + (greatest - low) / 2;
    if (holds(middle)) {
      greatest = middle;
    } else {
      low = middle + 1;
    }
  }
  return greatest;
}

}  // namespace

DsRoo::DsRoo(std::uint64_t outcomes, std::uint64_t records, double epsilon)
    : bound_(epsilon), outcomes_(outcomes), records_(records) {
  require_between("the number of outcomes", outcomes, 1, Band::kMostOutcomes);
  require_between("the number of records", records, 1, RandomizedResponse::kMostRecords);
  if (outcomes == 1) {
    obscured_.push_back(0);
    return;
  }
  obscured_.push_back(
      least_that(kTotal, [&](std::uint64_t first) { return same_least_holds(0, first, bound_); }));
  for (std::uint64_t least = 0; least < records / outcomes && obscured_.back() > 0; ++least) {
    const std::uint64_t before = obscured_.back();
    obscured_.push_back(least_that(
        before, [&](std::uint64_t after) { return step_holds(least, before, after, bound_); }));
  }
}

bool DsRoo::same_least_holds(std::uint64_t least, std::uint64_t obscured,
                             const ExpBound& bound) const {
  return bound.allows(numerator_for(obscured, uint128{least} + 1),
                      numerator_for(obscured, uint128{least}));
}

bool DsRoo::step_holds(std::uint64_t least, std::uint64_t before, std::uint64_t after,
                       const ExpBound& bound) const {
  const auto within = [&](uint128 count_before, uint128 count_after) {
    const uint128 first = numerator_for(before, count_before);
    const uint128 second = numerator_for(after, count_after);
    return bound.allows(first, second) && bound.allows(second, first);
  };
  const uint128 j = least;
  const uint128 greatest = records_ - j - (outcomes_ - 2) * (j + 1);
  // The ends of each range decide, and the others follow: h rises with c, so (j + 1, j + 1) follows
  // from the first two; h_(j+1) rises no slower than h_j, so (r, r - 1) from the second and (r, r).
  return same_least_holds(least + 1, after, bound) && within(j, j + 1) && within(j + 2, j + 1) &&
         within(greatest, greatest);
}

bool DsRoo::satisfies(const ExpBound& bound) const {
  if (outcomes_ == 1) return true;
  if (!same_least_holds(0, obscured_[0], bound)) return false;
  // After the first 0 all are 0; one step more is the hardest of those.
  for (std::uint64_t least = 0; least < records_ / outcomes_ && least < obscured_.size(); ++least) {
    if (!step_holds(least, obscured(least), obscured(least + 1), bound)) return false;
  }
  return true;
}

double DsRoo::total_variation_up() const {
  return share_up(uint128{outcomes_ - 1} * obscured_[0], uint128{outcomes_} * kTotal);
}

std::uint64_t DsRoo::least_count(const OutcomeHistogram& histogram) const {
  if (histogram.keys.size() < outcomes_) return 0;
  return *std::min_element(histogram.counts.begin(), histogram.counts.end());
}

std::vector<std::uint32_t> DsRoo::draw_of(const OutcomeHistogram& histogram,
                                          SecureRandom& random) const {
  const bool is_obscured = random.below(kTotal) < obscured(least_count(histogram));
  const auto uniform = static_cast<std::uint32_t>(random.below(outcomes_));
  std::uint64_t position = random.below(records_);  // of a record, outcome after outcome
  std::size_t i = 0;
  while (position >= histogram.counts[i]) position -= histogram.counts[i++];
  return {is_obscured ? uniform : histogram.keys[i]};
}

}  // namespace mollify
