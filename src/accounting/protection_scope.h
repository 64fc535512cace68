// Whose data a promise is about.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mollify {

/// The part of a table whose replacement a promise hides.
///
/// Row: the declared values of one row, in any release of the central model. Unit: all rows of one
/// unit together, named by a column, in releases of the local model and of the central model with a
/// unit. Table: the whole table, and so any group of its rows, in the integral model.
struct ProtectionScope {
  enum class Kind { kRow, kUnit, kTable };
  Kind kind = Kind::kRow;
  std::string unit;  ///< the column, for kUnit

  [[nodiscard]] static ProtectionScope row() { return {}; }
  [[nodiscard]] static ProtectionScope of_unit(std::string column) {
    return {Kind::kUnit, std::move(column)};
  }
  [[nodiscard]] static ProtectionScope table() { return {Kind::kTable, {}}; }

  /// "row", "unit=COLUMN" or "table".
  [[nodiscard]] std::string text() const;
  /// In words: "each row", "each unit of COLUMN", "the whole table".
  [[nodiscard]] std::string words() const;
  /// The reverse of text(); none for any other text.
  [[nodiscard]] static std::optional<ProtectionScope> parse(std::string_view text);

  friend bool operator==(const ProtectionScope&, const ProtectionScope&) = default;
};

/// Whether a promise about `promised` holds for `wanted` with the same parameters: two tables that
/// differ in one row differ in one unit, and in one table; units of different columns have nothing
/// to do with each other.
[[nodiscard]] bool protects(const ProtectionScope& promised, const ProtectionScope& wanted);

}  // namespace mollify
