// No counts of private records are the words of a message.
// expected: Empirical
#include "base/message.h"
#include "records/tallies.h"

inline mollify::Message message_of(const mollify::Empirical& counted, const char* public_words) {
#if defined(MISUSE)
  return mollify::Message{"mostly-noise", counted, public_words};
#else
  static_cast<void>(counted);
  return mollify::Message{"mostly-noise", public_words};
#endif
}
