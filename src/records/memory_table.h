// Tables in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "records/column_buffer.h"
#include "records/sink.h"
#include "records/source.h"

namespace mollify {

/// Whole columns that lie somewhere in memory, as a source. Borrowed: they must outlive it.
class MemorySource final : public Source {
 public:
  /// Throws InvalidInput unless there is one name for each column and all have as many rows.
  MemorySource(std::vector<std::string> names, std::vector<Values> columns);

  [[nodiscard]] std::string_view name() const noexcept override { return "the data"; }
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept override { return names_; }
  [[nodiscard]] std::uint64_t record_count() const override { return rows_; }
  void visit(std::span<const std::size_t> wanted,
             const std::function<void(const Block&)>& take) const override;

 private:
  std::vector<std::string> names_;
  std::vector<Values> columns_;
  std::size_t rows_ = 0;
};

/// A sink that keeps the table.
class MemorySink final : public Sink {
 public:
  void begin(const Schema& schema) override;
  void write(const Block& block) override;
  void finish() override { finished_ = true; }

  [[nodiscard]] bool finished() const noexcept { return finished_; }
  [[nodiscard]] const Schema& schema() const noexcept { return schema_; }
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  /// The values of one column; valid until the next write.
  [[nodiscard]] Values column(std::size_t index) { return columns_[index].values(); }

 private:
  Schema schema_;
  std::vector<ColumnBuffer> columns_;
  std::size_t rows_ = 0;
  bool finished_ = false;
};

}  // namespace mollify
