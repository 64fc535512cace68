// Noise that a seed tells is no noise.
// expected: SecureRandom
#include "domain/candidates.h"
#include "kernel/noise.h"

std::int64_t release(const mollify::DiscreteLaplace& noise, mollify::SecureRandom& secure,
                     mollify::SeededRandom& seeded) {
#if defined(MISUSE)
  static_cast<void>(secure);
  return noise.perturb(1, seeded);
#else
  static_cast<void>(seeded);
  return noise.perturb(1, secure);
#endif
}
