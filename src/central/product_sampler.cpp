#include "central/product_sampler.h"

#include <cmath>

#include <fmt/format.h>

#include "accounting/composition.h"
#include "accounting/directed_rounding.h"
#include "central/subset_sampler.h"
#include "kernel/core/invalid_input.h"
#include "kernel/order/subsample.h"

namespace mollify {
namespace {

unsigned validated(unsigned coordinates) {
  if (coordinates < 1 || coordinates > 24) {
    throw InvalidInput(
        fmt::format("the number of coordinates must be from 1 to 24, but is {}", coordinates));
  }
  return coordinates;
}

}  // namespace

ProductSampler::ProductSampler(unsigned coordinates, std::uint64_t records, std::uint64_t outputs,
                               double epsilon)
    : response_(2, epsilon_per_draw_down(epsilon, validated(coordinates)), records, outputs),
      coordinates_(coordinates),
      records_(records),
      outputs_(outputs),
      // Above 30 for each coordinate, randomized response gives less than asked for.
      epsilon_(std::fmin(epsilon, ExpBound::kGreatestEpsilon * coordinates)) {}

double ProductSampler::total_variation_up() const {
  return std::fmin(1, mul_up(coordinates_, mollify::total_variation_up(response_)));
}

std::vector<std::uint32_t> ProductSampler::draw_of(std::span<const std::uint32_t> records,
                                                   SecureRandom& random) const {
  std::vector<std::uint32_t> outputs(outputs_);
  for (unsigned j = 0; j < coordinates_; ++j) {
    const std::vector<std::uint32_t> chosen = subsample(records, outputs_, random);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const std::uint32_t record = chosen[i] < outcome_count() ? chosen[i] : 0;
      const std::size_t bit = response_.draw(record >> j & 1U, random);
      outputs[i] |= static_cast<std::uint32_t>(bit) << j;
    }
  }
  return outputs;
}

}  // namespace mollify
