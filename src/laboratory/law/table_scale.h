// What a table says about the scale of its projection. NOT PRIVATE.
#pragma once

#include <span>
#include <vector>

#include "kernel/core/table.h"

namespace mollify {

/// The table's law n_i / N as doubles. NOT PRIVATE.
std::vector<double> probabilities(const Table& table);

/// The r of q = clip(P/r, lower, upper) for the table made from the scores P: read off the outcomes
/// strictly inside their bounds, where q = P/r. Without such outcomes the greatest r that gives
/// this law; infinite where no r does (P has too little support: docs/theory/band.md). NOT PRIVATE.
double scale_of(const Table& table, std::span<const double> scores);

}  // namespace mollify
