// Lines of a CSV file as rows of fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "io/quoted_line.h"

namespace mollify {

/// The fields of some whole lines, one row each, as CsvReader says. Total: whatever bytes the lines
/// hold, each has fields.
///
/// Separators are found many bytes at a time (io/csv_lanes.h). Lines that hold a quote are
/// libcsv's.
class CsvRows {
 public:
  /// Splits the lines, which lie end to end and end in line feeds, a carriage return perhaps before
  /// them; the last one may have no end. Of each at most `columns` fields are kept. The bytes, at
  /// most 2^32 - 1, must outlive the rows. O(bytes).
  void split(std::string_view lines, std::size_t columns);

  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }

  /// How many fields the line has. Requires row < size().
  [[nodiscard]] std::size_t field_count(std::size_t row) const noexcept {
    return rows_[row].commas + std::size_t{1};
  }

  /// A field, empty where the line has none. Valid until the next split. Requires row < size(),
  /// column < columns. O(1).
  [[nodiscard]] std::string_view field(std::size_t row, std::size_t column) const noexcept {
    const Row& of = rows_[row];
    if (column > of.commas) return {};
    if (of.is_quoted) return unquoted_[of.first + column];
    const std::size_t begin =
        column == 0 ? of.begin : places_[of.first + column - 1] + std::size_t{1};
    const std::size_t end = column == of.commas ? of.end : places_[of.first + column];
    return lines_.substr(begin, end - begin);
  }

 private:
  /// A line from `begin` to `end`; `first` is the place of its first separator, or of its first
  /// field if it is quoted.
  struct Row {
    std::uint32_t begin, end, first, commas;
    bool is_quoted;
  };

  void split_quoted(Row& row, std::size_t columns);

  std::string_view lines_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> places_;      // of separators
  std::vector<std::uint32_t> line_feeds_;  // which of them end lines
  std::vector<std::string_view> unquoted_;
  QuotedLine parser_;
};

}  // namespace mollify
