#include "accounting/normal_bounds.h"

#include <algorithm>
#include <cmath>

#include "accounting/directed_rounding.h"

namespace mollify {

double normal_cdf_up(double x) {
  const double z = -x * std::sqrt(0.5);
  const double cdf = 0.5 * std::erfc(z - std::abs(z) * 0x1p-50);
  return std::nextafter(cdf * (1.0 + 0x1p-47), 2.0);
}

double normal_cdf_down(double x) {
  const double z = -x * std::sqrt(0.5);
  const double cdf = 0.5 * std::erfc(z + std::abs(z) * 0x1p-50);
  return std::max(0.0, std::nextafter(cdf * (1.0 - 0x1p-47), -1.0));
}

double ln_normal_cdf_up(double x) {
  constexpr double kFar = -25;
  if (x > kFar) return std::min(ln_up(normal_cdf_up(x)), 0.0);
  constexpr double kRootOfTwoPiDown = 2.5066282746310;
  const double squares = mul_up(mul_up(x, -0.5), x);  // -x^2/2, as x is negative
  return add_up(squares, -ln_down(-mul_up(x, kRootOfTwoPiDown)));
}

}  // namespace mollify
