// Bounds cannot be widened once a band is made.
// expected: (lvalue|assignable)
#include "core/band.h"

std::uint64_t widen(mollify::Band& band) {
#if defined(MISUSE)
  band.lower(0) = 0;
#endif
  return band.lower(0);
}
