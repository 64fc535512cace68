#include "records/memory_table.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {

MemorySource::MemorySource(std::vector<std::string> names, std::vector<Values> columns)
    : names_(std::move(names)), columns_(std::move(columns)) {
  if (names_.size() != columns_.size()) {
    throw InvalidInput(fmt::format("a table must have a name for each column, but has {} for {}",
                                   names_.size(), columns_.size()));
  }
  if (!columns_.empty()) rows_ = columns_.front().size();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].size() == rows_) continue;
    throw InvalidInput(
        fmt::format("the columns of a table must have as many rows, but \"{}\" has {} and \"{}\" "
                    "has {}",
                    names_.front(), rows_, names_[i], columns_[i].size()));
  }
}

void MemorySource::visit(std::span<const std::size_t> wanted,
                         const std::function<void(const Block&)>& take) const {
  std::vector<Values> slices(wanted.size());
  for (std::size_t begin = 0; begin < rows_; begin += kRowsPerBlock) {
    const std::size_t rows = std::min(kRowsPerBlock, rows_ - begin);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      slices[i] = columns_[wanted[i]].slice(begin, rows);
    }
    take({rows, slices});
  }
}

void MemorySink::begin(const Schema& schema) {
  schema_ = schema;
  columns_.clear();
  for (const ColumnSchema& column : schema) columns_.emplace_back(column);
}

void MemorySink::write(const Block& block) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    for (std::size_t row = 0; row < block.rows; ++row) columns_[i].append(block.columns[i][row]);
  }
  rows_ += block.rows;
}

}  // namespace mollify
