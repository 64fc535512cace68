// Columns of tests.
#pragma once

#include <string>
#include <utility>

#include "domain/column.h"

namespace mollify::test {

/// A column whose outcomes are its cells: nulls become the first one.
inline Column without_nulls(std::string name, Cells cells) {
  std::string first;
  std::visit([&](const auto& one) { one.write(0, 0, first); }, cells);
  return Column::make(std::move(name), std::move(cells), {.null_value = std::move(first)});
}

}  // namespace mollify::test
