// Bins of about equal mass, found privately.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernel/core/secure_random.h"
#include "marginals/cell_groups.h"
#include "marginals/marginal_budget.h"

namespace mollify {

/// A column's private bins are runs of its fine cells. They begin as the runs that cells which stay
/// by themselves (MarginalColumn::apart) leave; then at each of kBinLevels levels every run of two
/// cells or more is cut in two. At all levels but the last it is cut where about half of its weight
/// lies on either side: a private median of each run [after Kaplan et al. 2022]. At the last one
/// where the weight before is farthest from what it would be if the run were even, so that a few
/// frequent cells do not share a bin with many empty ones.
constexpr std::size_t kBinLevels = 4;
constexpr std::uint32_t kBinsOfRun = std::uint32_t{1} << kBinLevels;

/// A run of fine cells: first, and one after the last.
using CellRun = std::pair<std::uint32_t, std::uint32_t>;

/// What is left of a column beside its cells that stay by themselves.
[[nodiscard]] std::vector<CellRun> runs_of(const MarginalColumn& column);

/// How many cells a release may count of a column: all, or its cells apart and its bins at most.
[[nodiscard]] std::uint32_t counted_cells(const MarginalColumn& column);

/// What a run is cut by.
enum class CutBy { kMedian, kUnevenness };

/// The distance that a cut is chosen by, for each place between two of a run's w cells, v of them
/// before it: |before - after|, at most 2^61, or 2^61 less the greatest integer that is not above
/// |before (w - v) - after v| / w, at most 2^61. NOT PRIVATE.
///
/// Theorem. Over all runs of a level together, which share no cell, one unit moves these distances
/// by UnitWeight::sum at most. Proof. `before` and `after` move together by the sum of sizes that
/// the run's counts move by, an integer m, so both expressions move by m at most; and if x <= y + m
/// then floor(x) <= floor(y) + m. Over all runs the m add up to what all counts move by
/// (UnitWeight). QED
///
/// So a level of choices, a run each, all of rate eta and each with
/// randomness of its own, spends what one choice over distances of that sensitivity does: with
/// Delta_i that of run i, and sum Delta_i <= Delta, choice i has bounded range r_i = 2 Delta_i eta;
/// epsilon adds up to sum r_i <= 2 Delta eta, rho to sum r_i^2 / 8 <= (2 Delta eta)^2 / 8, and so
/// does the square of mu. Which runs there are is known from the choices before.
[[nodiscard]] std::vector<std::uint64_t> cut_distances(std::span<const std::uint64_t> run,
                                                       CutBy by);

/// One level of cuts: a run of one cell stays as it is. `rate` is MarginalBudget::choice_rate of
/// what the level takes.
[[nodiscard]] std::vector<CellRun> cut_once(std::span<const std::uint64_t> counts,
                                            const std::vector<CellRun>& runs, CutBy by, Ratio rate,
                                            SecureRandom& random);

/// The bins of a column, from its counts of all fine cells. Takes `parts_each` of the budget for
/// each level.
[[nodiscard]] CellGroups private_bins(const MarginalColumn& column,
                                      std::span<const std::uint64_t> counts,
                                      const MarginalBudget& budget, std::uint32_t parts_each,
                                      PartsLeft& parts, SecureRandom& random);

}  // namespace mollify
