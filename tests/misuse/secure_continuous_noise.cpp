// Noise in floating point protects nothing: no release may draw it.
// expected: SeededRandom
#include "kernel/core/secure_random.h"
#include "laboratory/measure/continuous_noise.h"

void release(std::span<double> noise, mollify::SecureRandom& secure,
             mollify::SeededRandom& seeded) {
#if defined(MISUSE)
  static_cast<void>(seeded);
  mollify::simulate_gaussian_not_private(1, noise, secure);
#else
  static_cast<void>(secure);
  mollify::simulate_gaussian_not_private(1, noise, seeded);
#endif
}
