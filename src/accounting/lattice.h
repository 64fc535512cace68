// Gaussians on a lattice, and the weight of clipped rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What the lattice adds to a Gaussian sampler's total variation: rounded records, noise on integers
// instead of a continuum.

// All lengths are in lattice units. e represents whatever else is added to the sum, such as the
// rounding of records (record_rounding_error_up is sharper for Gaussian ones).

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

// -----------------------------------------------------------------------------------------------
// What discrete Gaussian noise on Z^d promises: zCDP, and (epsilon, delta) as good as the
// continuous Gaussian's.

// Noise y on Z^d with P(y) proportional to e^(-|y|^2/(2 variance)), coordinates independent
// (DiscreteGaussian), added to an integer vector that moves by at most `sensitivity` in Euclidean
// norm between neighbours. All is in lattice units.

/// The rho for which this is rho-zCDP, sensitivity^2/(2 variance) [Canonne et al. 2020; proof at
/// DiscreteGaussian], rounded up. InvalidInput unless the variance is from 2^-10 to 2^100 and the
/// sensitivity from 2^-60 to 2^50.
[[nodiscard]] double lattice_gaussian_rho_up(double variance, double sensitivity);

/// A delta for which this is (epsilon, delta)-DP: the analytic Gaussian's, except for a factor that
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

// -----------------------------------------------------------------------------------------------
// How likely it is that a Gaussian record lies outside the ball it is clipped to.

/// Gaussian records in whitened coordinates: mean of norm at most `mean_norm`, covariance from I to
/// `covariance_bound` times I (1: it is I itself).
struct WhitenedRecords {
  std::size_t dimension = 1;
  double mean_norm = 0;
  double covariance_bound = 1;
};

/// A bound on P(|x| > radius) for every such record.
///
/// Covariance I: the probability itself, at |mu| = R, where it is greatest (of two means the one
/// nearer to 0 leaves more in a ball around 0, Anderson 1955). With one coordinate z along mu and
/// the others a chi-squared of d - 1 degrees of freedom,
///     P = P(|R + z| > B) + integral over |R + z| <= B of phi(z) P(chi2 > B^2 - (R + z)^2) dz.
/// The truth times at least 1 and at most 1 + 2e-9 down to 1e-300 for R up to 10^6 (numerically;
/// Boost's own noncentral chi-squared is off by factors in far tails and stops for large R).
///
/// Covariance up to K I: the lesser of two bounds.
///  - |x| <= R + sqrt(K) |z| with z ~ N(0, I), so P <= P(|z| > (B - R)/sqrt(K)).
///  - P <= 2 P(|N(mu, K I)| > B): N(mu, K I) is x + w for an independent centred w, and given |x| >
///    B the half space of all w with w.x >= 0, of probability at least one half, keeps |x + w| > B.
/// (That K I itself is the worst is false: with mu next to the sphere more variance along mu brings
/// records back inside.)
///
/// From 1e-300 to 1. InvalidInput unless the dimension is from 1 to 10^6, the mean's norm from 0 to
/// 10^6, the covariance bound from 1 to 10^12 and the radius finite and positive.
[[nodiscard]] double clip_probability_up(const WhitenedRecords& records, double radius);

/// The ratio at covariance I.
[[nodiscard]] double clip_probability_up(std::size_t dimension, double mean_norm, double radius);

/// P(any of n records lies outside) <= n times the above, at most 1.
[[nodiscard]] double any_clip_probability_up(const WhitenedRecords& records, std::uint64_t count,
                                             double radius);

/// A radius with any_clip_probability_up <= beta, the least except for a relative 1e-6 of its
/// excess over the mean's norm. InvalidInput as above, or unless 1e-290 <= beta/n and beta < 1.
[[nodiscard]] double clip_radius_up(const WhitenedRecords& records, std::uint64_t count,
                                    double beta);

/// The papers' radius R + sqrt(K) (sqrt(d) + sqrt(2 ln(n/beta))) [Cheu, Nayak 2024, Algorithm 4;
/// Ghazi et al. 2023, Algorithms 1 and 3], rounded up: any_clip_probability_up <= beta there
/// too. Errors as above.
[[nodiscard]] double paper_clip_radius_up(const WhitenedRecords& records, std::uint64_t count,
                                          double beta);

// -----------------------------------------------------------------------------------------------
// How far the output laws of the Gaussian samplers are from the Gaussian they represent: exactly,
// not only bounded.

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
// (zero for a matched second moment); the rest is summed from terms of second order that are each
// computed to full precision.

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

/// The ratio with the second moment matched, rest = 1 - (d+1) bbar^2 in exact arithmetic: of order
/// d bbar^4. InvalidInput if (d+1) bbar^2 exceeds one.
[[nodiscard]] double moment_matched_total_variation(std::size_t dimension, double bbar);

/// Total variation between N(0, variance I) and N(0, I) in R^d, as above. For a covariance with
/// eigenvalues from 1 to `variance` it is an upper bound. 1 for variances above 10^6.
/// Proof: docs/theory/gaussian-proofs.md.
[[nodiscard]] double scaled_gaussian_total_variation(std::size_t dimension, double variance);

// -----------------------------------------------------------------------------------------------
// How far apart two laws can be that a budget keeps close.

/// The greatest total variation between laws P and Q with P(A) <= e^epsilon Q(A) + delta and Q(A)
/// <= e^epsilon P(A) + delta for all events A, rounded up: (e^epsilon - 1 + 2 delta)/(e^epsilon +
/// 1).
///
/// Theorem [Cheu, Nayak 2024, Lemma 1, with the constant that its proof gives]. Some P' and Q'
/// within delta/(e^epsilon + 1) of P and Q are within e^epsilon of each other everywhere, and so
/// within (e^epsilon - 1)/(e^epsilon + 1). It is reached: delta on an outcome of each law's own,
/// the rest as a coin of odds e^epsilon and as the opposite coin.
///
/// So a bound on the loss is one on accuracy, too: a limit for tables of few records. epsilon at
/// least 0, infinite included, delta from 0 to 1; InvalidInput otherwise.
[[nodiscard]] double total_variation_of_close_laws_up(double epsilon, double delta);

}  // namespace mollify
