#include "records/sink.h"

#include <cstddef>
#include <string>
#include <utility>

namespace mollify {
namespace {

ColumnSchema schema_of(const Column& column) {
  ColumnSchema schema{.name = column.name()};
  if (const auto* categories = std::get_if<Categories>(&column.cells())) {
    for (std::uint32_t cell = 0; cell < categories->size(); ++cell) {
      schema.words.emplace_back(categories->value(cell));
    }
  } else if (const auto* words = std::get_if<BooleanWords>(&column.cells())) {
    if (words->are_false_and_true()) schema.type = ValueType::kBoolean;
    schema.words = {words->word(0), words->word(1)};
  } else if (const auto* numbers = std::get_if<NumberCells>(&column.cells())) {
    schema.type = ValueType::kNumber;
    schema.exponent = numbers->lattice().exponent();
  } else if (std::holds_alternative<IntegerCells>(column.cells())) {
    schema.type = ValueType::kInteger;
  } else if (const auto* dates = std::get_if<DateCells>(&column.cells())) {
    std::string first;
    dates->write(0, 0, first);
    constexpr std::string_view kTime = "2026-01-31T12:34:56";  // and its zone
    schema.clock = dates->declared().grain == Grain::kDay ? "day"
                   : first.size() == kTime.size()         ? "wall"
                                                          : first.substr(kTime.size());
  }
  return schema;
}

}  // namespace

Schema schema_of(const Domain& domain) {
  Schema schema;
  for (const Column& column : domain.columns()) schema.push_back(schema_of(column));
  return schema;
}

Schema schema_of(const RealColumns& columns) {
  Schema schema;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    schema.push_back({.name = columns.name(i), .type = ValueType::kNumber});
  }
  return schema;
}

}  // namespace mollify
