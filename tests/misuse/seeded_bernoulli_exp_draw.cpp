// A coin that decides a release is never thrown with a seed.
// expected: SecureRandom
#include "domain/candidates.h"
#include "kernel/coins.h"

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
