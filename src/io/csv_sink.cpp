#include "io/csv_sink.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <variant>

#include "io/csv_writer.h"
#include "space/decimal_lattice.h"
#include "space/field_text.h"

namespace mollify {
namespace {

void append_value(const ColumnSchema& column, const Value& value, std::string& text) {
  TextBuffer buffer;
  if (const auto* word = std::get_if<std::string_view>(&value)) {
    text += *word;
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    text += text_of(*integer, buffer);
  } else if (const auto* truth = std::get_if<bool>(&value)) {
    const std::size_t cell = *truth ? 1 : 0;
    text += column.words.empty() ? (*truth ? "true" : "false") : column.words[cell];
  } else if (const auto* number = std::get_if<double>(&value)) {
    if (column.exponent) {
      const DecimalLattice lattice(*column.exponent);
      lattice.write(lattice.multiple(*number), text);
    } else {
      text += text_of(*number, buffer);
    }
  }
}

/// In a text that no domain declares, a line break would make two records of one.
bool ends_a_line(char letter) { return letter == '\n' || letter == '\r'; }

}  // namespace

void CsvSink::begin(const Schema& schema) {
  schema_ = schema;
  std::vector<std::string> names;
  for (const ColumnSchema& column : schema) names.push_back(column.name);
  append_csv_record(names, csv_);
}

void CsvSink::write(const Block& block) {
  std::vector<std::string> fields(schema_.size());
  for (std::size_t row = 0; row < block.rows; ++row) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      fields[i].clear();
      append_value(schema_[i], block.columns[i][row], fields[i]);
      std::replace_if(fields[i].begin(), fields[i].end(), ends_a_line, '\v');
    }
    append_csv_record(fields, csv_);
  }
}

}  // namespace mollify
