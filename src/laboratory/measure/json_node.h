// Reading JSON that people write: every refusal names the place.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace mollify {

/// The value of a JSON text. Throws InvalidInput, naming the file, if it is not JSON.
nlohmann::json parsed_json(std::string_view text, const std::string& name);

/// One JSON value and where it stands, for messages. Refers to the value. Every member function
/// throws InvalidInput, one sentence, if the value is not what is asked for.
struct JsonNode {
  const nlohmann::json& value;
  std::string place;

  /// "PLACE must be EXPECTED, but is a TYPE".
  [[noreturn]] void refuse(std::string_view expected) const;

  [[nodiscard]] JsonNode member(const char* key) const;
  [[nodiscard]] double number() const;
  [[nodiscard]] std::string text() const;
  /// From 0 to 2^53.
  [[nodiscard]] std::uint64_t whole_number() const;
  [[nodiscard]] std::vector<JsonNode> entries() const;
  [[nodiscard]] std::vector<double> numbers() const;

  /// Refuses an object that has other keys: a misspelt one must not be passed over.
  void allow_only(std::initializer_list<std::string_view> keys) const;
};

}  // namespace mollify
