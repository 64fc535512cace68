#include "accounting/shuffle_closed_form.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "accounting/directed_rounding.h"
#include "accounting/shuffled_response.h"
#include "kernel/core/invalid_input.h"

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

std::optional<double> shuffle_closed_form_epsilon0(std::uint64_t records, std::uint64_t outcomes,
                                                   double epsilon, double delta) {
  if (!(epsilon > 0.0) || std::isinf(epsilon)) {
    throw InvalidInput(fmt::format("epsilon must be finite and positive, but is {}", epsilon));
  }
  const auto fits = [&](double epsilon0) {
    const auto found = shuffle_closed_form_epsilon(records, outcomes, epsilon0, delta);
    return found && *found <= epsilon;
  };
  double good = 1e-9;
  if (!fits(good)) return std::nullopt;
  double bad = kGreatestReportEpsilon;
  if (fits(bad)) return bad;
  for (int i = 0; i < 64; ++i) {
    const double middle = 0.5 * (good + bad);
    (fits(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace mollify
