// A column that is owned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "records/sink.h"
#include "records/values.h"
#include "space/string_index.h"
#include "space/value.h"

namespace mollify {

/// Values of one column, appended one by one or by blocks, and lent as `Values`.
///
/// Texts of a column that declares its words are kept as places among them, other texts end to end.
class ColumnBuffer {
 public:
  explicit ColumnBuffer(const ColumnSchema& schema);

  [[nodiscard]] ValueType type() const noexcept { return type_; }
  [[nodiscard]] std::size_t size() const noexcept { return valid_.size(); }

  /// Appends a null, or a value of the column's type. Requires that it is one of these.
  void append(const Value& value);
  /// Appends the word at a place. Requires place < words.size().
  void append_word(std::uint32_t place);
  /// Forgets the rows, and keeps the memory for others.
  void clear() noexcept;

  /// All rows; valid until the next change.
  [[nodiscard]] Values values();

 private:
  ValueType type_;
  bool has_words_;
  bool has_nulls_ = false;
  std::vector<std::uint8_t> valid_;
  std::vector<std::int64_t> integers_;
  std::vector<double> numbers_;
  std::vector<std::uint8_t> truths_;
  std::vector<std::uint32_t> places_;
  StringIndex words_;
  std::string bytes_;
  std::vector<std::size_t> ends_;
  std::vector<std::string_view> views_;  // of the words, or of the rows
  Values list_;                          // of the words
};

}  // namespace mollify
