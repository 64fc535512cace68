// Words that can be drawn again follow from a release's key, never from a seed.
// expected: DrawKey
#include "records/keyed_units.h"

std::uint64_t first_word(const mollify::ReleaseKey& key,
                         const std::array<unsigned char, 32>& seed) {
  mollify::KeyedUnits units(key, "");
#if defined(MISUSE)
  return mollify::SecureRandom::keyed(seed).word();
#else
  static_cast<void>(seed);
  units.begin("ann", {}, {});
  return units.of_law({}, 1).word();
#endif
}
