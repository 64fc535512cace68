// No cell of a private record is the reason of a message.
// expected: no matching
#include <cstdint>

#include "base/message.h"

inline mollify::Message message_of(const std::uint32_t cell, const char* public_words) {
#if defined(MISUSE)
  return {.code = "mostly-noise", .verdict = public_words, .reason = std::string(cell)};
#else
  static_cast<void>(cell);
  return {.code = "mostly-noise", .verdict = public_words};
#endif
}
