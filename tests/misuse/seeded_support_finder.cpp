// A hint is a release: it is never found with a seed.
// expected: SecureRandom
#include "domain/candidates.h"
#include "methods/central/support.h"

std::uint64_t release(const mollify::SupportFinder& finder,
                      const mollify::OutcomeHistogram& histogram, mollify::SecureRandom& secure,
                      mollify::SeededRandom& seeded) {
#if defined(MISUSE)
  static_cast<void>(secure);
  return finder.find(histogram, seeded).size();
#else
  static_cast<void>(seeded);
  return finder.find(histogram, secure).size();
#endif
}
