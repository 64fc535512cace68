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
double lattice_gaussian_rho_up(double variance, double sensitivity);

/// A delta for which this is (epsilon, delta)-DP: the analytic Gaussian's, but for a factor that
/// variances from about 30 no longer show.
///
/// Theorem. For s^2 < sigma^2, eta = 2 (e^(-2 pi^2 s^2) + e^(-2 pi^2 s^2 4) + e^(-2 pi^2 s^2 9) +
/// ...) < 1 and delta_c(mu; epsilon) the curve of the continuous Gaussian (gaussian_delta_up),
///     delta(epsilon) <= (1 + eta)^d delta_c(sensitivity / sqrt(sigma^2 - s^2); epsilon'),
///     epsilon' = epsilon - d ln((1 + eta)^2 / (1 - eta)),
/// and for epsilon' < 0 the same with delta_c(.; 0) + 1 - e^epsilon'.
///
/// Proof. Let g_t be the density of N(0, t I) and theta_t(x) the sum over y in Z^d of g_t(y - x).
/// By Poisson summation theta_t(x) is the product over coordinates of 1 + 2 sum over k >= 1 of
/// e^(-2 pi^2 t k^2) cos(2 pi k x_j), hence within [(1 - eta)^d, (1 + eta)^d] for t >= s^2, and at
/// x = 0 at least 1. The noise's law is N(y) = g(y)/theta(0) with g = g_{sigma^2}, so
///     (1 + eta)^(-d) g(y) <= N(y) <= g(y).
/// Let M be the law of y drawn with probability g_{s^2}(y - x)/theta_{s^2}(x), where x is drawn
/// from N(0, (sigma^2 - s^2) I). As g_{sigma^2 - s^2} convolved with g_{s^2} is g,
///     (1 + eta)^(-d) g(y) <= M(y) <= (1 - eta)^(-d) g(y).
/// So N <= (1 + eta)^d M, and M <= ((1 + eta)/(1 - eta))^d N. Both hold for the laws shifted by an
/// integer vector v, N_v and M_v, and M_v arises from x shifted by v by the same random map, since
/// theta has period one. With a = (1 + eta)^d and c = ((1 + eta)/(1 - eta))^d,
///     sum of (N - e^epsilon N_v)_+ <= sum of (a M - e^epsilon M_v / c)_+
///                                   = a sum of (M - e^(epsilon - ln(a c)) M_v)_+,
/// which by post-processing is at most a times the same integral for N(0, (sigma^2 - s^2) I) and
/// N(v, (sigma^2 - s^2) I), delta_c(|v|/sqrt(sigma^2 - s^2); epsilon'); it grows with |v|. For
/// kappa = e^epsilon' < 1, (p - kappa q)_+ <= (p - q)_+ + (1 - kappa) q. QED
///
/// Every s gives a true statement, and so does the conversion of zCDP (concentrated_delta_up): the
/// least of them over a fixed set of s is returned, rounded up, at most 1. InvalidInput as above,
/// or unless d is from 1 to 10^6 and epsilon is finite and at least 0.
double lattice_gaussian_delta_up(double variance, double sensitivity, std::size_t dimension,
                                 double epsilon);

/// eta of the theorem at s^2 = `variance`, rounded up: how far the sum of e^(-(y-x)^2/(2 variance))
/// over the integers is from sqrt(2 pi variance), relatively, at most. Variance from 2^-10.
double lattice_ripple_up(double variance);

}  // namespace mollify
