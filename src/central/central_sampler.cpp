#include "central/central_sampler.h"

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {

std::vector<std::uint32_t> CentralSampler::draw(std::span<const std::uint32_t> records,
                                                SecureRandom& random) const {
  if (records.size() != record_count()) {
    throw InvalidInput(fmt::format("a draw must be from the {} records of its design, but has {}",
                                   record_count(), records.size()));
  }
  return draw_of(records, random);
}

}  // namespace mollify
