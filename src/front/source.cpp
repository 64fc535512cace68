#include "arrow/arrow_source.h"
#include "front/release.h"
#include "io/csv_source.h"
#include "records/memory_table.h"

namespace mollify::front {

Source Source::csv(const std::string& path) {
  return Source(std::make_shared<const Inside>(std::make_unique<inside::CsvSource>(path), path));
}

Source Source::memory(const std::vector<ColumnView>& columns) {
  std::vector<std::string> names;
  std::vector<inside::Values> values;
  for (const ColumnView& column : columns) {
    names.push_back(column.name);
    values.push_back(std::visit(
        [&](const auto& rows) { return inside::Values(rows, column.valid); }, column.values));
  }
  return Source(std::make_shared<const Inside>(
      std::make_unique<inside::MemorySource>(std::move(names), std::move(values))));
}

Source Source::arrow(ArrowArrayStream* stream) {
  return Source(std::make_shared<const Inside>(std::make_unique<inside::ArrowSource>(stream)));
}

}  // namespace mollify::front
