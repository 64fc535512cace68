// The grid of a numeric domain.
#pragma once

#include <cstdint>
#include <optional>

#include "space/domain.h"

namespace mollify {

/// The same columns cut anew, into as many cells of equal width each: an enumerable domain, whose
/// outcomes are the cells of a grid.
///
/// Each of the d columns gets floor(cells^(1/d)) cells; without `cells`, 65 536 for one column,
/// 256 for each of two, 40 for each of three. Integers are never cut finer than single integers.
/// Requires require_space(domain, SpaceKind::kGrid) to have passed. Throws InvalidInput unless
/// `cells` is from 1 to 2^24 and every cell can be written (NumberCells::make).
[[nodiscard]] Domain recut_domain(const Domain& domain,
                                  std::optional<std::uint64_t> cells = std::nullopt);

}  // namespace mollify
