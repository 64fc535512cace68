#include "local/band_floor.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernel/core/exp_bound.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

/// So wide a class that b rounds to one leaves the narrowest band there is, not none.
double below_one(double floor) { return std::min(floor, 1 - 0x1p-53); }

}  // namespace

double minimax_floor(std::size_t outcome_count, double epsilon) {
  const double k = static_cast<double>(outcome_count);
  return k / (ExpBound(epsilon).exponential_less_one() + k);
}

double relative_floor(double epsilon) { return 1 / std::sqrt(ExpBound(epsilon).exponential()); }

double class_floor(double c1, double c2, double epsilon) {
  if (!(c1 >= 0) || !(c1 < 1)) {
    throw InvalidInput(fmt::format("c1 must be at least 0 and below 1, but is {:g}", c1));
  }
  if (!(c2 > 1) || !std::isfinite(c2)) {
    throw InvalidInput(fmt::format("c2 must be finite and above 1, but is {:g}", c2));
  }
  const double width = c2 - c1;
  return below_one(width / (ExpBound(epsilon).exponential_less_one() * (1 - c1) + width));
}

double neighbourhood_floor(double gamma, double epsilon) {
  if (!(gamma > 1) || !std::isfinite(gamma)) {
    throw InvalidInput(fmt::format("gamma must be finite and above 1, but is {:g}", gamma));
  }
  return below_one((gamma + 1) / (gamma + ExpBound(epsilon).exponential()));
}

double location_floor(double location, double epsilon) {
  const double least = 1 / ExpBound(epsilon).exponential();
  if (!(location > least) || !(location < 1)) {
    throw InvalidInput(
        fmt::format("band location must lie between e^-epsilon = {:.6g} and 1, but is {:.6g}",
                    least, location));
  }
  return location;
}

}  // namespace mollify
