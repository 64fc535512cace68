// A coin that decides a release is never thrown with a seed.
// expected: SecureRandom
#include "kernel/noise/bernoulli_exp.h"

bool release(const mollify::BernoulliExp& coin, mollify::SecureRandom& secure,
             mollify::SeededRandom& seeded) {
#if defined(MISUSE)
  static_cast<void>(secure);
  return coin.draw(seeded);
#else
  return coin.draw(secure) && coin.simulate(seeded);
#endif
}
