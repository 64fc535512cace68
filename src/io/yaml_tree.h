// A YAML document as plain nodes that know their lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mollify {

/// A scalar with its text exactly as written, a sequence, or a mapping.
///
/// yaml-cpp's own nodes resolve aliases, forget which of two equal keys came first and cannot
/// tell `null` from nothing; this tree is built from its parser's events instead.
struct YamlNode {
  enum class Kind : std::uint8_t { kScalar, kSequence, kMapping };

  Kind kind = Kind::kScalar;
  bool quoted = false;
  bool null = false;  // an unquoted null, ~ or nothing at all; its text is "null"
  std::uint32_t line = 1;
  std::string text{};
  std::vector<YamlNode> items{};  // of a mapping: key, value, key, value, …

  [[nodiscard]] bool is_scalar() const noexcept { return kind == Kind::kScalar; }
  /// True for an unquoted scalar of this text.
  [[nodiscard]] bool is_word(std::string_view word) const noexcept {
    return is_scalar() && !quoted && text == word;
  }
};

/// Parses one document. Throws InvalidInput, one sentence with name and line, for text that is not
/// YAML, is not UTF-8, or uses aliases, anchors, tags, several documents, nesting deeper than 16,
/// or keys that are not scalars or are repeated.
[[nodiscard]] YamlNode parse_yaml(std::string_view yaml, const std::string& name);

}  // namespace mollify
