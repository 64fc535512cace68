// How far the output laws of the Gaussian samplers are from the Gaussian they stand for: exactly,
// not only bounded.
#pragma once

#include <cstddef>

namespace mollify {

// All laws here are spherical and their densities are mixtures of N(0, s I) over s, so their total
// variation from N(0, I) is an integral over the radius r alone. Three facts make it exact.
//
// Mixture. Euclidean-Laplace noise in R^d of density proportional to e^(-|y|/b) is sqrt(tau) N(0,
// I) with tau distributed as b^2 times a chi-squared of d + 1 degrees of freedom. So (1/n)(sum of
// the points + noise) + N(0, v I) has, when nothing is clipped, the law N(mu, s I) mixed over s =
// rest + tau, with rest = v + 1/n and b = bbar, the noise's scale over n.
// Proof: docs/theory/gaussian-proofs.md.
//
// Two crossings. The ratio of the two densities is, as a function of q = r^2, a mixture of
// s^(-d/2) e^(q (1 - 1/s)/2) and so convex: it is below one on one interval of q, and the total
// variation is the integral of the difference over that interval.
//
// No cancellation. With x = s - 1 and psi = -(d/2) ln(1+x) + (q/2) x/(1+x) the ratio less one is
// E[e^psi - 1], where the part linear in x has the expectation (q-d)/2 E[x], known in closed form
// (zero for a matched second moment); what is left is summed from terms of second order that are
// each computed to full precision.

/// Total variation between N(0, I) and the law of N(0, (rest + tau) I), tau being bbar^2 times a
/// chi-squared of d + 1 degrees of freedom: the output law of the pure sampler where nothing is
/// clipped, with `rest` = v + 1/n. `rest` and `bbar` are taken as exact, also where rest + (d+1)
/// bbar^2 is within rounding of one.
///
/// The truth times at least 1 and at most 1 + 2e-9 (found numerically, by quadratures whose
/// errors are far below: not a proof as directed rounding is), from d = 1 to 10^6 and for every
/// result above 1e-290. Under a millisecond where it is small. InvalidInput unless d is from 1 to
/// 10^6, bbar from 0 to 1000, rest from 0 to 10^6 and either of them positive.
[[nodiscard]] double gaussian_laplace_total_variation(std::size_t dimension, double bbar,
                                                      double rest);

/// The same with the second moment matched, rest = 1 - (d+1) bbar^2 in exact arithmetic: of order
/// d bbar^4. InvalidInput if (d+1) bbar^2 exceeds one.
[[nodiscard]] double moment_matched_total_variation(std::size_t dimension, double bbar);

/// Total variation between N(0, variance I) and N(0, I) in R^d, as above. For a covariance with
/// eigenvalues from 1 to `variance` it is an upper bound. 1 for variances above 10^6.
/// Proof: docs/theory/gaussian-proofs.md.
[[nodiscard]] double scaled_gaussian_total_variation(std::size_t dimension, double variance);

}  // namespace mollify
