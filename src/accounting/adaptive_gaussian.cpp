#include "accounting/adaptive_gaussian.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "accounting/directed_rounding.h"
#include "accounting/lattice_gaussian.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

namespace {

constexpr double kLeastSpent = 1e-12;
constexpr double kGreatestSpent = 1e6;

void require_adaptive_epsilon(double epsilon) {
  if (!(epsilon >= 0 && epsilon <= 1e6)) {
    throw InvalidInput(fmt::format("epsilon must be from 0 to 1e6, but is {}", epsilon));
  }
}

}  // namespace

double adaptive_gaussian_delta_up(double spent, double epsilon) {
  if (!(spent >= kLeastSpent && spent <= kGreatestSpent)) {
    throw InvalidInput(fmt::format("the square of mu must be from 1e-12 to 1e6, but is {}", spent));
  }
  require_adaptive_epsilon(epsilon);
  return lattice_curve_up(sqrt_up(spent), kLatticePart, kMostMeasuredCells, epsilon);
}

double adaptive_gaussian_budget_down(double epsilon, double delta) {
  require_adaptive_epsilon(epsilon);
  if (!(delta >= 0 && delta < 1)) {
    throw InvalidInput(fmt::format("delta must be at least 0 and below 1, but is {}", delta));
  }
  if (adaptive_gaussian_delta_up(kLeastSpent, epsilon) > delta) return 0;
  double fits = kLeastSpent;
  double too_large = kGreatestSpent;
  if (adaptive_gaussian_delta_up(too_large, epsilon) <= delta) return too_large;
  // By halves of the exponent: 200 of them tell neighbouring doubles apart.
  for (int i = 0; i < 200; ++i) {
    const double middle =
        too_large > 2 * fits ? std::sqrt(fits * too_large) : fits + 0.5 * (too_large - fits);
    if (middle <= fits || middle >= too_large) break;
    (adaptive_gaussian_delta_up(middle, epsilon) <= delta ? fits : too_large) = middle;
  }
  return fits;
}

double adaptive_amount_down(const Privacy& budget, std::string_view family) {
  switch (budget.notion) {
    case PrivacyNotion::kPure:
      return budget.epsilon;
    case PrivacyNotion::kApproximate:
      return adaptive_gaussian_budget_down(budget.epsilon, budget.delta * kRoomForRounding);
    case PrivacyNotion::kConcentrated:
      return budget.rho;
    case PrivacyNotion::kGaussian:
      break;
  }
  throw InvalidInput(fmt::format(
      "family {} has a budget of epsilon, of epsilon and delta or of rho, but it is of mu",
      family));
}

}  // namespace mollify
