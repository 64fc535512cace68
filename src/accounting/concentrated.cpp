#include "accounting/concentrated.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "accounting/directed_rounding.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

namespace {

void require_parameter(const char* name, double value) {
  if (!(value >= 0.0) || std::isinf(value)) {
    throw InvalidInput(fmt::format("{} must be finite and at least 0, but is {}", name, value));
  }
}

void require_delta(double delta, bool may_be_one) {
  if (!(delta >= 0.0 && delta <= 1.0) || (!may_be_one && delta == 1.0)) {
    throw InvalidInput(
        fmt::format("delta must be from 0 to {}1, but is {}", may_be_one ? "" : "below ", delta));
  }
}

/// ln delta at a = 1 + b, every operation rounded up.
///     ln delta = b·((1+b)rho − epsilon) − ln(1+b) − b·ln(1+1/b).
double ln_delta_up(double rho, double epsilon, double b) {
  constexpr int kLibrarySteps = 2;  // as for the logarithms of directed_rounding.h
  const auto log1p_down = [](double x) {
    double below = std::log1p(x);
    for (int i = 0; i < kLibrarySteps; ++i) below = std::nextafter(below, 0.0);
    return below;
  };
  const double exponent = mul_up(b, add_up(mul_up(add_up(1.0, b), rho), -epsilon));
  const double order = -log1p_down(b);
  const double inverse_down = std::min(div_down(1.0, b), std::numeric_limits<double>::max());
  const double last = mul_up(-b, log1p_down(inverse_down));
  return add_up(add_up(exponent, order), last);
}

/// The b > 0 at which the derivative (1+2b)rho − epsilon − ln(1+1/b) of ln delta, which increases,
/// changes its sign; within the doubles' range, and only approximately.
double best_order_less_one(double rho, double epsilon) {
  // At the left end ln(1+1/b) alone outweighs (1+2b)rho ≤ 3 rho, at the right end 2b rho outweighs
  // the rest.
  double left = std::max(-700.0, -1.0 - 3.0 * rho);
  double right = std::min(700.0, std::log(std::max(1.0, (epsilon + 1.0) / rho)));
  for (int i = 0; i < 64 && right - left > 1e-9; ++i) {
    const double middle = 0.5 * (left + right);
    const double b = std::exp(middle);
    const double slope = (1.0 + 2.0 * b) * rho - epsilon - std::log1p(1.0 / b);
    (slope < 0.0 ? left : right) = middle;
  }
  return std::exp(0.5 * (left + right));
}

double half_square_up(double value) { return mul_up(0.5, mul_up(value, value)); }

}  // namespace

double concentrated_rho_of_pure_up(double epsilon) {
  require_parameter("epsilon", epsilon);
  return half_square_up(epsilon);
}

double concentrated_rho_of_gaussian_up(double mu) {
  require_parameter("mu", mu);
  return half_square_up(mu);
}

double concentrated_delta_up(double rho, double epsilon) {
  require_parameter("rho", rho);
  require_parameter("epsilon", epsilon);
  if (rho == 0.0) return 0.0;
  const double ln_delta = ln_delta_up(rho, epsilon, best_order_less_one(rho, epsilon));
  return std::isnan(ln_delta) ? 1.0 : std::min(1.0, exp_up(ln_delta));
}

double concentrated_epsilon_up(double rho, double delta) {
  require_parameter("rho", rho);
  require_delta(delta, true);
  if (rho == 0.0 || concentrated_delta_up(rho, 0.0) <= delta) return 0.0;
  double too_small = 0.0;
  // [Bun, Steinke 2016, Proposition 1.3]
  double enough = rho + 2.0 * std::sqrt(rho * -std::log(delta));
  while (std::isfinite(enough) && concentrated_delta_up(rho, enough) > delta) {
    too_small = enough;
    enough *= 2.0;
  }
  if (!std::isfinite(enough)) return std::numeric_limits<double>::infinity();
  for (int i = 0; i < 64; ++i) {
    const double middle = too_small + 0.5 * (enough - too_small);
    if (middle <= too_small || middle >= enough) break;
    (concentrated_delta_up(rho, middle) <= delta ? enough : too_small) = middle;
  }
  return enough;
}

double concentrated_rho_down(double epsilon, double delta) {
  require_parameter("epsilon", epsilon);
  require_delta(delta, false);
  if (delta == 0.0) return 0.0;
  // What the simpler epsilon = rho + 2√(rho ln(1/delta)) of [Bun, Steinke 2016] allows, or next to
  // it.
  const double log = -std::log(delta);
  double fits = std::max(epsilon * epsilon / (4.0 * (epsilon + log)), 0.25 * delta * delta);
  while (fits > 0.0 && concentrated_delta_up(fits, epsilon) > delta) fits *= 0.5;
  if (fits == 0.0) return 0.0;
  double too_large = 2.0 * fits;
  while (concentrated_delta_up(too_large, epsilon) <= delta) {
    fits = too_large;
    too_large *= 2.0;
  }
  for (int i = 0; i < 64; ++i) {
    const double middle = fits + 0.5 * (too_large - fits);
    if (middle <= fits || middle >= too_large) break;
    (concentrated_delta_up(middle, epsilon) <= delta ? fits : too_large) = middle;
  }
  return fits;
}

}  // namespace mollify
