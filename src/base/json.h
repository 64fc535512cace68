// What every JSON file must be before its content is looked at, and how numbers are written.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace mollify {

using Json = nlohmann::ordered_json;

/// Throws InvalidInput, one sentence naming the file, unless the text is JSON, nested at most 64
/// deep (deeper texts would exhaust the stack of their readers), without a key that an object
/// repeats (readers differ in which of the two counts) and without NUL in a text.
void require_json(std::string_view text, const std::string& name);

/// Pretty-printed, and a line feed. Names of files and columns may hold any bytes, and JSON holds
/// text: invalid UTF-8 is replaced.
[[nodiscard]] std::string json_text(const Json& json);

/// A finite number as it is, an infinite one as the text "infinity": JSON has none.
[[nodiscard]] Json number(double value);

}  // namespace mollify
