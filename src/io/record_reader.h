// Reads a CSV file as outcomes of a domain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/csv_reader.h"
#include "space/domain.h"

namespace mollify {

/// The records of a CSV file in a domain's columns, and, if asked for, the unit each belongs to.
/// Columns of the file that the domain does not declare are ignored.
class RecordReader {
 public:
  /// `domain` must outlive the reader. Throws InvalidInput if the file cannot be opened, has no
  /// header, lacks a column, or if the unit column is also a column of the domain.
  RecordReader(std::string path, const Domain& domain,
               const std::optional<std::string>& unit_column = std::nullopt,
               std::optional<std::string_view> bytes = std::nullopt);

  /// Goes to the next record, which an empty line is too; false at the end of the file.
  bool next();

  /// The record's fields in the domain's order. Valid until the next call of `next`.
  [[nodiscard]] std::span<const std::string_view> fields() const noexcept { return fields_; }
  /// The record's digits, one for each column; total.
  void read_digits(std::span<std::uint32_t> digits) const noexcept {
    domain_.encode_digits(fields_, digits);
  }
  /// The record's outcome; total. Requires an enumerable domain.
  [[nodiscard]] std::uint32_t outcome() const noexcept { return domain_.encode(fields_); }
  /// The record's unit; empty if the field is, or without a unit column.
  [[nodiscard]] std::string_view unit() const noexcept;

  [[nodiscard]] const Domain& domain() const noexcept { return domain_; }
  [[nodiscard]] bool has_units() const noexcept { return unit_position_.has_value(); }
  /// The unit column's name. Requires has_units().
  [[nodiscard]] const std::string& unit_column() const noexcept {
    return csv_.header()[*unit_position_];
  }
  /// The line the record was read from.
  [[nodiscard]] CsvReader& csv() noexcept { return csv_; }

 private:
  CsvReader csv_;
  const Domain& domain_;
  std::vector<std::size_t> positions_;
  std::optional<std::size_t> unit_position_;
  std::vector<std::string_view> fields_;
};

}  // namespace mollify
