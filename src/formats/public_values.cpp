#include "formats/public_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "domain/same_value.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Texts that no domain can declare.

std::string undeclarable_part(std::string_view text, bool is_in_memory) {
  if (!is_utf8(text)) {
    return is_in_memory
               ? "bytes that are not UTF-8 text"
               : "bytes that are not UTF-8 text (convert another encoding first, as by `iconv "
                 "-f LATIN1 -t UTF-8 FILE`)";
  }
  const auto control = std::find_if(text.begin(), text.end(), [](char letter) {
    return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f;
  });
  if (control == text.end()) return "";
  switch (*control) {
    case '\t':
      return "a tab";
    case '\f':
      return "a form feed";
    case '\n':
    case '\r':
      return "a line break";
    case '\v':
      return is_in_memory ? "a line break" : "a line break or a vertical tab";
    default:
      return fmt::format("a control character (byte {})", static_cast<unsigned>(*control));
  }
}

}  // namespace mollify
