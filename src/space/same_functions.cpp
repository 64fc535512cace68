#include "space/same_functions.h"

#include <cmath>
#include <limits>

namespace mollify {
namespace {

/// ln 2 in two parts: the first has 32 digits, so that its products with exponents are exact.
constexpr double kLn2High = 0x1.62e42feep-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

/// ln((1 + s) / (1 - s)) = 2 (s + s^3/3 + s^5/5 + ...) for |s| <= 0.18: what is left out is below
/// 2^-54 of it.
double log_of_odds(double s) {
  const double square = s * s;
  double sum = 0;
  for (int power = 21; power >= 3; power -= 2) sum = square * (sum + 1.0 / power);
  return 2 * (s + s * sum);
}

}  // namespace

double same_log(double x) {
  constexpr double kRootOfHalf = 0.70710678118654752;
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < kRootOfHalf) {
    mantissa *= 2;
    --exponent;
  }
  const double log = log_of_odds((mantissa - 1) / (mantissa + 1));
  return exponent * kLn2High + (log + exponent * kLn2Low);
}

double same_log1p(double x) {
  if (x > -0.29 && x < 0.41) return log_of_odds(x / (2 + x));
  return same_log(1 + x);
}

double same_exp(double x) {
  if (x > 710) return std::numeric_limits<double>::infinity();
  if (x < -746) return 0;
  const double halvings = std::floor(x / (kLn2High + kLn2Low) + 0.5);
  // At most 0.35 in size.
  const double rest = (x - halvings * kLn2High) - halvings * kLn2Low;
  double series = 1;
  for (int power = 14; power >= 1; --power) series = 1 + rest / power * series;
  return std::ldexp(series, static_cast<int>(halvings));
}

}  // namespace mollify
