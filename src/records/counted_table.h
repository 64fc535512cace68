// Counts of records, as a table again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "records/memory_table.h"
#include "records/record_counter.h"
#include "records/source.h"
#include "space/domain.h"

namespace mollify {

/// What a RecordCounter counted, as a source: a row for each record that was told apart, with a
/// value of each of its cells, and last the column of counts.
class CountedTable final : public Source {
 public:
  /// Requires counts of this domain's outcomes without units; an outcome that is none counts as the
  /// first. O(rows columns).
  CountedTable(const Domain& domain, const CountedRecords& counted);

  /// The name of the last column, which is none of the domain's.
  [[nodiscard]] const std::string& count_column() const { return columns().back(); }

  [[nodiscard]] std::string_view name() const noexcept override { return "the data"; }
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept override {
    return table_->columns();
  }
  [[nodiscard]] std::uint64_t record_count() const override { return table_->record_count(); }
  void visit(std::span<const std::size_t> wanted,
             const std::function<void(const Block&)>& take) const override {
    table_->visit(wanted, take);
  }

 private:
  MemorySink records_;
  std::vector<std::int64_t> counts_;
  std::optional<MemorySource> table_;  // of the two
};

}  // namespace mollify
