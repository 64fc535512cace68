#include "records/numeric_table.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {

MemoryTable::MemoryTable(std::size_t dimension, std::vector<double> rows)
    : dimension_(dimension), rows_(std::move(rows)) {
  if (dimension_ == 0) throw InvalidInput("a table must have at least 1 column, but has 0");
  if (rows_.size() % dimension_ != 0) {
    throw InvalidInput(
        fmt::format("{} numbers do not make whole rows of {} columns", rows_.size(), dimension_));
  }
}

void MemoryTable::visit(const std::function<void(std::span<const double> rows)>& visit) const {
  constexpr std::size_t kRows = 256;
  const std::size_t block = kRows * dimension_;
  for (std::size_t begin = 0; begin < rows_.size(); begin += block) {
    visit(std::span(rows_).subspan(begin, std::min(block, rows_.size() - begin)));
  }
}

}  // namespace mollify
