// What every JSON file must be before its content is looked at, and how numbers are written.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/invalid_input.h"

namespace mollify {

using Json = nlohmann::ordered_json;

/// Throws InvalidInput, one sentence naming the file, unless the text is JSON, nested at most 64
/// deep (deeper texts would exhaust the stack of their readers), without a key that an object
/// repeats (readers differ in which of the two counts) and without NUL in a text.
void require_json(std::string_view text, const std::string& name);

/// What `read` makes of a file, whose refusals then name the file unless they name one.
template <class Read>
auto naming_file(const std::string& name, const Read& read) {
  try {
    return read();
  } catch (const InvalidInput& refused) {
    if (!refused.file().empty()) throw;
    throw InvalidInput(refused, refused.what(), Concern::in_file(name));
  }
}

/// The concern of a file that a parameter gives.
[[nodiscard]] inline Concern concern_of(std::string_view parameter, std::string_view file) {
  Concern concern = Concern::in_file(file);
  concern.parameter = parameter;
  return concern;
}

/// Pretty-printed, and a line feed. Names of files and columns may hold any bytes, and JSON holds
/// text: invalid UTF-8 is replaced.
[[nodiscard]] std::string json_text(const Json& json);

/// A finite number as it is, an infinite one as the text "infinity": JSON has none.
[[nodiscard]] Json number(double value);

}  // namespace mollify
