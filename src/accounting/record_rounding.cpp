#include "accounting/record_rounding.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mollify {
namespace {

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
  const double shift = (mean + sawtooth) / (deviation * std::sqrt(2 * std::numbers::pi));
  return std::min(1.0, (shift + spread) * (1 + 0x1p-40));
}

}  // namespace mollify
