// A release is never drawn with a seed.
// expected: SecureRandom
#include "core/table.h"
#include "domain/candidates.h"

std::size_t release(const mollify::Table& table, mollify::SecureRandom& secure,
                    mollify::SeededRandom& seeded) {
#if defined(MISUSE)
  static_cast<void>(secure);
  return table.draw(seeded);
#else
  static_cast<void>(seeded);
  return table.draw(secure);
#endif
}
