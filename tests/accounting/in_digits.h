// Second opinions in a hundred digits.
#pragma once

#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

namespace mollify::test {

using HundredDigits = boost::multiprecision::cpp_bin_float_100;

/// delta of N(0,1) from N(mu,1) at epsilon.
inline HundredDigits gaussian_delta_in_digits(const HundredDigits& mu,
                                              const HundredDigits& epsilon) {
  const auto phi = [](const HundredDigits& x) -> HundredDigits {
    return boost::math::erfc(HundredDigits(-x / sqrt(HundredDigits(2)))) / 2;
  };
  const HundredDigits half = mu / 2;
  const HundredDigits ratio = epsilon / mu;
  return phi(half - ratio) - exp(epsilon) * phi(-half - ratio);
}

}  // namespace mollify::test
