// A release by rejection is never drawn with a seed.
// expected: SecureRandom
#include "laboratory/boosting/chains.h"

std::size_t release(const mollify::Acceptance& acceptance, std::span<const double> scores,
                    mollify::SecureRandom& secure, mollify::SeededRandom& seeded) {
#if defined(MISUSE)
  static_cast<void>(secure);
  return acceptance.draw(scores, seeded);
#else
  return acceptance.draw(scores, secure) + acceptance.simulate(scores, seeded);
#endif
}
