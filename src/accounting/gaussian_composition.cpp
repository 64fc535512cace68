#include "mollify/accounting/gaussian_composition.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "mollify/accounting/directed_rounding.h"
#include "mollify/kernel/invalid_input.h"

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

}  // namespace mollify
