// A coin that decides a release is never thrown with a seed.
// expected: SecureRandom
#include "kernel/noise/bernoulli_exp.h"
#include "space/seeded_random.h"

bool release(const mollify::BernoulliExp& coin, mollify::SecureRandom& secure,
             mollify::SeededRandom& seeded) {
#if defined(MISUSE)
  static_cast<void>(secure);
  return coin.draw(seeded);
#else
  static_cast<void>(seeded);
  return coin.draw(secure);
#endif
}
