// What lattices add to the total variation of Gaussian samplers: bounds, with proofs.
#pragma once

#include <cstddef>

namespace mollify {

// Two facts are used throughout. N(0, s^2 I) and N(t, s^2 I) are within |t| / (s sqrt(2 pi)) in
// total variation; and what two laws are apart, mixtures of them (with the same weights) and images
// under one public map are at most.
//
// All results are rounded up (their formulas in doubles, times 1 + 2^-40) and at most 1.

/// Rounding of records. Let X_i be independent N(mu, Sigma) in R^d with Sigma >= I, Z_i be X_i with
/// each coordinate rounded to the nearest multiple of g, and a_i be weights, sum a_i^2 = A and |sum
/// a_i| <= 1. Then sum a_i Z_i + N(0, s^2 I) is within
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
/// g^2) / k. So E|m|^2 <= d A g^2 (...)^2 + d g^2 (...)^2, which the first fact makes the first
/// part. (2) V - m. The chi-squared distance of the mixture of N(V - m, s^2 I) from N(0, s^2 I) is
/// E e^(<V', V''>/s^2) - 1 with two independent copies of V - m. Hoeffding's lemma: E e^<u, V'> <=
/// e^(A g^2 |u|_1^2 / 8) <= e^(A g^2 d |u|^2 / 8). With u = V''/s^2 this leaves E e^(c |V''|^2), c
/// = A g^2 d / (8 s^4), which is E e^(sqrt(2 c) <G, V''>) for G ~ N(0, I), so at most E e^(A g^2 d
/// c |G|^2 / 4) = (1 - t^2)^(-d/2). Total variation is at most half the root of chi-squared. QED
double record_rounding_error_up(std::size_t dimension, double squared_weights, double step,
                                double deviation);

/// Euclidean-Laplace noise of scale b on Z^d instead of R^d, in cells of a width of `cell`, before
/// N(0, s^2 I) is added: at most (e^(sqrt(d)/b) - 1)/2 + sqrt(d) cell / (2 s sqrt(2 pi)).
/// Proof. Round the continuous noise x to the nearest z. | |x| - |z| | <= sqrt(d)/2, so the masses
/// e^(-|z|/b) and the integrals of e^(-|x|/b) over cells differ by factors of at most
/// e^(+-sqrt(d)/(2 b)), and so do their sums: the two laws on Z^d have ratios within
/// e^(+-sqrt(d)/b). Then x - z moves N(0, s^2 I) by at most cell sqrt(d)/2. QED
double laplace_lattice_error_up(std::size_t dimension, double scale, double cell, double deviation);

/// Discrete Gaussian noise of variance parameter sigma^2 on Z^d and a uniform dither of one cell
/// instead of N(0, sigma^2 I): at most sqrt(d/48) / sigma.
/// Proof. With p the law of x = z + u and q = N(0, sigma^2 I), KL(p, q) = E(|x|^2 - |z|^2) /
/// (2 sigma^2) + d ln(sqrt(2 pi sigma^2) / sum e^(-z^2/(2 sigma^2))). The first part is d / (24
/// sigma^2), the logarithm is at most 0 by Poisson summation; Pinsker. QED
double dithered_gaussian_error_up(std::size_t dimension, double sigma);

/// Discrete Gaussian noise on Z^d and N(0, s^2 I), s >= 1 in cells, instead of N(0, (sigma^2 + s^2)
/// I): at most 5 d e^(-2 pi^2 w^2), w^2 = sigma^2 s^2 / (sigma^2 + s^2) >= 1/2.
/// Proof. For one coordinate the density at x is that of N(0, sigma^2 + s^2) times sum over z of
/// the density of N(c, w^2) at z, over sum e^(-z^2/(2 sigma^2)) / sqrt(2 pi sigma^2). Both sums are
/// 1 within 2 sum_k e^(-2 pi^2 k^2 w^2) by Poisson summation. QED
double smoothed_gaussian_error_up(std::size_t dimension, double sigma, double deviation);

}  // namespace mollify
