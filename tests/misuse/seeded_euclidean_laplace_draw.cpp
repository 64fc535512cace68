// Noise that a seed tells is no noise.
// expected: SecureRandom
#include "domain/candidates.h"
#include "kernel/noise.h"

void release(const mollify::EuclideanLaplace& noise, std::span<std::int64_t> vector,
             mollify::SecureRandom& secure, mollify::SeededRandom& seeded) {
#if defined(MISUSE)
  static_cast<void>(secure);
  noise.draw(vector, seeded);
#else
  static_cast<void>(seeded);
  noise.draw(vector, secure);
#endif
}
