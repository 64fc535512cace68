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
/// Theorem (proof: docs/theory/gaussian-proofs.md). With eta = lattice_ripple at the variance,
///
///     sqrt(d) (1/(sqrt(32) sigma) + eta/2) + rounding_norm / (sigma sqrt(2 pi)).
[[nodiscard]] double lattice_gaussian_error_up(std::size_t dimension, double variance,
                                               double rounding_norm);

/// A bound on the total variation between e + y + N(0, t^2 I), y on Z^d with P(y) proportional to
/// e^(-|y|/b), and x + N(0, t^2 I), x the continuous Euclidean-Laplace of scale b, with e as above:
/// the pure sampler without dither. `public_deviation` = t; t = 0 gives 1.
///
/// Theorem (proof: there). With z_d = 0.3656 d (0.6753/b)^(d+1) and eta = lattice_ripple at t^2/2,
///
///     z_d + e^(d eta) - 1 + rounding_norm / (t sqrt(2 pi)).
[[nodiscard]] double lattice_laplace_error_up(std::size_t dimension, double scale,
                                              double public_deviation, double rounding_norm);

}  // namespace mollify
