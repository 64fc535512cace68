// Released records are never put into an order that follows from a seed.
// expected: SecureRandom
#include "domain/candidates.h"
#include "kernel/order.h"

void release(std::span<std::uint32_t> values, mollify::SecureRandom& secure,
             mollify::SeededRandom& seeded) {
#if defined(MISUSE)
  static_cast<void>(secure);
  mollify::shuffle(values, seeded);
#else
  static_cast<void>(seeded);
  mollify::shuffle(values, secure);
#endif
}
