// Two objects with one state would hand out the same words.
// expected: deleted
#include <utility>

#include "core/random.h"

mollify::SecureRandom hand_over(mollify::SecureRandom& random) {
#if defined(MISUSE)
  return random;
#else
  return std::move(random);
#endif
}
