// Zero-concentrated differential privacy: what pure privacy is worth in it, and it in (ε, δ).
#pragma once

namespace mollify {

// A release is ρ-zCDP if for neighbouring data sets the Rényi divergence of every order a > 1 is at
// most ρ·a [Bun, Steinke, TCC 2016, Def. 1.1]. Releases chosen one after the other add their ρ,
// even where each ρ is chosen after the outputs before it [Feldman, Zrnic, NeurIPS 2021].

/// The ρ of an ε-DP release, ε²/2 [Bun, Steinke 2016, Prop. 1.4], rounded up. InvalidInput for ε
/// not finite and at least 0.
double concentrated_rho_of_pure_up(double epsilon);

/// The ρ of a μ-Gaussian-DP release, μ²/2, rounded up: its Rényi divergences are at most those of
/// N(0,1) from N(μ,1) [Dong, Roth, Su 2022, Cor. 2.9]. InvalidInput for μ not finite and at least
/// 0.
double concentrated_rho_of_gaussian_up(double mu);

/// δ for which ρ-zCDP is (ε, δ)-DP, at most 1:
///     min over a > 1 of e^{(a−1)(aρ−ε)}/a·(1−1/a)^{a−1}
/// [Canonne, Kamath, Steinke 2020, Cor. 13]. Every a gives a true statement, so the minimiser is
/// found in floating point and the value there is rounded up: at most the minimum times 1 + 2^−40
/// while ρ and ε are at most 1000. InvalidInput for ρ or ε not finite and at least 0. About 50
/// logarithms.
double concentrated_delta_up(double rho, double epsilon);

/// A least ε with concentrated_delta_up(ρ, ε) ≤ δ but for rounding; infinite for δ = 0 unless ρ is
/// 0. InvalidInput for ρ as above, or δ outside [0, 1].
double concentrated_epsilon_up(double rho, double delta);

/// A greatest ρ with concentrated_delta_up(ρ, ε) ≤ δ but for rounding; 0 for δ = 0. InvalidInput
/// for ε as above, or δ outside [0, 1) (δ = 1 promises nothing).
double concentrated_rho_down(double epsilon, double delta);

}  // namespace mollify
