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
/// cells or more is cut in two where about half of its weight lies on either side: a private median
/// of each run [after Kaplan et al. 2022], at most kBinsOfRun bins of each run in the end.
constexpr std::size_t kBinLevels = 4;
constexpr std::uint32_t kBinsOfRun = std::uint32_t{1} << kBinLevels;

/// A run of fine cells: first, and one after the last.
using CellRun = std::pair<std::uint32_t, std::uint32_t>;

/// What is left of a column beside its cells that stay by themselves.
[[nodiscard]] std::vector<CellRun> runs_of(const MarginalColumn& column);

/// How many cells a release may count of a column: all, or its cells apart and its bins at most.
[[nodiscard]] std::uint32_t counted_cells(const MarginalColumn& column);

/// The distance that a cut is chosen by, for each place between two of a run's cells:
/// |weight before - weight after|, at most 2^61. NOT PRIVATE.
///
/// Theorem. Over all runs of a level together, which share no cell, one unit moves these distances
/// by UnitWeight::sum at most: of a run by no more than the run's counts do, which add up to what
/// all counts do (UnitWeight). So a level of choices, a run each, all of rate eta and each with
/// randomness of its own, spends what one choice over distances of that sensitivity does: with
/// Delta_i that of run i, and sum Delta_i <= Delta, choice i has bounded range r_i = 2 Delta_i eta;
/// epsilon adds up to sum r_i <= 2 Delta eta, rho to sum r_i^2 / 8 <= (2 Delta eta)^2 / 8, and so
/// does the square of mu. Which runs there are is known from the choices before. QED
[[nodiscard]] std::vector<std::uint64_t> cut_distances(std::span<const std::uint64_t> run);

/// One level of cuts: a run of one cell stays as it is. `rate` is MarginalBudget::choice_rate of
/// what the level takes.
[[nodiscard]] std::vector<CellRun> cut_once(std::span<const std::uint64_t> counts,
                                            const std::vector<CellRun>& runs, Ratio rate,
                                            SecureRandom& random);

/// The bins of a column, from its counts of all fine cells. Takes `parts_each` of the budget for
/// each level.
[[nodiscard]] CellGroups private_bins(const MarginalColumn& column,
                                      std::span<const std::uint64_t> counts,
                                      const MarginalBudget& budget, std::uint32_t parts_each,
                                      PartsLeft& parts, SecureRandom& random);

}  // namespace mollify
