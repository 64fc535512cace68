// What one draw may spend of a budget for all of a unit's draws.
#pragma once

#include <cstdint>
#include <optional>

namespace mollify {

/// Privacy parameters of one draw; which of them a mechanism has, the mechanism says.
struct DrawBudget {
  std::optional<double> epsilon;
  std::optional<double> mu;
};

/// Splits the parameters of `count` draws together into equal parts, rounded down: epsilon / count
/// [basic composition], but never above the 30 at which one draw counts (ExpBound), and
/// mu / sqrt(count) [Dong et al. 2022, Corollary 3.3].
///
/// Throws InvalidInput, one sentence in terms of the whole, unless count is from 1 to 100 000 000
/// and each parameter given is finite, positive and large enough to be split.
DrawBudget draw_budget(std::optional<double> epsilon, std::optional<double> mu,
                       std::uint64_t count);

}  // namespace mollify
