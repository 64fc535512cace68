// The part of R^d in which the records of a numeric domain lie.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "laboratory/measure/box.h"
#include "space/domain.h"

namespace mollify {

/// One axis for each column: [min, max] for a number, [min - 1/2, max + 1/2] for an integer, so
/// that every cell is an interval. Throws InvalidInput, naming the column, if one is neither or has
/// a null category.
[[nodiscard]] Box domain_box(const Domain& domain);

/// The middle of each record's cell in the domain's box, coordinates end to end. `digits` are those
/// of records, end to end. Requires that the domain has a box.
[[nodiscard]] std::vector<double> domain_points(const Domain& domain,
                                                std::span<const std::uint32_t> digits);

}  // namespace mollify
