#include "density/mixed_points.h"

#include <utility>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {

MixedPoints::MixedPoints(std::vector<MixedColumn> columns, std::size_t size)
    : Points(columns.size(), size), columns_(std::move(columns)) {
  constexpr std::uint32_t kMostLevels = 1U << 24U;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::uint32_t levels = columns_[c].levels;
    if (columns_[c].scale == Scale::kNumber) {
      if (levels != 0) {
        throw InvalidInput(
            fmt::format("number column {} must have 0 levels, but has {}", c, levels));
      }
    } else if (levels == 0 || levels > kMostLevels) {
      throw InvalidInput(fmt::format("the levels of column {} must be between 1 and {}, but are {}",
                                     c, kMostLevels, levels));
    }
  }
}

}  // namespace mollify
