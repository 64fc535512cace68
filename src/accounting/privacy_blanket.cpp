#include "accounting/privacy_blanket.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "accounting/directed_rounding.h"
#include "accounting/mean_excess.h"

namespace mollify {

DeltaBounds privacy_blanket(const ShuffledResponse& response, double epsilon, double interest) {
  validate(response);
  require_total_epsilon(epsilon);
  if (response.outcomes == 1 || epsilon >= response.epsilon0) return {0.0, 0.0};
  const double k = static_cast<double>(response.outcomes);
  const double n = static_cast<double>(response.records);
  const double s = response.rate;
  // From here on E and E0 are exactly these doubles.
  const double e = exp_down(epsilon);
  const double e0 = exp_up(response.epsilon0);
  const double one = s / (e0 + (k - 1.0));
  const Atom gain{e0 - e, one};
  const std::array<Atom, 2> losses = {
      {{std::fma(-e0, e, 1.0), one}, {1.0 - e, (k - 2.0) * one + (1.0 - s)}}};
  const MeanExcess excess = mean_excess(gain, losses, response.records, interest * n);
  return {std::max(0.0, div_down(excess.lower, n)), std::min(1.0, div_up(excess.upper, n))};
}

}  // namespace mollify
