// Gaussian mechanisms: normal bounds, composition, adaptive steps, sampling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "accounting/privacy.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The normal distribution function with results known to lie on one side of the truth.

/// Above and below Φ(x), by 2^-46 of it where Φ(x) is above 10^-300. The C library's erfc is
/// assumed to be within 16 units in the last place (glibc states 5), and its argument is moved
/// outward by more than its roundings.
[[nodiscard]] double normal_cdf_up(double x);
[[nodiscard]] double normal_cdf_down(double x);

/// Above ln Φ(x), by less than .002 where Φ(x) leaves the doubles: there by Φ(-t) <= φ(t)/t.
[[nodiscard]] double ln_normal_cdf_up(double x);

// -----------------------------------------------------------------------------------------------
// What several Gaussian-DP releases cost together, and what that is in (epsilon, delta).

/// A mu with which `releases` releases compose to at most total-Gaussian-DP: total /
/// sqrt(releases), rounded down (n releases of mu compose to sqrt(n) mu, Dong et al. 2022,
/// Corollary 3.3). InvalidInput unless total is finite and positive and there is at least one
/// release.
[[nodiscard]] double mu_per_draw_down(double total, std::uint64_t releases);

/// The delta for which mu-Gaussian-DP is (epsilon, delta)-DP
/// [Balle, Wang 2018, Theorem 8; Dong et al. 2022, Corollary 2.13],
///
///     Φ(mu/2 − epsilon/mu) − e^epsilon·Φ(−mu/2 − epsilon/mu),
///
/// rounded up: above it by at most 2^−36 of the first term while epsilon is at most 700 and that
/// term above 10^−300. No smaller delta holds for all. InvalidInput unless mu is from 10^−6 to 1000
/// and epsilon from 0 to 10^6.
[[nodiscard]] double gaussian_delta_up(double mu, double epsilon);

/// A least epsilon with gaussian_delta_up(mu, epsilon) ≤ delta except for rounding; infinite where
/// delta is 0. InvalidInput for mu as above, or delta outside [0, 1].
[[nodiscard]] double gaussian_epsilon_up(double mu, double delta);

// -----------------------------------------------------------------------------------------------
// What exact Gaussian noise and exact choices cost together in (epsilon, delta), where each step is
// decided by the outputs before it.

// A sequence of steps, each a function of the outputs before it:
//
// - a measurement adds discrete Gaussian noise of variance sigma^2 >= kLatticePart + Delta^2/m to
//   an integer vector of Euclidean sensitivity Delta (DiscreteGaussian),
// - a choice is an exponential mechanism of bounded range r, m >= (pi/8) r^2 (ExponentialChoice has
//   r = 2 Delta eta),
//
// and spends m of a budget M that the sequence never passes, whatever its outputs. All measurements
// together have at most kMostMeasuredCells coordinates.
//
// Theorem (proof: docs/theory/marginals.md). The whole is (epsilon, delta)-DP with
//
//     delta <= (1 + eta)^D delta_c(sqrt(M); epsilon - D ln((1 + eta)^2 / (1 - eta))),
//
// delta_c the curve of the continuous Gaussian (gaussian_delta_up), eta = lattice_ripple at
// kLatticePart, D = kMostMeasuredCells: for these numbers no more than that of one continuous
// Gaussian except for 10^-20.

/// s^2, in squared lattice units: the part of each variance that hides the lattice.
inline constexpr double kLatticePart = 4;
inline constexpr double kMostMeasuredCells = 0x1p42;

/// That delta, rounded up, at most 1. InvalidInput unless `spent` = M is from 10^-12 to 10^6 and
/// epsilon from 0 to 10^6.
[[nodiscard]] double adaptive_gaussian_delta_up(double spent, double epsilon);

/// A greatest M with adaptive_gaussian_delta_up(M, epsilon) <= delta except for rounding; 0 where
/// the least M has more. Same limits; delta from 0 to below 1.
[[nodiscard]] double adaptive_gaussian_budget_down(double epsilon, double delta);

