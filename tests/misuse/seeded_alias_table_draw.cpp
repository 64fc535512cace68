// A release is never drawn with a seed.
// expected: SecureRandom
#include "domain/candidates.h"
#include "kernel/channels.h"

std::size_t release(const mollify::AliasTable& table, mollify::SecureRandom& secure,
                    mollify::SeededRandom& seeded) {
#if defined(MISUSE)
  static_cast<void>(secure);
  return table.draw(seeded);
#else
  static_cast<void>(seeded);
  return table.draw(secure);
#endif
}
