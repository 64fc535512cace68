#include "records/sink.h"

#include <variant>

#include "base/progress.h"
#include "base/refusal.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "domain/possible.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Where released records go.

Schema schema_of(const Domain& domain) {
  Schema schema;
  for (const Column& column : domain.columns()) schema.push_back(column.schema());
  return schema;
}

Schema schema_of(const RealColumns& columns) {
  Schema schema;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    schema.push_back({.name = columns.name(i), .type = ValueType::kNumber});
  }
  return schema;
}

// -----------------------------------------------------------------------------------------------
// A column that is owned.

ColumnBuffer::ColumnBuffer(const ColumnSchema& schema)
    : type_(schema.type), form_(schema.moments), has_words_(!schema.words.empty()) {
  for (const std::string& word : schema.words) words_.insert(word);
}

void ColumnBuffer::append(const Value& value) {
  const bool is_null = std::holds_alternative<std::monostate>(value);
  has_nulls_ = has_nulls_ || is_null;
  valid_.push_back(is_null ? 0 : 1);
  switch (type_) {
    case ValueType::kInteger:
      integers_.push_back(is_null ? 0 : std::get<std::int64_t>(value));
      return;
    case ValueType::kMoment:
      integers_.push_back(is_null ? 0 : std::get<Moment>(value).count);
      return;
    case ValueType::kNumber:
      numbers_.push_back(is_null ? 0 : std::get<double>(value));
      return;
    case ValueType::kBoolean:
      truths_.push_back(!is_null && std::get<bool>(value) ? 1 : 0);
      return;
    case ValueType::kText:
      break;
  }
  const std::string_view text = is_null ? std::string_view() : std::get<std::string_view>(value);
  if (has_words_) {
    places_.push_back(is_null ? 0 : words_.insert(text));
  } else {
    bytes_ += text;
    ends_.push_back(bytes_.size());
  }
}

void ColumnBuffer::append_word(std::uint32_t place) {
  valid_.push_back(1);
  places_.push_back(place);
}

void ColumnBuffer::clear() noexcept {
  has_nulls_ = false;
  valid_.clear();
  integers_.clear();
  numbers_.clear();
  truths_.clear();
  places_.clear();
  bytes_.clear();
  ends_.clear();
}

Values ColumnBuffer::values() {
  const std::span<const std::uint8_t> valid =
      has_nulls_ ? std::span<const std::uint8_t>(valid_) : std::span<const std::uint8_t>();
  switch (type_) {
    case ValueType::kInteger:
      return Values(std::span<const std::int64_t>(integers_), valid);
    case ValueType::kMoment:
      return Values(Moments{integers_, form_}, valid);
    case ValueType::kNumber:
      return Values(std::span<const double>(numbers_), valid);
    case ValueType::kBoolean:
      return Values(std::span<const std::uint8_t>(truths_), valid);
    case ValueType::kText:
      break;
  }
  if (has_words_) {
    if (views_.size() != words_.size()) {
      views_.clear();
      for (std::size_t i = 0; i < words_.size(); ++i) views_.push_back(words_[i]);
      list_ = Values(std::span<const std::string_view>(views_));
    }
    return Values(Dictionary{places_, &list_}, valid);
  }
  views_.clear();
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    views_.push_back(std::string_view(bytes_).substr(begin, end - begin));
    begin = end;
  }
  return Values(std::span<const std::string_view>(views_), valid);
}

// -----------------------------------------------------------------------------------------------
// Writes released records to a sink, typed.

RecordWriter::RecordWriter(const Domain& domain, Sink& sink, const UnitColumns& unit)
    : domain_(&domain), sink_(sink), unit_columns_(unit.size()) {
  Schema schema;
  for (const std::string& name : unit.names()) schema.push_back({.name = name});
  for (ColumnSchema& column : schema_of(domain)) {
    if (unit.has(column.name)) {
      refuse_input(
          "duplicate-column", "unit",
          "the unit column must not be a column of the domain, but \"{}\" is: remove it there",
          column.name);
    }
    schema.push_back(std::move(column));
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
  if (unit_columns_ == 1) columns_.front().append(unit);
  if (unit_columns_ < 2) return;
  const std::vector<std::string_view> ids = ids_in(unit);
  for (std::size_t i = 0; i < unit_columns_; ++i) columns_[i].append(ids[i]);
}

void RecordWriter::write_value(std::size_t column, std::uint32_t digit, std::uint64_t point) {
  ColumnBuffer& to = columns_[column + unit_columns_];
  const Value value = domain_->columns()[column].value(digit, point);
  // Cells of words are numbered like the words.
  if (std::holds_alternative<std::string_view>(value)) {
    to.append_word(digit);
  } else {
    to.append(value);
  }
}

void RecordWriter::write_outcome(std::uint32_t outcome, UniformIntegers random,
                                 std::string_view unit) {
  digits_.resize(domain_->columns().size());
  for (std::size_t i = 0; i < digits_.size(); ++i) digits_[i] = domain_->digit(outcome, i);
  write_digits(digits_, random, unit);
}

void RecordWriter::write_digits(std::span<const std::uint32_t> digits, UniformIntegers random,
                                std::string_view unit) {
  begin_record(unit);
  points_of_.resize(digits.size());
  domain_->draw_points(digits, random, points_of_);
  for (std::size_t i = 0; i < digits.size(); ++i) write_value(i, digits[i], points_of_[i]);
  end_record();
}

void RecordWriter::write_drawn(std::span<const std::uint32_t> digits,
                               std::span<const std::uint64_t> points) {
  begin_record({});
  for (std::size_t i = 0; i < digits.size(); ++i) write_value(i, digits[i], points[i]);
  end_record();
}

void RecordWriter::write_point(std::span<const double> point) {
  for (std::size_t i = 0; i < point.size(); ++i) columns_[i].append(points_->number(i, point[i]));
  end_record();
}

void RecordWriter::end_record() {
  if (columns_.front().size() == kRowsPerBlock) flush();
}

void RecordWriter::flush() {
  keep_going();
  const std::size_t rows = columns_.front().size();
  std::vector<Values> values;
  values.reserve(columns_.size());
  for (ColumnBuffer& column : columns_) values.push_back(column.values());
  sink_.write({rows, values});
  for (ColumnBuffer& column : columns_) column.clear();
}

void RecordWriter::finish() {
  if (columns_.front().size() > 0) flush();
}

}  // namespace mollify
