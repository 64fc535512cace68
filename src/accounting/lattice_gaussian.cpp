#include "accounting/lattice_gaussian.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "accounting/concentrated.h"
#include "accounting/directed_rounding.h"
#include "accounting/gaussian_composition.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

namespace {

constexpr double kLeastVariance = 0x1p-10;
constexpr double kGreatestNoiseVariance = 0x1p100;

double root_down(double x) { return std::nextafter(std::sqrt(x), 0.0); }

void require_variance(double variance) {
  if (!(variance >= kLeastVariance && variance <= kGreatestNoiseVariance)) {
    throw InvalidInput(fmt::format(
        "the noise's variance must be from 2^-10 to 2^100 lattice units, but is {}", variance));
  }
}

void require_sensitivity(double sensitivity) {
  if (!(sensitivity >= 0x1p-60 && sensitivity <= 0x1p50)) {
    throw InvalidInput(fmt::format(
        "the sensitivity must be from 2^-60 to 2^50 lattice units, but is {}", sensitivity));
  }
}

void require_curve(std::size_t dimension, double epsilon) {
  require_between("the dimension", dimension, 1, 1'000'000);
  if (!(epsilon >= 0.0) || std::isinf(epsilon)) {
    throw InvalidInput(fmt::format("epsilon must be finite and at least 0, but is {}", epsilon));
  }
}

/// gaussian_delta_up on all of mu ≥ 0, epsilon ≥ 0: the curve grows with mu and falls with epsilon.
double curve_up(double mu, double epsilon) {
  if (mu > 1000.0) return 1.0;
  return gaussian_delta_up(std::max(mu, 1e-6), std::min(epsilon, 1e6));
}

}  // namespace

double lattice_ripple_up(double variance) {
  if (!(variance >= kLeastVariance)) {
    throw InvalidInput(fmt::format("the variance must be at least 2^-10, but is {}", variance));
  }
  constexpr double kTwoPiSquaredDown = 19.7392088021787;
  const double first = exp_up(mul_up(-kTwoPiSquaredDown, variance));
  // k² − 1 ≥ 3 (k − 1), so the sum is at most geometric.
  const double ratio = mul_up(first, mul_up(first, first));
  return div_up(mul_up(2.0, first), -add_up(ratio, -1.0));
}

double lattice_curve_up(double mu, double part, double dimension, double epsilon) {
  const double eta = lattice_ripple_up(part);
  if (!(eta < 0.5)) return 1.0;
  // ln(1 + η) ≤ η; −ln(1 − η) ≤ η/(1 − η).
  const double loss = mul_up(dimension, add_up(mul_up(2.0, eta), div_up(eta, -add_up(eta, -1.0))));
  const double factor = exp_up(mul_up(dimension, eta));
  const double reduced = -add_up(-epsilon, loss);
  const double delta = reduced >= 0.0 ? curve_up(mu, reduced)
                                      : add_up(curve_up(mu, 0.0), add_up(1.0, -exp_down(reduced)));
  return std::min(1.0, mul_up(factor, delta));
}

double lattice_gaussian_rho_up(double variance, double sensitivity) {
  require_variance(variance);
  require_sensitivity(sensitivity);
  return div_up(mul_up(sensitivity, sensitivity), 2.0 * variance);
}

double lattice_gaussian_delta_up(double variance, double sensitivity, std::size_t dimension,
                                 double epsilon) {
  require_variance(variance);
  require_sensitivity(sensitivity);
  require_curve(dimension, epsilon);
  const auto d = static_cast<double>(dimension);
  double least =
      std::min(1.0, concentrated_delta_up(lattice_gaussian_rho_up(variance, sensitivity), epsilon));
  for (const double part : {0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 4.5, 9.0}) {
    const double rest = -add_up(-variance, part);  // σ² − s², rounded down
    if (!(rest > 0.0)) continue;
    const double mu = div_up(sensitivity, root_down(rest));
    least = std::min(least, lattice_curve_up(mu, part, d, epsilon));
  }
  return least;
}

}  // namespace mollify
