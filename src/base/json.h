// What every JSON file must be before its content is looked at, and how numbers are written.
#pragma once

#include <cstdint>
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

/// What `read` makes of a line of a file, or of the whole file (0). Its refusals then name that
/// place unless they name a file.
template <class Read>
auto naming_file(const std::string& name, std::uint64_t line, const Read& read) {
  try {
    return read();
  } catch (const InvalidInput& refused) {
    if (name.empty() || !refused.file().empty()) throw;
    throw InvalidInput(refused, refused.what(), Concern::in_file(name, line));
  }
}
template <class Read>
auto naming_file(const std::string& name, const Read& read) {
  return naming_file(name, 0, read);
}

/// What `read` makes of the file or the table that a parameter gives. Its refusals of a file, or of
/// a column, then name the parameter unless they name one.
template <class Read>
decltype(auto) naming_part(std::string_view parameter, const Read& read) {
  try {
    return read();
  } catch (const InvalidInput& refused) {
    const bool is_of_table = !refused.file().empty() || !refused.column().empty();
    if (!refused.parameter().empty() || !is_of_table) throw;
    throw InvalidInput(refused, refused.what(), Concern(parameter));
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
