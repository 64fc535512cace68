#include "kernel/order/subsample.h"

#include <cmath>
#include <limits>
#include <string>

#include "kernel/core/invalid_input.h"

namespace mollify {

std::vector<std::uint32_t> subsample(std::span<const std::uint32_t> values, std::size_t count,
                                     SecureRandom& random) {
  if (count > values.size()) {
    throw InvalidInput("a subsample must be of at most " + std::to_string(values.size()) +
                       " records, which is all there are, but is of " + std::to_string(count));
  }
  return detail::subsample_with(values, count, random);
}

PoissonSubsample::PoissonSubsample(double rate) {
  if (!(rate >= 0x1p-64 && rate <= 1)) {
    throw InvalidInput("the rate of a subsample must be from 2^-64 to 1, but is " +
                       detail::shortest(rate));
  }
  const double threshold = std::floor(std::ldexp(rate, 64));
  rate_ = std::ldexp(threshold, -64);
  greatest_ = rate == 1 ? std::numeric_limits<std::uint64_t>::max()
                        : static_cast<std::uint64_t>(threshold) - 1;
}

std::vector<std::uint32_t> PoissonSubsample::draw(std::span<const std::uint32_t> values,
                                                  SecureRandom& random) const {
  std::vector<std::uint32_t> kept;
  kept.reserve(static_cast<std::size_t>(rate_ * static_cast<double>(values.size())));
  for (const std::uint32_t value : values) {
    if (keeps(random.word())) kept.push_back(value);
  }
  return kept;
}

}  // namespace mollify
