#include "accounting/shuffle_closed_form.h"

#include <algorithm>
#include <cmath>

#include "accounting/directed_rounding.h"
#include "accounting/shuffled_response.h"

namespace mollify {

std::optional<double> shuffle_closed_form_epsilon(std::uint64_t records, std::uint64_t outcomes,
                                                  double epsilon0, double delta) {
  validate(ShuffledResponse{records, outcomes, epsilon0});
  require_total_delta(delta);
  const double n = static_cast<double>(records);
  const double k = static_cast<double>(outcomes);
  const double e0 = exp_up(epsilon0);
  const double logarithm = ln_up(div_up(4.0, delta));
  if (!(mul_up(16.0 * logarithm, e0) <= n)) return std::nullopt;
  const double root = std::sqrt(2.0 * (k + 1.0) * logarithm) / std::sqrt((e0 + k - 1.0) * k * n);
  const double excess = (e0 - 1.0) * (4.0 * root + 4.0 * (k + 1.0) / (k * n));
  // Some twenty roundings of positive numbers, and log1p: far less than 2^-45.
  return std::min(epsilon0, std::log1p(excess) * (1.0 + 0x1p-45));
}

}  // namespace mollify
