// A message's code is written in the source, so no private text chooses it.
// expected: constant expression
#include <string>

#include "core/invalid_input.h"

inline mollify::Code code_of(const std::string& text) {
#if defined(MISUSE)
  return mollify::Code(text.c_str());
#else
  static_cast<void>(text);
  return mollify::Code("mostly-noise");
#endif
}
