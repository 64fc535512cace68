#include "methods/local/floors.h"

#include <cmath>

#include "core/band.h"

namespace mollify {

double exponential_of(double epsilon) {
  const auto [digits, scale] = cut_exp(ExpBound(epsilon).epsilon());
  return std::ldexp(static_cast<double>(digits), -scale);
}

double exponential_less_one_of(double epsilon) {
  const auto [digits, scale] = cut_exp(ExpBound(epsilon).epsilon());
  return std::ldexp(static_cast<double>(digits - (uint128{1} << scale)), -scale);
}

double minimax_floor(std::size_t outcome_count, double epsilon) {
  const double k = static_cast<double>(outcome_count);
  return k / (exponential_less_one_of(epsilon) + k);
}

double relative_floor(double epsilon) { return 1 / std::sqrt(exponential_of(epsilon)); }

}  // namespace mollify
