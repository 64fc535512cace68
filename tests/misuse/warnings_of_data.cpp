// The warnings of a release are made before its data are read, and what is drawn has none.
// expected: warnings
#include <vector>

#include "base/message.h"
#include "release/release.h"

std::vector<mollify::Message> warnings_of(const mollify::PreparedRelease& prepared,
                                          const mollify::Source& data,
                                          const mollify::Drawn& drawn) {
#if defined(MISUSE)
  static_cast<void>(drawn.warnings);
  return prepared.warnings(data);
#else
  static_cast<void>(data);
  static_cast<void>(drawn);
  return prepared.warnings();
#endif
}
