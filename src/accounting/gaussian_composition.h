// What several Gaussian-DP releases cost together, and what that is in (epsilon, delta).
#pragma once

#include <cstdint>

namespace mollify {

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

/// A least epsilon with gaussian_delta_up(mu, epsilon) ≤ delta but for rounding; infinite where
/// delta is 0. InvalidInput for mu as above, or delta outside [0, 1].
[[nodiscard]] double gaussian_epsilon_up(double mu, double delta);

}  // namespace mollify
