// The secure source takes no seed.
// expected: SecureRandom
#include "core/random.h"

std::uint64_t first_word() {
#if defined(MISUSE)
  mollify::SecureRandom random(42);
#else
  mollify::SecureRandom random;
#endif
  return random.word();
}