/// The sum over steps that each depend on the outputs before them: epsilon, rho, or the M of an
/// (epsilon, delta) that keeps delta on every machine (kRoomForRounding). Throws InvalidInput for a
/// budget of mu, naming the method.
[[nodiscard]] double adaptive_amount_down(const Privacy& budget, std::string_view method);

// -----------------------------------------------------------------------------------------------
// What many steps of learning on random parts of the records with Gaussian noise cost.

/// Steps that each take every record with probability `rate`, add up vectors of norm at most 1 and
/// add Gaussian noise of this deviation in every coordinate. Neighbours differ by one record more
/// or less.
struct SampledGaussian {
  double rate = 1;       ///< q, in (0, 1]
  double deviation = 1;  ///< sigma, in units of the clipping norm; positive
  std::uint64_t steps = 1;
};

/// A bound on the Rényi divergence of an order a in (1, 512], of all steps together, rounded up.
/// With r the likelihood ratio N(1, sigma^2)/N(0, sigma^2), one step's is ln E[(1 - q + q r)^a]/(a
/// - 1) under N(0, sigma^2), and neighbours the other way round have no more [Mironov et al. 2019,
/// Section 3]. About either of its two summands the power is at most its Taylor polynomial of
/// degree ceil(a): the terms up to there are positive and the next would be negative. So the
/// expectation is taken term by term, about 1 - q where q r is the smaller and about q r elsewhere,
/// as their Section 3.3 does with the whole series. At whole orders it is exact except for
/// rounding. Infinite where that leaves the doubles. InvalidInput for numbers out of range. O(a).
[[nodiscard]] double sampled_gaussian_renyi_up(const SampledGaussian& mechanism, double order);

/// An epsilon for which all steps together are (epsilon, delta)-DP, rounded up: the least over
/// orders from 1 + 2^-20 up to 512, 32 for each doubling of a - 1, of the conversion of [Canonne et
/// al. 2020, Proposition 12]. Infinite where no order gives one. InvalidInput as above, or unless
/// delta is in (0, 1).
[[nodiscard]] double sampled_gaussian_epsilon_up(const SampledGaussian& mechanism, double delta);

// -----------------------------------------------------------------------------------------------
// How many records any private sampler of Gaussians needs.

/// The request to a sampler: for records from N(mu, I) in R^d, |mu| <= mean_norm, outputs whose
/// joint law is within `joint_error` of that many independent draws of N(mu, I). Independent
/// outputs that are each within alpha have a joint_error of `outputs` alpha.
struct GaussianSamplingTask {
  std::size_t dimension = 1;
  double mean_norm = 0;
  std::uint64_t outputs = 1;
  double joint_error = 0;
};

/// A number of records below which no sampler does this under the guarantee; 0 where that says
/// nothing.
///
/// Theorem [ours; with constants, where the lower bounds of [Cheu, Nayak 2024, Theorems 22, 23 and
/// 27] are orders; proof: accounting/gaussian.cpp]. Let there be M means in the ball, 2 r
/// apart, q = P(|N(0, I/m)| > r) and p = q + joint_error. Then
///
///     epsilon-DP:            p >= (M - 1) e^(-n epsilon) (1 - p)
///     (epsilon, delta)-DP:   p >= (M - 1) e^(-n epsilon)
///                                 (1 - p - delta (e^(n epsilon) - 1)/(e^epsilon - 1))
///     rho-zCDP:              n^2 rho >= (1 - p) ln((1 - p) M) + p ln(p M/(M - 1))
///                                 if 1 - p > 1/M
///
/// M is the greater of floor(R/r) + 1 (on a line, where q is that of one coordinate) and
/// (R/(2 r))^d (a maximal packing); r is the best of a fixed set. Rounded down by a relative 1e-9.
[[nodiscard]] double gaussian_records_lower_bound(const GaussianSamplingTask& task,
                                                  const Privacy& guarantee);

}  // namespace mollify
