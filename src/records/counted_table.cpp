#include "records/counted_table.h"

#include <algorithm>
#include <utility>

#include "records/record_writer.h"

namespace mollify {
namespace {

/// Any value of a cell does, for it is read back into the cell.
struct FirstPoint {
  [[nodiscard]] static std::uint64_t below(std::uint64_t /*bound*/) { return 0; }
};

}  // namespace

CountedTable::CountedTable(const Domain& domain, const CountedRecords& counted) {
  FirstPoint first;
  RecordWriter writer(domain, records_);
  for (const std::uint32_t outcome : counted.records) {
    writer.write_outcome(outcome < domain.size() ? outcome : 0, first);
  }
  writer.finish();
  counts_.assign(counted.counts.begin(), counted.counts.end());
  std::vector<std::string> names = domain.names();
  std::string count = "count";
  while (std::find(names.begin(), names.end(), count) != names.end()) count += '_';
  std::vector<Values> columns;
  for (std::size_t i = 0; i < names.size(); ++i) columns.push_back(records_.column(i));
  names.push_back(count);
  columns.emplace_back(std::span<const std::int64_t>(counts_));
  table_.emplace(std::move(names), std::move(columns));
}

}  // namespace mollify
