#include "records/record_writer.h"

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {

RecordWriter::RecordWriter(const Domain& domain, Sink& sink,
                           const std::optional<std::string>& unit_column)
    : domain_(&domain), sink_(sink), has_units_(unit_column.has_value()) {
  Schema schema = schema_of(domain);
  if (unit_column) {
    for (const ColumnSchema& column : schema) {
      if (column.name != *unit_column) continue;
      throw InvalidInput(fmt::format(
          "the unit column must not be a column of the domain, but \"{}\" is", *unit_column));
    }
    schema.insert(schema.begin(), {.name = *unit_column});
  }
  for (const ColumnSchema& column : schema) columns_.emplace_back(column);
  sink_.begin(schema);
}

RecordWriter::RecordWriter(const RealColumns& columns, Sink& sink)
    : points_(&columns), sink_(sink) {
  const Schema schema = schema_of(columns);
  for (const ColumnSchema& column : schema) columns_.emplace_back(column);
  sink_.begin(schema);
}

void RecordWriter::begin_record(std::string_view unit) {
  if (has_units_) columns_.front().append(unit);
}

void RecordWriter::append(std::size_t column, std::uint32_t digit, std::uint64_t point) {
  ColumnBuffer& to = columns_[column + (has_units_ ? 1 : 0)];
  if (domain_->columns()[column].must_be_written(digit)) {
    text_.clear();
    domain_->columns()[column].write(digit, point, text_);
    to.append(std::string_view(text_));
    return;
  }
  const Value value = domain_->columns()[column].value(digit, point);
  // Cells of words are numbered like the words.
  if (std::holds_alternative<std::string_view>(value)) {
    to.append_word(digit);
  } else {
    to.append(value);
  }
}

void RecordWriter::write_point(std::span<const double> point) {
  for (std::size_t i = 0; i < point.size(); ++i) columns_[i].append(points_->number(i, point[i]));
  end_record();
}

void RecordWriter::end_record() {
  if (columns_.front().size() == kRowsPerBlock) flush();
}

void RecordWriter::flush() {
  const std::size_t rows = columns_.front().size();
  std::vector<Values> values;
  values.reserve(columns_.size());
  for (ColumnBuffer& column : columns_) values.push_back(column.values());
  sink_.write({rows, values});
  for (ColumnBuffer& column : columns_) column.clear();
}

void RecordWriter::finish() {
  if (columns_.front().size() > 0) flush();
  sink_.finish();
}

}  // namespace mollify
