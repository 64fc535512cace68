// What the lattice adds to a Gaussian sampler's total variation: rounded records, noise on integers
// instead of a continuum.
#pragma once

#include <cstddef>

namespace mollify {

// All lengths are in lattice units. e stands for whatever else is added to the sum, such as the
// rounding of records (which record_rounding.h bounds more sharply, for Gaussian records).

/// A bound on the total variation between e + y + u, y discrete Gaussian on Z^d of `variance` and u
/// uniform on one cell [-1/2, 1/2]^d, and N(0, variance I), where e is independent of y and u and
/// E|e| <= rounding_norm: the zCDP and (epsilon, delta) samplers, whatever e is to the records.
///
/// Theorem. sqrt(d) (1/(sqrt(32) sigma) + eta/2) + rounding_norm/(sigma sqrt(2 pi)), eta =
/// lattice_ripple at the variance.
/// Proof. Let h be the root of the normal density on the line, p the density of y + u on a line:
/// sqrt(p) = h(round x)/sqrt(Z), 1 <= Z <= 1 + eta. In a cell of centre y, (h(x) - h(y))^2 <= |x -
/// y| times the integral of h'^2 between, so its integral is at most 1/8 of that of h'^2, in all
/// (1/8) (1/(4 sigma^2)). With |1 - 1/sqrt(Z)| sqrt(Z) <= eta/2 the distance |sqrt(p) - h| in L2 is
/// at most 1/(sqrt(32) sigma) + eta/2 =: D. Squared Hellinger distances D^2/2 add at most over
/// coordinates, and total variation is at most sqrt(2 H^2) = sqrt(d) D. For given e, TV(N(e, .),
/// N(0,
/// .)) = 2 Phi(|e|/(2 sigma)) - 1 <= |e|/(sigma sqrt(2 pi)), and total variation is convex. QED
double lattice_gaussian_error_up(std::size_t dimension, double variance, double rounding_norm);

/// A bound on the total variation between e + y + N(0, t^2 I), y on Z^d with P(y) proportional to
/// e^(-|y|/b), and x + N(0, t^2 I), x the continuous Euclidean-Laplace of scale b, with e as above:
/// the pure sampler without dither. `public_deviation` = t; t = 0 gives 1.
///
/// Theorem. With z_d = 0.3656 d (0.6753/b)^(d+1) and eta = lattice_ripple at t^2/2,
///     z_d + e^(d eta) - 1 + rounding_norm / (t sqrt(2 pi)).
/// Proof. Laplace's density f is a mixture over tau of normal densities g_tau
/// (radial_total_variation.h). By Poisson summation the sum over y of g_tau(y) g_{t^2}(x - y) is
/// the sum over k in Z^d of the Fourier transform at k of z -> g_tau(z) g_{t^2}(x - z), which is
/// g_{tau + t^2}(x) times e^(-2 pi^2 kappa |k|^2) in size, kappa = tau t^2/(tau + t^2). The term k
/// = 0 is the convolution. So A(x) = sum of f(y) g_{t^2}(x - y) differs from f * g_{t^2} in L1 by
/// at most D = E_tau of the sum over k != 0 of e^(-2 pi^2 kappa |k|^2). The noise's law has density
/// A/Z, Z = the integral of A, |Z - 1| <= D, so the total variation is at most (D + |Z - 1|)/2 <=
/// D. As kappa >= min(tau, t^2)/2, D is at most the sum over k != 0 of E e^(-pi^2 tau |k|^2) = (1 +
/// 2 pi^2 b^2 |k|^2)^(-(d+1)/2) plus the sum of e^(-pi^2 t^2 |k|^2) <= (1 + eta)^d - 1. At most 2 d
/// 3^(d-1) m^(d-1) points have largest coordinate m, so the first is at most 2 d 3^(d-1) (pi^2/6)
/// (sqrt(2) pi b)^(-(d+1)) <= z_d. Rounding as above. QED
double lattice_laplace_error_up(std::size_t dimension, double scale, double public_deviation,
                                double rounding_norm);

}  // namespace mollify
