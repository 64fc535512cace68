// The projection of scores on a band: where the tables that releases are drawn from should lie.
#pragma once

#include <cstdint>
#include <span>

#include "kernel/core/sparse_table.h"
#include "kernel/core/table.h"

namespace mollify {

/// Makes a table the projection of its scores: n follows clip(t score_i, lower_i, upper_i), the
/// f-divergence projection of the scores' distribution on the band for every f at once [Park et al.
/// 2024, Proposition III.4], to 1e-9 relative or two parts of N, whichever is larger.
///
/// t is found by Newton's method on a monotone, piecewise linear function, in about five passes
/// over the scores. Privacy does not rest on it: a table keeps its theorem whatever t is.
///
/// NaN and negative scores count as zero, and so may scores below 2^-500 of the greatest; beside
/// infinite scores all finite ones do. Where the outcomes with a score are all at their upper
/// bounds, those without share what is left in proportion to the reference (docs/theory/band.md);
/// so scores without any positive one give the reference.
///
/// The number of scores is public: any other than the band's throws InvalidInput (Table alone).
/// Their values never throw. Outcomes that are not ascending are sorted and their scores added.
void project(Table& table, std::span<const double> scores);
void project(Table& table, std::span<const float> scores);
void project(SparseTable& table, std::span<const std::uint32_t> outcomes,
             std::span<const double> scores);

/// A new table made so.
[[nodiscard]] Table projected(const Band& band, std::span<const double> scores);
[[nodiscard]] Table projected(const Band& band, std::span<const float> scores);
Table projected(Band&&, std::span<const double>) = delete;
Table projected(Band&&, std::span<const float>) = delete;

}  // namespace mollify
