#include "space/recut_domain.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

constexpr std::uint64_t kUsualCells = 65'536;

/// The greatest n with n^power <= cells, for cells up to 2^24.
std::uint64_t whole_root(std::uint64_t cells, std::size_t power) {
  const auto fits = [&](std::uint64_t base) {
    std::uint64_t product = 1;
    for (std::size_t i = 0; i < power && product <= cells; ++i) product *= base;
    return product <= cells;
  };
  std::uint64_t low = 1;
  std::uint64_t high = cells;
  while (low < high) {
    const std::uint64_t middle = (low + high + 1) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

Cells recut(const Cells& cells, std::uint64_t count) {
  if (const auto* numbers = std::get_if<NumberCells>(&cells)) {
    return NumberCells::make(numbers->min(), numbers->max(), count);
  }
  const auto& integers = std::get<IntegerCells>(cells);
  return IntegerCells::make(integers.min(), integers.max(), std::min(integers.count(), count));
}

}  // namespace

Domain recut_domain(const Domain& domain, std::optional<std::uint64_t> cells) {
  if (cells) require_between("cells", *cells, 1, Domain::kMaxOutcomes);
  const std::uint64_t of_each = whole_root(cells.value_or(kUsualCells), domain.columns().size());
  std::vector<Column> columns;
  for (const Column& column : domain.columns()) {
    columns.push_back(
        Column::make(column.name(), recut(column.cells(), of_each), column.mapping()));
  }
  return Domain::make(std::move(columns), domain.seed());
}

}  // namespace mollify
