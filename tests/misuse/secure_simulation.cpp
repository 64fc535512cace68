// Nor does analysis use up the secure source by mistake: what is simulated is not a release.
// expected: SeededRandom
#include "kernel/core/table.h"

std::size_t simulate(const mollify::Table& table, mollify::SecureRandom& secure,
                     mollify::SeededRandom& seeded) {
#if defined(MISUSE)
  static_cast<void>(seeded);
  return table.simulate(secure);
#else
  static_cast<void>(secure);
  return table.simulate(seeded);
#endif
}
