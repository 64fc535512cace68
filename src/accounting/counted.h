// How many of a thing, in words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mollify {

/// "1 record", "2 records": the thing's plural has an s.
[[nodiscard]] inline std::string counted(std::uint64_t number, std::string_view thing) {
  std::string words = std::to_string(number);
  words += ' ';
  words += thing;
  if (number != 1) words += 's';
  return words;
}

}  // namespace mollify
