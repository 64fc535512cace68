// Noise that a seed tells is no noise.
// expected: SecureRandom
#include "kernel/noise/euclidean_laplace.h"

void release(const mollify::EuclideanLaplace& noise, std::span<std::int64_t> vector,
             mollify::SecureRandom& secure, mollify::SeededRandom& seeded) {
#if defined(MISUSE)
  static_cast<void>(secure);
  noise.draw(vector, seeded);
#else
  noise.draw(vector, secure);
  noise.simulate(vector, seeded);
#endif
}
