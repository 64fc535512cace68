// The operating system's stream is never made a stream of chosen bytes.
// expected: restart
#include "core/random.h"

std::uint64_t first_word(const unsigned char* seed) {
  mollify::SecureRandom random;
#if defined(MISUSE)
  random.restart(seed);
#else
  static_cast<void>(seed);
#endif
  return random.word();
}
