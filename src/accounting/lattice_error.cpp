#include "mollify/accounting/lattice_error.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mollify {
namespace {

/// 1 / sqrt(2 pi).
const double kPeak = std::numbers::inv_sqrtpi / std::numbers::sqrt2;

double outward(double error) {
  return std::isnan(error) ? 1 : std::min(1.0, error * (1 + 0x1p-40));
}

double squared(double x) { return x * x; }

}  // namespace

double record_rounding_error_up(std::size_t dimension, double squared_weights, double step,
                                double deviation) {
  const auto d = static_cast<double>(dimension);
  const double t = squared_weights * squared(step) * d / (4 * squared(deviation));
  if (!(t < 1)) return 1;
  const double mean =
      std::sqrt(d * squared_weights) * squared(step) * (1 + step * std::sqrt(d)) / 12;
  const double sawtooth =
      std::sqrt(d) * step * std::exp(-2 * squared(std::numbers::pi / step)) * (1 + 0x1p-30);
  const double spread = std::sqrt(std::expm1(-d / 2 * std::log1p(-squared(t)))) / 2;
  return outward((mean + sawtooth) * kPeak / deviation + spread);
}

double laplace_lattice_error_up(std::size_t dimension, double scale, double cell,
                                double deviation) {
  const double root = std::sqrt(static_cast<double>(dimension));
  return outward(std::expm1(root / scale) / 2 + root * cell * kPeak / (2 * deviation));
}

double dithered_gaussian_error_up(std::size_t dimension, double sigma) {
  return outward(std::sqrt(static_cast<double>(dimension) / 48) / sigma);
}

double smoothed_gaussian_error_up(std::size_t dimension, double sigma, double deviation) {
  const double narrow = 1 / (1 / squared(sigma) + 1 / squared(deviation));
  if (!(narrow >= 0.5)) return 1;
  return outward(5 * static_cast<double>(dimension) *
                 std::exp(-2 * squared(std::numbers::pi) * narrow * (1 - 0x1p-40)));
}

}  // namespace mollify
