#include "kernel/core/exp_bound.h"

#include <cmath>
#include <limits>
#include <string>

#include "kernel/core/invalid_input.h"

namespace mollify {

static_assert(std::numeric_limits<double>::is_iec559);

using detail::shortest;
ExpBound::ExpBound(double epsilon) : epsilon_(std::fmin(epsilon, kGreatestEpsilon)) {
  if (!std::isfinite(epsilon) || epsilon <= 0) {
    throw InvalidInput("epsilon must be finite and positive, but is " + shortest(epsilon));
  }
  if (epsilon < kLeastEpsilon) {
    throw InvalidInput("epsilon of one draw must be at least 1e-06, but is " + shortest(epsilon));
  }
  int exponent = 0;
  // A double of [1/2, 1) has at most 53 binary digits, so nothing is rounded from here on.
  const double fraction = std::frexp(std::exp(epsilon_) * (1 - 0x1p-40), &exponent);
  mantissa_ = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  shift_ = 53 - exponent;
}

double ExpBound::value() const { return std::ldexp(static_cast<double>(mantissa_), -shift_); }

}  // namespace mollify
