// Nobody chooses the key of a release.
// expected: ReleaseKey
#include <array>

#include "records/keyed_units.h"

mollify::ReleaseKey key_of(const std::array<unsigned char, 32>& chosen) {
#if defined(MISUSE)
  return mollify::ReleaseKey(chosen);
#else
  static_cast<void>(chosen);
  return mollify::ReleaseKey();
#endif
}
