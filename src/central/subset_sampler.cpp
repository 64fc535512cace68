#include "central/subset_sampler.h"

#include <fmt/format.h>

#include "accounting/directed_rounding.h"
#include "kernel/core/invalid_input.h"
#include "kernel/order/subsample.h"

namespace mollify {

SubsetSampler::SubsetSampler(const RandomizedResponse& response, std::uint64_t records,
                             std::uint64_t chosen, const Privacy& guarantee)
    : response_(response), records_(records), chosen_(chosen), guarantee_(guarantee) {
  if (chosen < 1 || chosen > records) {
    throw InvalidInput(fmt::format(
        "the number of chosen records must be from 1 to all {}, but is {}", records, chosen));
  }
}

double SubsetSampler::total_variation_up() const { return mollify::total_variation_up(response_); }

std::vector<std::uint32_t> SubsetSampler::draw_of(const OutcomeHistogram& histogram,
                                                  SecureRandom& random) const {
  RecordsLeft records(histogram.counts);
  std::vector<std::uint32_t> outputs(chosen_);
  for (std::uint32_t& output : outputs) {
    const std::uint32_t value = histogram.keys[records.take(random)];
    output = static_cast<std::uint32_t>(response_.draw(value, random));
  }
  return outputs;
}

double total_variation_up(const RandomizedResponse& response) {
  return share_up(uint128{response.outcome_count() - 1} * response.other(), response.total());
}

}  // namespace mollify
