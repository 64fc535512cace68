// A release is never drawn with a seed.
// expected: SecureRandom
#include "kernel/core/table.h"

std::size_t release(const mollify::Table& table, mollify::SecureRandom& secure,
                    mollify::SeededRandom& seeded) {
#if defined(MISUSE)
  static_cast<void>(secure);
  return table.draw(seeded);
#else
  return table.draw(secure) + table.simulate(seeded);
#endif
}
