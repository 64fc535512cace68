// Settings of a column, as they are written, and the kinds of columns that have them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/invalid_input.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Public values as a file or a program writes them.

/// A scalar with its text exactly as written, a sequence, or a mapping.
struct Setting {
  enum class Kind : std::uint8_t { kScalar, kSequence, kMapping };

  Kind kind = Kind::kScalar;
  bool quoted = false;
  bool null = false;       // an unquoted null, ~ or nothing at all; its text is "null"
  std::uint32_t line = 0;  // of the file; 0: none
  std::string text{};
  std::vector<Setting> items{};  // of a mapping: key, value, key, value, …

  /// A number, or a word of the format.
  [[nodiscard]] static Setting word(std::string text);
  /// A value, whatever word it is.
  [[nodiscard]] static Setting value(std::string text);

  [[nodiscard]] bool is_scalar() const noexcept { return kind == Kind::kScalar; }
  /// True for an unquoted scalar of this text.
  [[nodiscard]] bool is_word(std::string_view word) const noexcept {
    return is_scalar() && !quoted && text == word;
  }
};

// -----------------------------------------------------------------------------------------------
// What kinds of columns there are.

/// One key of a kind of columns.
struct ColumnKey {
  std::string_view name;
  bool required;
  /// The allowed values: a JSON schema with its description.
  std::string_view schema;
};

/// A kind of columns: all that is known of it before one is declared. `column_kinds()` lists them.
/// The class of a kind's cells holds the rest (`AreCells` in domain/column.h).
struct ColumnKind {
  std::string_view name;   ///< its type in a domain file
  std::string_view title;  ///< "whole numbers"
  std::span<const ColumnKey> keys;
  /// Declarations for documents and tests, which use each key: "min: 0, max: 9".
  std::span<const std::string_view> examples;
  bool ordered = false;  ///< cells lie in an order
  bool bounded = false;  ///< values lie between a least and a greatest, which the domain declares
  bool numeric = false;  ///< values are numbers
};

/// Keys and values in the order in which a domain file has them.
using DeclaredSettings = std::vector<std::pair<std::string_view, Setting>>;

// -----------------------------------------------------------------------------------------------
// Reads the settings of one column.

/// A mapping of settings, read by key. Every function throws InvalidInput, "max must be a finite
/// number, but is \"x\"", with its key and line for a setting that is not what it asks for.
class Settings {
 public:
  /// Requires a mapping, which must outlive this.
  explicit Settings(const Setting& mapping) noexcept : mapping_(mapping) {}

  /// Refuses keys that are not of these; `owner` has them: "type integer".
  void require_known(std::span<const std::string_view> known, std::string_view owner) const;

  /// nullptr if it is missing.
  [[nodiscard]] const Setting* find(std::string_view key) const noexcept;
  [[nodiscard]] bool has(std::string_view key) const noexcept { return find(key) != nullptr; }
  /// A word of the format.
  [[nodiscard]] bool is(std::string_view key, std::string_view word) const noexcept;

  /// T is std::string, bool, std::int64_t, a finite double, std::uint64_t, or a vector of one of these.
  /// Refuses a setting that is missing.
  template <class T>
  [[nodiscard]] T get(std::string_view key) const;
  /// Nothing for a setting that is missing.
  template <class T>
  [[nodiscard]] std::optional<T> maybe(std::string_view key) const {
    return has(key) ? std::optional<T>(get<T>(key)) : std::nullopt;
  }

  /// True if the key is declared; refuses others that it takes the place of.
  [[nodiscard]] bool has_instead(std::string_view key,
                                 std::initializer_list<std::string_view> others) const;

  /// Refuses the key: "`key` `what`".
  [[noreturn]] void refuse(Code code, std::string_view key, std::string_view what,
                           std::vector<WayOut> ways_out = {}) const;

 private:
  const Setting& mapping_;
};

}  // namespace mollify
