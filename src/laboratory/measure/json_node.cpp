#include "laboratory/measure/json_node.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/core/invalid_input.h"
#include "release/json_syntax.h"

namespace mollify {

nlohmann::json parsed_json(std::string_view text, const std::string& name) {
  require_json(text, name);
  return nlohmann::json::parse(text);
}

void JsonNode::refuse(std::string_view expected) const {
  throw InvalidInput(fmt::format("{} must be {}, but is {}", place, expected, value.type_name()));
}

JsonNode JsonNode::member(const char* key) const {
  if (!value.is_object()) refuse("a JSON object");
  if (!value.contains(key)) {
    throw InvalidInput(fmt::format("{} must have \"{}\", but has not", place, key));
  }
  return {value[key], fmt::format("\"{}\" of {}", key, place)};
}

double JsonNode::number() const {
  if (!value.is_number()) refuse("a number");
  return value.get<double>();
}

std::string JsonNode::text() const {
  if (!value.is_string()) refuse("a text");
  return value.get<std::string>();
}

std::uint64_t JsonNode::whole_number() const {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53U;
  if (!value.is_number_unsigned()) refuse("a whole number");
  const auto whole = value.get<std::uint64_t>();
  if (whole > kMost) {
    throw InvalidInput(fmt::format("{} must be at most {}, but is {}", place, kMost, whole));
  }
  return whole;
}

std::vector<JsonNode> JsonNode::entries() const {
  if (!value.is_array()) refuse("a list");
  std::vector<JsonNode> nodes;
  for (std::size_t i = 0; i < value.size(); ++i) {
    nodes.push_back({value[i], fmt::format("entry {} of {}", i, place)});
  }
  return nodes;
}

std::vector<double> JsonNode::numbers() const {
  std::vector<double> found;
  for (const JsonNode& entry : entries()) found.push_back(entry.number());
  return found;
}

void JsonNode::allow_only(std::initializer_list<std::string_view> keys) const {
  if (!value.is_object()) refuse("a JSON object");
  for (const auto& [key, ignored] : value.items()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      throw InvalidInput(
          fmt::format("{} may have only {}, but has \"{}\"", place, fmt::join(keys, ", "), key));
    }
  }
}

}  // namespace mollify
