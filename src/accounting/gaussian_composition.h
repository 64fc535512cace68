// What several Gaussian-DP releases cost together, and what that is in (ε, δ).
#pragma once

#include <cstdint>

namespace mollify {

/// A mu with which `releases` releases compose to at most total-Gaussian-DP: total /
/// sqrt(releases), rounded down (n releases of mu compose to sqrt(n) mu, Dong, Roth, Su 2022,
/// Corollary 3.3). InvalidInput unless total is finite and positive and there is at least one
/// release.
double mu_per_draw_down(double total, std::uint64_t releases);

/// The δ for which μ-Gaussian-DP is (ε, δ)-DP, Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ) [Balle, Wang 2018,
/// Thm 8; Dong, Roth, Su 2022, Cor. 2.13], rounded up: above it by at most 2^−36
/// of the first term while ε is at most 700 and that term above 10^−300. No smaller δ holds for
/// all. InvalidInput unless μ is from 10^−6 to 1000 and ε from 0 to 10^6.
double gaussian_delta_up(double mu, double epsilon);

/// A least ε with gaussian_delta_up(μ, ε) ≤ δ but for rounding; infinite for δ = 0. InvalidInput
/// for μ as above, or δ outside [0, 1].
double gaussian_epsilon_up(double mu, double delta);

}  // namespace mollify
