#include "space/declared_word.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "space/field_text.h"

namespace mollify {

void require_declarable(std::string_view text, std::string_view what) {
  if (!is_utf8(text)) throw InvalidInput(fmt::format("{} must be UTF-8 text, but is not", what));
  const auto control = std::find_if(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (control != text.end()) {
    throw InvalidInput(
        fmt::format("{} must be one line of text without control characters, but holds byte {}",
                    what, static_cast<unsigned>(*control)));
  }
}

}  // namespace mollify
