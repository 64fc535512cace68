#include "kernel/noise/ratio.h"

#include <cmath>
#include <string>

#include "kernel/core/invalid_input.h"

namespace mollify {

Ratio Ratio::at_least(const char* parameter, double value) {
  if (!(value > 0 && value <= 0x1p62)) {
    throw InvalidInput(std::string(parameter) + " must be positive and at most 2^62, but is " +
                       detail::shortest(value));
  }
  // The denominator 2^shift brings all 53 binary digits before the point, where 2^62 is enough.
  int exponent = 0;
  std::frexp(value, &exponent);
  const int shift = exponent > 53 ? 0 : exponent < 53 - 62 ? 62 : 53 - exponent;
  Ratio ratio;
  ratio.numerator = static_cast<std::uint64_t>(std::ceil(std::ldexp(value, shift)));
  ratio.denominator = std::uint64_t{1} << shift;
  while (ratio.numerator % 2 == 0 && ratio.denominator > 1) {
    ratio.numerator /= 2;
    ratio.denominator /= 2;
  }
  return ratio;
}

}  // namespace mollify
