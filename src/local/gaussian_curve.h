// How much of the value the Gaussian-curve sampler may keep.
#pragma once

#include <span>

#include "kernel/channel/mixture_channel.h"

namespace mollify {

/// The Gaussian trade-off curve as a hockey stick: delta(B) = Phi(nu/2 - B/nu) -
/// e^B Phi(-nu/2 - B/nu), for B >= 0. A mechanism is nu-Gaussian-DP exactly if between any two
/// inputs its hockey-stick divergence of order e^B is at most delta(B), for every B >= 0.
[[nodiscard]] double gaussian_curve(double nu, double b);

/// The greatest weight lambda for which lambda P + (1 - lambda) P0 is nu-Gaussian-DP for every P on
/// a finite space, P0 the reference [Ghoukasian et al. 2025, with c1 = 0 and c2 = 1 / h_min;
/// docs/theory/public-matrices.md]; rounded down by 2^-30.
///
/// Derivation. Rows x and x' of the mixture differ at x and x' only, so their hockey stick is
/// (lambda - (e^B - 1)(1 - lambda) h_x)_+, greatest at the least mass h_min. It must stay under
/// delta(B), which is convex in e^B with slope -Phi(-nu/2 - B/nu); the tightest B therefore solves
/// (1 - lambda) h_min = Phi(-nu/2 - B/nu), and lambda is found by bisection.
/// nu from 0.001 to 20; throws InvalidInput otherwise. `least_mass` is h_min in (0, 1/2].
[[nodiscard]] double gaussian_curve_weight_down(double nu, double least_mass);

/// The mixture with that weight, h_min being the least of its own integers: is_gaussian_private.
/// Throws InvalidInput for nu out of range and for a reference that MixtureChannel refuses.
[[nodiscard]] MixtureChannel gaussian_curve_channel(std::span<const double> reference, double nu);

/// Whether the channel's own integers keep it under the curve of nu, with 2^-40 to spare.
[[nodiscard]] bool is_gaussian_private(const MixtureChannel& channel, double nu);

}  // namespace mollify
