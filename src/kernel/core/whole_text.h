// Texts that C's interfaces take whole: they end a path, a name or a sentence at a NUL.
#pragma once

#include <string>
#include <string_view>

#include "invalid_input.h"

namespace mollify {

/// The text with \0 in place of every NUL.
[[nodiscard]] inline std::string with_visible_nul(std::string_view text) {
  std::string shown;
  for (const char letter : text) {
    if (letter == '\0') {
      shown += "\\0";
    } else {
      shown += letter;
    }
  }
  return shown;
}

/// Throws InvalidInput, "`what` must be text without NUL, but is ...", for a text that holds one.
inline void require_without_nul(std::string_view what, std::string_view text) {
  if (text.find('\0') == text.npos) return;
  throw InvalidInput(std::string(what) + " must be text without NUL, but is \"" +
                     with_visible_nul(text) + '"');
}

}  // namespace mollify
