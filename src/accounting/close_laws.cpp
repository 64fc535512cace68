#include "accounting/close_laws.h"

#include <cmath>

#include <fmt/format.h>

#include "accounting/directed_rounding.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

double total_variation_of_close_laws_up(double epsilon, double delta) {
  if (!(epsilon >= 0)) {
    throw InvalidInput(fmt::format("epsilon must not be negative, but is {}", epsilon));
  }
  require_between("delta", delta, 0, 1);
  // 1 - 2 (1 - delta)/(E + 1), which grows with E and delta.
  const double one_less_delta_down = -add_up(delta, -1);
  const double overlap_down = 2 * div_down(one_less_delta_down, add_up(exp_up(epsilon), 1));
  return std::fmin(1, add_up(1, -overlap_down));
}

}  // namespace mollify
