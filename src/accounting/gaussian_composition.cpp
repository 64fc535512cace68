#include "accounting/gaussian_composition.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "accounting/directed_rounding.h"
#include "accounting/normal_bounds.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

double mu_per_draw_down(double total, std::uint64_t releases) {
  if (!std::isfinite(total) || !(total > 0)) {
    throw InvalidInput(fmt::format("mu must be finite and positive, but is {:g}", total));
  }
  if (releases == 0) throw InvalidInput("the number of releases must be at least 1, but is 0");
  if (releases == 1) return total;
  // The conversion and the root are each within half a unit in the last place.
  const double infinity = std::numeric_limits<double>::infinity();
  const double count_up = std::nextafter(static_cast<double>(releases), infinity);
  return div_down(total, std::nextafter(std::sqrt(count_up), infinity));
}

double gaussian_delta_up(double mu, double epsilon) {
  require_between("mu", mu, 1e-6, 1000);
  require_between("epsilon", epsilon, 0, 1e6);
  const double first = normal_cdf_up(add_up(0.5 * mu, -div_down(epsilon, mu)));
  const double tail = normal_cdf_down(-add_up(0.5 * mu, div_up(epsilon, mu)));
  const double second = -mul_up(-exp_down(epsilon), tail);
  return std::min(1.0, add_up(first, -second));
}

double gaussian_epsilon_up(double mu, double delta) {
  require_between("delta", delta, 0, 1);
  if (gaussian_delta_up(mu, 0.0) <= delta) return 0.0;
  double too_small = 0.0;
  double enough = 1.0;
  while (gaussian_delta_up(mu, enough) > delta) {
    too_small = enough;
    enough *= 2.0;
    if (enough > 1e6) return std::numeric_limits<double>::infinity();
  }
  for (int i = 0; i < 64; ++i) {
    const double middle = too_small + 0.5 * (enough - too_small);
    if (middle <= too_small || middle >= enough) break;
    (gaussian_delta_up(mu, middle) <= delta ? enough : too_small) = middle;
  }
  return enough;
}

}  // namespace mollify
