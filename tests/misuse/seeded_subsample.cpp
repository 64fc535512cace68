// Nobody can tell who is in a subsample, as somebody with the seed could.
// expected: SecureRandom
#include "domain/candidates.h"
#include "kernel/order.h"

std::size_t release(mollify::RecordsLeft& records, mollify::SecureRandom& secure,
                    mollify::SeededRandom& seeded) {
#if defined(MISUSE)
  static_cast<void>(secure);
  return records.take(seeded);
#else
  static_cast<void>(seeded);
  return records.take(secure);
#endif
}
