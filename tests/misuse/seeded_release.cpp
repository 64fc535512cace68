// A release is never drawn with a seed, though rows of a model that is published may be.
// expected: SecureRandom
#include "domain/candidates.h"
#include "release/release.h"

mollify::Drawn release(const mollify::PreparedRelease& prepared, const mollify::Source& data,
                       mollify::SecureRandom& secure, mollify::SeededRandom& seeded,
                       mollify::Sink& sink) {
#if defined(MISUSE)
  static_cast<void>(secure);
  return prepared.draw(data, seeded, sink, 1);
#else
  static_cast<void>(seeded);
  return prepared.draw(data, secure, sink, 1);
#endif
}
