#include "space/space_kind.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

constexpr double kMostChosenCategories = std::uint32_t{1} << 20U;
constexpr std::size_t kMostGridColumns = 3;

bool is_undeclared_number(const Column& column) noexcept {
  const auto* numbers = std::get_if<NumberCells>(&column.cells());
  return numbers != nullptr && !numbers->declares_bins();
}

bool can_be_cut(const Column& column) noexcept {
  return is_numeric(column.cells()) && !column.mapping().null_is_category;
}

}  // namespace

SpaceKind chosen_space(const Domain& domain) noexcept {
  const auto& columns = domain.columns();
  if (domain.product() <= kMostChosenCategories &&
      std::none_of(columns.begin(), columns.end(), is_undeclared_number)) {
    return SpaceKind::kCategories;
  }
  if (columns.size() <= kMostGridColumns &&
      std::all_of(columns.begin(), columns.end(), can_be_cut)) {
    return SpaceKind::kGrid;
  }
  return SpaceKind::kCandidates;
}

void require_space(const Domain& domain, SpaceKind kind) {
  if (kind == SpaceKind::kCategories) domain.require_enumerable("space categories");
  if (kind != SpaceKind::kGrid) return;
  const auto& columns = domain.columns();
  if (columns.size() > kMostGridColumns) {
    throw InvalidInput(fmt::format("space grid needs at most {} columns, but the domain has {}",
                                   kMostGridColumns, columns.size()));
  }
  for (const Column& column : columns) {
    if (can_be_cut(column)) continue;
    throw InvalidInput(
        fmt::format("space grid needs columns of numbers or integers without a null category, but "
                    "column \"{}\" is not one",
                    column.name()));
  }
}

}  // namespace mollify
