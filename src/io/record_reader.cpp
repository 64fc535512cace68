#include "io/record_reader.h"

#include <utility>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {

RecordReader::RecordReader(std::string path, const Domain& domain,
                           const std::optional<std::string>& unit_column,
                           std::optional<std::string_view> bytes)
    : csv_(std::move(path), bytes), domain_(domain), fields_(domain.columns().size()) {
  for (const Column& column : domain.columns()) {
    if (unit_column == column.name()) {
      throw InvalidInput(fmt::format(
          "the unit column must not be a column of the domain, but \"{}\" is", *unit_column));
    }
    positions_.push_back(
        csv_.position(column.name(), "which the domain declares", CsvReader::Header::kTold));
  }
  if (unit_column)
    unit_position_ =
        csv_.position(*unit_column, "which names the unit of a record", CsvReader::Header::kTold);
}

bool RecordReader::next() {
  if (!csv_.next_line()) return false;
  for (std::size_t i = 0; i < fields_.size(); ++i) fields_[i] = csv_.fields()[positions_[i]];
  return true;
}

std::string_view RecordReader::unit() const noexcept {
  return unit_position_ ? csv_.fields()[*unit_position_] : std::string_view();
}

}  // namespace mollify
