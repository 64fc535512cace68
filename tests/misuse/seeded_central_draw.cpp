// A central release is never drawn with a seed.
// expected: no matching
#include "domain/candidates.h"
#include "methods/central/samplers.h"

std::vector<std::uint32_t> release(const mollify::CentralSampler& sampler,
                                   std::span<const std::uint32_t> records,
                                   mollify::SecureRandom& secure, mollify::SeededRandom& seeded) {
#if defined(MISUSE)
  static_cast<void>(secure);
  return sampler.draw(records, seeded);
#else
  static_cast<void>(seeded);
  return sampler.draw(records, secure);
#endif
}
