// What rounding each record of a Gaussian to a lattice does to the law of a noisy sum: less than
// the rounding itself, because it is nearly independent of what is left.
#pragma once

#include <cstddef>

namespace mollify {

/// Let X_i be independent N(mu, Sigma) in R^d with Sigma >= I, Z_i be X_i with each coordinate
/// rounded to the nearest multiple of g, and a_i be weights, sum a_i^2 = A and |sum a_i| <= 1. Then
/// in total variation sum a_i Z_i + N(0, s^2 I) is within
///
///     [sqrt(d A) g^2 (1 + g sqrt(d)) / 12 + sqrt(d) g e^(-2 pi^2/g^2)] / (s sqrt(2 pi))
///     + ((1 - t^2)^(-d/2) - 1)^(1/2) / 2,   t = A g^2 d / (4 s^2) < 1,
///
/// of sum a_i X_i + N(0, s^2 I) [ours; proof: docs/theory/gaussian-proofs.md].
///
/// Of second order in g: bounds by the size of the rounding (lattice_error.h) are of first order.
/// The formula in doubles, times 1 + 2^-40; at most 1.
[[nodiscard]] double record_rounding_error_up(std::size_t dimension, double squared_weights,
                                              double step, double deviation);

}  // namespace mollify
