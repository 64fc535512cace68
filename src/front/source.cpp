#include "arrow/arrow_source.h"
#include "front/release.h"
#include "io/csv_sink.h"
#include "io/csv_source.h"
#include "kernel/core/whole_text.h"
#include "records/counted_source.h"
#include "records/in_threads.h"
#include "records/memory_table.h"

namespace mollify::front {

Source Source::csv(const std::string& path, std::size_t threads) {
  return Source(std::make_shared<const Inside>(
      std::make_unique<inside::CsvSource>(path, std::nullopt, inside::thread_count(threads)),
      path));
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

Source Source::arrow(ArrowSchema* schema, ArrowArray* batch) {
  return Source(
      std::make_shared<const Inside>(std::make_unique<inside::ArrowSource>(schema, batch)));
}

Source Source::with_counts(const std::string& column) const {
  inside::require_without_nul("a column's name", column);
  return Source(std::make_shared<const Inside>(
      std::make_unique<inside::CountedSource>(*inside_->records, column), inside_->path, inside_));
}

std::string Source::csv_text() const {
  const inside::Source& table = *inside_->records;
  std::vector<std::size_t> all;
  inside::Schema schema;
  for (const std::string& name : table.columns()) {
    table.require_readable(all.size());
    all.push_back(all.size());
    schema.push_back({.name = name});
  }
  std::string text;
  inside::CsvSink sink(text);
  sink.begin(schema);
  table.visit(all, [&](const inside::Block& block) { sink.write(block); });
  sink.finish();
  return text;
}

}  // namespace mollify::front
