#include "box_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "space/field_text.h"

namespace mollify::cli {

Box box_from(std::string_view option, const std::string& text, std::size_t dimension) {
  Box box;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t colon = std::min(part.find(':'), part.size());
    const auto low = read_number(std::string_view(part).substr(0, colon));
    const auto high = read_number(std::string_view(part).substr(std::min(colon + 1, part.size())));
    if (!low || !high || !(*low < *high)) break;
    box.push_back({*low, *high});
    begin = end + 1;
  }
  if (box.size() != dimension) {
    throw InvalidInput(
        fmt::format("{} must be low:high for each of {} axes with commas between them, but is "
                    "\"{}\"",
                    option, dimension, text));
  }
  return box;
}

}  // namespace mollify::cli
