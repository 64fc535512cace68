// What exact Gaussian noise and exact choices cost together in (epsilon, delta), where each step is
// decided by the outputs before it.
#pragma once

#include <string_view>

#include "accounting/privacy.h"

namespace mollify {

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
// Gaussian but for 10^-20.

/// s^2, in squared lattice units: the part of each variance that hides the lattice.
inline constexpr double kLatticePart = 4;
inline constexpr double kMostMeasuredCells = 0x1p42;

/// That delta, rounded up, at most 1. InvalidInput unless `spent` = M is from 10^-12 to 10^6 and
/// epsilon from 0 to 10^6.
[[nodiscard]] double adaptive_gaussian_delta_up(double spent, double epsilon);

/// A greatest M with adaptive_gaussian_delta_up(M, epsilon) <= delta but for rounding; 0 where the
/// least M has more. Same limits; delta from 0 to below 1.
[[nodiscard]] double adaptive_gaussian_budget_down(double epsilon, double delta);

/// What adds up over steps each of which is decided by the outputs before it: epsilon, rho, or the
/// M of an (epsilon, delta) that keeps delta on every machine (kRoomForRounding). Throws
/// InvalidInput for a budget of mu, naming the family.
[[nodiscard]] double adaptive_amount_down(const Privacy& budget, std::string_view family);

}  // namespace mollify
