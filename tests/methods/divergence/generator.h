// f-divergences straight from their definition, for any f: a second opinion on those that have
// functions of their own.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <span>

#include "methods/divergence/f_divergence.h"

namespace mollify::test {

/// A convex function f with f(1) = 0 and the two limits that decide what zeros contribute.
///
/// D_f(P‖Q) = Σ_{Q>0} Q·f(P/Q) + slope_at_infinity·P{Q = 0}, with 0·f(0/0) = 0.
struct Generator {
  std::function<double(double)> f;  ///< on (0, ∞); finite and convex there
  double at_zero = 0.0;             ///< lim f(x), x → 0; may be +∞
  double slope_at_infinity = 0.0;   ///< lim f(x)/x, x → ∞, also written f*(0); may be +∞
};

inline Generator kullback_leibler_generator() {
  return {[](double x) { return x * std::log(x); }, 0.0, kInfinity};
}

inline Generator total_variation_generator() {
  return {[](double x) { return 0.5 * std::abs(x - 1.0); }, 0.5, 0.5};
}

inline Generator squared_hellinger_generator() {
  return {[](double x) { return 1.0 - std::sqrt(x); }, 1.0, 0.0};
}

inline Generator chi_squared_generator() {
  return {[](double x) { return (x - 1.0) * (x + 1.0); }, -1.0, kInfinity};
}

/// Requires γ ≥ 1.
inline Generator hockey_stick_generator(double gamma) {
  return {[gamma](double x) { return x > gamma ? x - gamma : 0.0; }, 0.0, 1.0};
}

/// D_f(P‖Q), straight from the definition.
inline double f_divergence(const Generator& generator, std::span<const double> p,
                           std::span<const double> q) {
  CompensatedSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (q[i] > 0.0) {
      // A ratio beyond the largest double is the limit, not a value of f.
      const double ratio = p[i] / q[i];
      if (ratio == 0.0) {
        sum += q[i] * generator.at_zero;
      } else if (std::isinf(ratio)) {
        sum += p[i] * generator.slope_at_infinity;
      } else {
        sum += q[i] * generator.f(ratio);
      }
    } else if (p[i] > 0.0) {
      sum += p[i] * generator.slope_at_infinity;
    }
  }
  return sum.value();
}

}  // namespace mollify::test
