#include "central/product_sampler.h"

#include <array>
#include <cmath>

#include "accounting/composition.h"
#include "accounting/directed_rounding.h"
#include "central/subset_sampler.h"
#include "kernel/core/invalid_input.h"
#include "kernel/order/subsample.h"

namespace mollify {
namespace {

unsigned validated(unsigned coordinates) {
  require_between("the number of coordinates", coordinates, 1, 24);
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

std::vector<std::uint32_t> ProductSampler::draw_of(const OutcomeHistogram& histogram,
                                                   SecureRandom& random) const {
  std::vector<std::uint32_t> outputs(outputs_);
  for (unsigned j = 0; j < coordinates_; ++j) {
    const std::uint64_t ones = ones_of(histogram, j);
    RecordsLeft bits(std::array{records_ - ones, ones});
    for (std::uint32_t& output : outputs) {
      const std::size_t bit = response_.draw(bits.take(random), random);
      output |= static_cast<std::uint32_t>(bit) << j;
    }
  }
  return outputs;
}

std::uint64_t ones_of(const OutcomeHistogram& histogram, unsigned coordinate) {
  std::uint64_t ones = 0;
  for (std::size_t i = 0; i < histogram.keys.size(); ++i) {
    if ((histogram.keys[i] >> coordinate & 1U) != 0) ones += histogram.counts[i];
  }
  return ones;
}

}  // namespace mollify
