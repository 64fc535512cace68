#include "kernel/core/exp_bound.h"

#include <cmath>
#include <limits>
#include <string>

#include "kernel/core/invalid_input.h"

namespace mollify {

static_assert(std::numeric_limits<double>::is_iec559);

using detail::shortest;

/// The series of e^y for y = x / 2^6 < 1/2 in units of 2^-127, and six squarings.
///
/// Proof. y is exact: x is a double of at least 2^-20. Everything is cut, so never too large. If a
/// term is short by at most 2 units, the next one is short by at most (2 y + 1)/j + 1 <= 2
/// from the second on, and the first by 2. There are fewer than 64 terms until they vanish, and
/// what follows is below 4 units: the sum, which is at least 1, is short by less than 2^8 units, or
/// 2^-119 of itself. A square of what is short by a share s is short by 2 s and what is cut,
/// 2^-125. So s is below 2^6 (2^-119 + 2^-126) + 2^-119 < 2^-112 in the end. QED
CutExp cut_exp(double x) {
  constexpr int kDigits = 53, kSquarings = 6;
  int exponent = 0;
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(x, &exponent), kDigits));
  const uint128 y = uint128{mantissa} << (127 - kDigits - kSquarings + exponent);
  uint128 sum = 0;
  uint128 term = uint128{1} << 127;
  for (unsigned j = 1; term != 0; ++j) {
    sum += term;
    term = times_127(term, y) / j;
  }
  CutExp power{sum >> 1, 126};
  for (int i = 0; i < kSquarings; ++i) {
    power = {times_127(power.digits, power.digits), 2 * power.scale - 127};
    if (power.digits >> 126 == 0) power = {power.digits << 1, power.scale + 1};
  }
  return power;
}

ExpBound::ExpBound(double epsilon) : epsilon_(std::fmin(epsilon, kGreatestEpsilon)) {
  if (!std::isfinite(epsilon) || epsilon <= 0) {
    throw InvalidInput("epsilon must be finite and positive, but is " + shortest(epsilon));
  }
  if (epsilon < kLeastEpsilon) {
    throw InvalidInput("epsilon of one draw must be at least 1e-06, but is " + shortest(epsilon));
  }
  const auto [digits, scale] = cut_exp(epsilon_);
  exponential_ = std::ldexp(static_cast<double>(digits), -scale);
  exponential_less_one_ = std::ldexp(static_cast<double>(digits - (uint128{1} << scale)), -scale);
  const uint128 lowered = digits - (digits >> 40) - 1;
  const int cut = lowered >> 126 != 0 ? 127 - 53 : 126 - 53;
  mantissa_ = static_cast<std::uint64_t>(lowered >> cut);
  shift_ = scale - cut;
}

double ExpBound::value() const { return std::ldexp(static_cast<double>(mantissa_), -shift_); }

}  // namespace mollify
