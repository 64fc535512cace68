// A report is never drawn with a seed.
// expected: SecureRandom
#include "domain/candidates.h"
#include "kernel/channels.h"

std::size_t report(const mollify::RandomizedResponse& response, mollify::SecureRandom& secure,
                   mollify::SeededRandom& seeded) {
#if defined(MISUSE)
  static_cast<void>(secure);
  return response.draw(0, seeded);
#else
  static_cast<void>(seeded);
  return response.draw(0, secure);
#endif
}
