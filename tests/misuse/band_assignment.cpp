// A table reads its band for as long as it lives.
// expected: deleted
#include "core/band.h"

std::size_t replace(mollify::Band& band, const mollify::Band& other) {
#if defined(MISUSE)
  band = other;
  return band.outcome_count();
#else
  return band.outcome_count() + other.outcome_count();
#endif
}
