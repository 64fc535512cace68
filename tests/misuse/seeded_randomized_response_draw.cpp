// A report is never drawn with a seed.
// expected: SecureRandom
#include "kernel/core/randomized_response.h"

std::size_t report(const mollify::RandomizedResponse& response, mollify::SecureRandom& secure,
                   mollify::SeededRandom& seeded) {
#if defined(MISUSE)
  static_cast<void>(secure);
  return response.draw(0, seeded);
#else
  return response.draw(0, secure) + response.simulate(0, seeded);
#endif
}
