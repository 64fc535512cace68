// What discrete Gaussian noise on Z^d promises: zCDP, and (epsilon, delta) as good as the
// continuous Gaussian's.
#pragma once

#include <cstddef>

namespace mollify {

// Noise y on Z^d with P(y) proportional to e^(-|y|^2/(2 variance)), coordinates independent
// (DiscreteGaussian), added to an integer vector that moves by at most `sensitivity` in Euclidean
// norm between neighbours. All is in lattice units.

/// The rho for which this is rho-zCDP, sensitivity^2/(2 variance) [Canonne et al. 2020; proof at
/// DiscreteGaussian], rounded up. InvalidInput unless the variance is from 2^-10 to 2^100 and the
/// sensitivity from 2^-60 to 2^50.
[[nodiscard]] double lattice_gaussian_rho_up(double variance, double sensitivity);

/// A delta for which this is (epsilon, delta)-DP: the analytic Gaussian's, but for a factor that
/// variances from about 30 no longer show.
///
/// Theorem (proof: docs/theory/gaussian-proofs.md). For s^2 < sigma^2, eta = lattice_ripple at s^2,
/// below 1, and delta_c(mu; epsilon) the curve of the continuous Gaussian (gaussian_delta_up),
///
///     delta(epsilon) <= (1 + eta)^d delta_c(sensitivity / sqrt(sigma^2 - s^2); epsilon'),
///     epsilon' = epsilon - d ln((1 + eta)^2 / (1 - eta)),
///
/// and for epsilon' < 0 the same with delta_c(.; 0) + 1 - e^epsilon'.
///
/// Every s gives a true statement, and so does the conversion of zCDP (concentrated_delta_up): the
/// least of them over a fixed set of s is returned, rounded up, at most 1. InvalidInput as above,
/// or unless d is from 1 to 10^6 and epsilon is finite and at least 0.
[[nodiscard]] double lattice_gaussian_delta_up(double variance, double sensitivity,
                                               std::size_t dimension, double epsilon);

/// The right side of that theorem, rounded up, at one s^2 = `part` and at the mu = sensitivity /
/// sqrt(sigma^2 - s^2) that belongs to it; 1 where eta is 1/2 or more.
[[nodiscard]] double lattice_curve_up(double mu, double part, double dimension, double epsilon);

/// eta = 2 (e^(-2 pi^2 t) + e^(-2 pi^2 t 4) + e^(-2 pi^2 t 9) + ...) at t = `variance`, rounded up:
/// how far the sum of e^(-(y-x)^2/(2 variance)) over the integers is from sqrt(2 pi variance),
/// relatively, at most. Variance from 2^-10.
[[nodiscard]] double lattice_ripple_up(double variance);

}  // namespace mollify
