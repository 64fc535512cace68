// Zero-concentrated differential privacy: what pure privacy is worth in it, and it in (epsilon,
// delta).
#pragma once

namespace mollify {

// A release is rho-zCDP if for neighbouring data sets the Rényi divergence of every order a > 1 is
// at most rho·a [Bun, Steinke 2016, Definition 1.1]. Releases chosen one after the other add their
// rho, even where each rho is chosen after the outputs before it [Feldman, Zrnic 2021].

/// The rho of an epsilon-DP release, epsilon²/2 [Bun, Steinke 2016, Proposition 1.4], rounded up.
/// InvalidInput for epsilon not finite and at least 0.
[[nodiscard]] double concentrated_rho_of_pure_up(double epsilon);

/// The rho of a mu-Gaussian-DP release, mu²/2, rounded up: its Rényi divergences are at most those
/// of N(0,1) from N(mu,1) [Dong et al. 2022, Corollary 2.9]. InvalidInput for mu not finite and at
/// least 0.
[[nodiscard]] double concentrated_rho_of_gaussian_up(double mu);

/// delta for which rho-zCDP is (epsilon, delta)-DP, at most 1:
///     min over a > 1 of e^{(a−1)(a rho−epsilon)}/a·(1−1/a)^{a−1}
/// [Canonne et al. 2020, Corollary 13]. Every a gives a true statement, so the minimiser is
/// found in floating point and the value there is rounded up: at most the minimum times 1 + 2^−40
/// while rho and epsilon are at most 1000. InvalidInput for rho or epsilon not finite and at least
/// 0. About 50 logarithms.
[[nodiscard]] double concentrated_delta_up(double rho, double epsilon);

/// A least epsilon with concentrated_delta_up(rho, epsilon) ≤ delta but for rounding; infinite for
/// delta = 0 unless rho is 0. InvalidInput for rho as above, or delta outside [0, 1].
[[nodiscard]] double concentrated_epsilon_up(double rho, double delta);

/// A greatest rho with concentrated_delta_up(rho, epsilon) ≤ delta but for rounding; 0 for delta =
/// 0. InvalidInput for epsilon as above, or delta outside [0, 1) (delta = 1 promises nothing).
[[nodiscard]] double concentrated_rho_down(double epsilon, double delta);

}  // namespace mollify
