// A release is never drawn with a seed.
// expected: SecureRandom
#include "kernel/core/sparse_table.h"

std::size_t release(const mollify::SparseTable& table, mollify::SecureRandom& secure,
                    mollify::SeededRandom& seeded) {
#if defined(MISUSE)
  static_cast<void>(secure);
  return table.draw(seeded);
#else
  return table.draw(secure) + table.simulate(seeded);
#endif
}
