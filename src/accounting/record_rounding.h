// What rounding each record of a Gaussian to a lattice does to the law of a noisy sum: less than
// the rounding itself, because it is nearly independent of what is left.
#pragma once

#include <cstddef>

namespace mollify {

/// Let X_i be independent N(mu, Sigma) in R^d with Sigma >= I, Z_i be X_i with each coordinate
/// rounded to the nearest multiple of g, and a_i be weights, sum a_i^2 = A and |sum a_i| <= 1. Then
/// in total variation sum a_i Z_i + N(0, s^2 I) is within
///     [sqrt(d A) g^2 (1 + g sqrt(d)) / 12 + sqrt(d) g e^(-2 pi^2/g^2)] / (s sqrt(2 pi))
///     + ((1 - t^2)^(-d/2) - 1)^(1/2) / 2,   t = A g^2 d / (4 s^2) < 1,
/// of sum a_i X_i + N(0, s^2 I) [ours].
/// Proof. Let g E_i = X_i - Z_i, so that E_i is in the cube of side 1, V = sum a_i g E_i, and all
/// laws be given the Z_i first. (1) The mean m of V. Given Z_i and the other coordinates, E_ij has
/// a density h on [-1/2, 1/2] with |h'/h| <= k, k being the greatest g |Sigma^-1 (x - mu)|_j over
/// the cell; h / e^(k u) falls, so E u <= coth(k/2)/2 - 1/k <= k/12, and as much below. At X itself
/// Sigma^-1 (x - mu) has variances of at most 1, and it moves by less than g sqrt(d) within the
/// cell: the means of the E_ij have a root mean square of at most g (1 + g sqrt(d)) / 12. They are
/// independent over i, with an expectation of at most the sawtooth's, (1/pi) sum e^(-2 pi^2 k^2 /
/// g^2) / k. So E|m|^2 <= d A g^2 (...)^2 + d g^2 (...)^2, which is the first
/// part, because N(0, s^2 I) and N(t, s^2 I) are within |t| / (s sqrt(2 pi)). (2) V - m. The
/// chi-squared distance of the mixture of N(V - m, s^2 I) from N(0, s^2 I) is E e^(<V', V''>/s^2) -
/// 1 with two independent copies of V - m. Hoeffding's lemma: E e^<u, V'> <= e^(A g^2 |u|_1^2 / 8)
/// <= e^(A g^2 d |u|^2 / 8). With u = V''/s^2 this leaves E e^(c |V''|^2), c = A g^2 d / (8 s^4),
/// which is E e^(sqrt(2 c) <G, V''>) for G ~ N(0, I), so at most E e^(A g^2 d c |G|^2 / 4) = (1 -
/// t^2)^(-d/2). Total variation is at most half the root of chi-squared. QED
///
/// Of second order in g: bounds by the size of the rounding (lattice_error.h) are of first order.
/// The formula in doubles, times 1 + 2^-40; at most 1.
double record_rounding_error_up(std::size_t dimension, double squared_weights, double step,
                                double deviation);

}  // namespace mollify
