#include "release/draw_budget.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "accounting/composition.h"
#include "accounting/gaussian_composition.h"
#include "kernel/core/exp_bound.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

constexpr std::uint64_t kMostDraws = 100'000'000;

double split_epsilon(double total, std::uint64_t count) {
  if (!std::isfinite(total) || !(total > 0)) {
    throw InvalidInput(fmt::format("epsilon must be finite and positive, but is {}", total));
  }
  const double one = epsilon_per_draw_down(total, count);
  if (one < ExpBound::kLeastEpsilon) {
    const std::string draws = count == 1 ? "" : fmt::format(" for each of {} draws", count);
    throw InvalidInput(fmt::format("epsilon must be at least {}{}, but is {:.6g}{}",
                                   ExpBound::kLeastEpsilon, draws, total,
                                   count == 1 ? "" : " for all of them"));
  }
  return std::min(one, ExpBound::kGreatestEpsilon);
}

}  // namespace

DrawBudget draw_budget(std::optional<double> epsilon, std::optional<double> mu,
                       std::uint64_t count) {
  if (count < 1 || count > kMostDraws) {
    throw InvalidInput(fmt::format("count must be from 1 to {}, but is {}", kMostDraws, count));
  }
  DrawBudget budget;
  if (epsilon) budget.epsilon = split_epsilon(*epsilon, count);
  if (mu) budget.mu = mu_per_draw_down(*mu, count);
  return budget;
}

}  // namespace mollify
