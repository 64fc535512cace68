#include "accounting/lattice_error.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "accounting/directed_rounding.h"
#include "accounting/lattice_gaussian.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

namespace {

// More than all the roundings of the short formulas below.
constexpr double kSlack = 1.0 + 0x1p-46;
constexpr double kPi = 3.14159265358979323846;

double positive(const char* name, double value) {
  if (!(value > 0.0) || std::isinf(value)) {
    throw InvalidInput(fmt::format("{} must be finite and positive, but is {}", name, value));
  }
  return value;
}

double at_least_zero(const char* name, double value) {
  if (!(value >= 0.0) || std::isinf(value)) {
    throw InvalidInput(fmt::format("{} must be finite and at least 0, but is {}", name, value));
  }
  return value;
}

double positive_dimension(std::size_t dimension) {
  return positive("the dimension", static_cast<double>(dimension));
}

double checked_norm(double rounding_norm) {
  return at_least_zero("the rounding errors' norm", rounding_norm);
}

}  // namespace

double lattice_gaussian_error_up(std::size_t dimension, double variance, double rounding_norm) {
  const double d = positive_dimension(dimension);
  positive("the variance", variance);
  checked_norm(rounding_norm);
  if (variance < 0x1p-10) return 1.0;
  const double sigma = std::sqrt(variance);
  const double noise =
      std::sqrt(d) * (1.0 / (std::sqrt(32.0) * sigma) + 0.5 * lattice_ripple_up(variance));
  const double rounding = rounding_norm / (sigma * std::sqrt(2.0 * kPi));
  return std::min(1.0, (noise + rounding) * kSlack);
}

double lattice_laplace_error_up(std::size_t dimension, double scale, double public_deviation,
                                double rounding_norm) {
  const double d = positive_dimension(dimension);
  positive("the scale", scale);
  at_least_zero("the public deviation", public_deviation);
  checked_norm(rounding_norm);
  const double half_square = 0.5 * public_deviation * public_deviation / kSlack;
  if (half_square < 0x1p-10) return 1.0;
  const double exponent = (d + 1.0) * std::log(0.6753 / scale);
  // The relative error of the power is that of its exponent.
  const double points = 0.3656 * d * std::exp(exponent + std::abs(exponent) * 0x1p-50);
  const double ripple = std::expm1(d * lattice_ripple_up(half_square));
  const double rounding = rounding_norm / (public_deviation * std::sqrt(2.0 * kPi));
  return std::min(1.0, (points + ripple + rounding) * kSlack);
}

}  // namespace mollify
