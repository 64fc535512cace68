#include "laboratory/law/hockey_stick.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "divergence/compensated_sum.h"
#include "divergence/f_divergence.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

double hockey_stick(double gamma, std::span<const double> p, std::span<const double> q) {
  require_same_outcomes(p, q);
  if (!(gamma >= 0.0) || std::isinf(gamma)) {
    throw InvalidInput(fmt::format(
        "gamma of a hockey-stick divergence must be finite and not negative, but is {}", gamma));
  }
  CompensatedSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) sum += std::max(0.0, std::fma(-gamma, q[i], p[i]));
  return sum.value();
}

}  // namespace mollify
